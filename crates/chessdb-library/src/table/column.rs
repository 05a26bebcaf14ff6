//! All columns of tables: their names and types.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;

use chessdb::game::TagName;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The path of the database's directory; the name of its main file if it has none.
    Database,
    /// The number of the game, from 1.
    Number,
    /// A tag as text.
    Tag(TagName),
    /// White's [rating](chessdb::game::rating).
    WhiteElo,
    /// Black's rating.
    BlackElo,
    /// How many points White's rating gained in the game.
    WhiteRatingDiff,
    /// How many points Black's rating gained in the game.
    BlackRatingDiff,
    /// The day on which the game began in UTC.
    UtcDate,
    /// The time when the game began, in UTC.
    UtcTime,
    /// The year of the game.
    Year,
    /// The month of the game.
    Month,
    /// The day of the game in its month.
    Day,
    /// The name of the opening with the code in the tag `ECO`.
    EcoName,
    /// The ECO code of the opening by the moves.
    OpeningCode,
    /// The name of the opening by the moves.
    OpeningName,
    /// Whether the game is marked as deleted.
    Deleted,
    /// The number of half-moves of the main line.
    PlyCount,
    /// The moves of the main line, [two bytes each](crate::polyglot::ply()).
    Plies,
    /// The moves of the main line in SAN, with spaces between them.
    Moves,
    /// Like [`Column::Moves`], in the notation of UCI.
    Uci,
    /// The position at the end of the main line.
    FinalFen,
    /// The time on the clock after each half-move of the main line, in hundredths of a second.
    Clocks,
    /// The evaluation after each half-move of the main line, in hundredths of a pawn from White's side; 32,000 - `n` for a mate in
    /// `n` moves, negative if Black mates.
    Evals,
    /// The moves with variations, comments, glyphs and the result, in one line.
    Movetext,
    /// The game as PGN.
    Pgn,
    /// The path of the game's file.
    Path,
    /// The number of half-moves before the position of the row.
    Ply,
    /// [Polyglot's key](chessdb::board::Position::key) of the position as a signed number: bit 63 is the sign.
    Key,
    /// The move played in the position, named as in tables of moves.
    Move,
    /// The position, as FEN with the counters of the game.
    Fen,
    /// The position as [twelve sets of squares and a state](crate::table::Bitboards).
    Bitboards,
    /// The colour of the player that the games were searched for: `white` or `black`.
    Colour,
    /// The points of this player: 0, 0.5 or 1.
    Score,
    /// The tags outside the roster that have no column of the table, as in PGN. It has the names of those that have one.
    OtherTags(Option<Arc<BTreeSet<String>>>),
}

/// The meaning of a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A game.
    Games,
    /// A position of a game, which also has the columns of the game.
    Positions,
}

impl RowKind {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 2] = ["games", "positions"];

    /// The kind with a name.
    pub fn of_name(name: &str) -> Option<RowKind> {
        match name {
            "games" => Some(RowKind::Games),
            "positions" => Some(RowKind::Positions),
            _ => None,
        }
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A text that is often the same in several games.
    Text,
    /// A text that hardly two games have.
    LongText,
    /// Bytes.
    Bytes,
    /// True or false.
    Bool,
    /// A signed number of 8 bits.
    Int8,
    /// A signed number of 16 bits.
    Int16,
    /// A signed number of 32 bits.
    Int32,
    /// A signed number of 64 bits.
    Int64,
    /// A number with a fraction, of 64 bits.
    Double,
    /// A day: its number from 1970.
    Date,
    /// A time of day in milliseconds.
    Time,
    /// A list of signed numbers of 16 bits. Items may be unknown.
    Int16List,
    /// A list of signed numbers of 32 bits. Items may be unknown.
    Int32List,
    /// [`BITBOARDS`](crate::table::BITBOARDS) numbers of 64 bits without a sign.
    Bitboards,
}

/// A row of [`COLUMNS`]: the name of a column, the column, its type, and whether it can be unknown.
type NamedColumn = (&'static str, Column, ColumnType, bool);

/// The columns other than tags that are texts.
static COLUMNS: [NamedColumn; 33] = {
    use ColumnType::{
        Bitboards, Bool, Bytes, Date, Double, Int8, Int16, Int16List, Int32, Int32List, Int64, LongText,
        Text, Time,
    };
    [
        ("database", Column::Database, Text, false),
        ("number", Column::Number, Int32, false),
        ("WhiteElo", Column::WhiteElo, Int16, true),
        ("BlackElo", Column::BlackElo, Int16, true),
        ("WhiteRatingDiff", Column::WhiteRatingDiff, Int16, true),
        ("BlackRatingDiff", Column::BlackRatingDiff, Int16, true),
        ("UTCDate", Column::UtcDate, Date, true),
        ("UTCTime", Column::UtcTime, Time, true),
        ("year", Column::Year, Int16, true),
        ("month", Column::Month, Int8, true),
        ("day", Column::Day, Int8, true),
        ("eco_name", Column::EcoName, Text, true),
        ("opening_code", Column::OpeningCode, Text, true),
        ("opening_name", Column::OpeningName, Text, true),
        ("deleted", Column::Deleted, Bool, false),
        ("ply_count", Column::PlyCount, Int32, false),
        ("plies", Column::Plies, Bytes, false),
        ("moves", Column::Moves, LongText, false),
        ("uci", Column::Uci, LongText, false),
        ("final_fen", Column::FinalFen, LongText, true),
        ("clocks", Column::Clocks, Int32List, false),
        ("evals", Column::Evals, Int16List, false),
        ("movetext", Column::Movetext, LongText, false),
        ("pgn", Column::Pgn, LongText, false),
        ("path", Column::Path, LongText, false),
        ("ply", Column::Ply, Int32, false),
        ("key", Column::Key, Int64, false),
        ("move", Column::Move, Text, true),
        ("fen", Column::Fen, LongText, false),
        ("bitboards", Column::Bitboards, Bitboards, false),
        ("colour", Column::Colour, Text, true),
        ("score", Column::Score, Double, true),
        ("other_tags", Column::OtherTags(None), Text, true),
    ]
};

/// Prefix for the text of a tag that has the name of another column. No name of a tag can contain it.
pub const TAG: &str = "tag:";

impl Column {
    /// The column with a name in tables with such rows; `None` if they have no such column. A name with a capital first
    /// letter is a tag. Some tags are numbers, days or times; with `tag:` in front they are texts.
    pub(super) fn of(name: &str, rows: RowKind) -> Option<Column> {
        let mut columns = COLUMNS.iter().filter(|(_, column, ..)| column.is_in(rows));
        if let Some((_, column, ..)) = columns.find(|(own, ..)| *own == name) {
            return Some(column.clone());
        }
        let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase());
        let tag = name.strip_prefix(TAG).or(is_capital.then_some(name));
        tag.filter(|tag| is_tag(tag))
            .map(|tag| Column::Tag(TagName::new(tag)))
    }

    /// The name of the column; for a tag it starts with [`TAG`].
    pub(super) fn name(&self) -> String {
        match (self, self.row()) {
            (Column::Tag(tag), _) => format!("{TAG}{}", tag.as_str()),
            (_, row) => row.map_or_else(String::new, |(name, ..)| (*name).to_owned()),
        }
    }

    /// The column of the numbers in a tag; `None` for a tag that is text.
    pub(super) fn of_typed_tag(name: &str) -> Option<Column> {
        match name {
            "WhiteElo" => Some(Column::WhiteElo),
            "BlackElo" => Some(Column::BlackElo),
            "WhiteRatingDiff" => Some(Column::WhiteRatingDiff),
            "BlackRatingDiff" => Some(Column::BlackRatingDiff),
            "UTCDate" => Some(Column::UtcDate),
            "UTCTime" => Some(Column::UtcTime),
            _ => None,
        }
    }

    /// The names of the columns that are not named like tags, in tables with such rows.
    pub fn names<'a>(rows: RowKind) -> impl Iterator<Item = &'a str> + Clone {
        let columns = COLUMNS.iter().filter(move |(_, column, ..)| column.is_in(rows));
        let names = columns.map(|(name, ..)| *name);
        names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    }

    /// True if each position of a game has its own value, and the game itself has no value.
    pub(super) fn is_of_position(&self) -> bool {
        use Column as C;
        matches!(self, C::Ply | C::Key | C::Move | C::Fen | C::Bitboards)
    }

    /// True if only games of a player have a value.
    pub(super) fn is_of_player(&self) -> bool {
        matches!(self, Column::Colour | Column::Score)
    }

    /// The tag whose value it has.
    pub(super) fn tag(&self) -> Option<String> {
        match self {
            Column::Tag(tag) => Some(tag.as_str().to_owned()),
            column => Some(column.name()).filter(|_| column.is_of_tag()),
        }
    }

    fn is_in(&self, rows: RowKind) -> bool {
        rows == RowKind::Positions || !self.is_of_position()
    }

    /// True if the column has a value of a tag.
    pub(super) fn is_of_tag(&self) -> bool {
        match self {
            Column::Tag(_) => true,
            column => Column::of_typed_tag(&column.name()).is_some(),
        }
    }

    /// Its type.
    pub fn kind(&self) -> ColumnType {
        self.row().map_or(ColumnType::Text, |(_, _, kind, _)| *kind)
    }

    /// True if it is unknown for some games.
    pub fn is_nullable(&self) -> bool {
        self.row().is_none_or(|(.., is_nullable)| *is_nullable)
    }

    fn row(&self) -> Option<&'static NamedColumn> {
        let kind = discriminant(self);
        COLUMNS
            .iter()
            .find(|(_, column, ..)| discriminant(column) == kind)
    }
}

/// True if PGN allows a tag of this name.
pub fn is_tag(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with('_') && !name.is_empty() && name.chars().all(is_allowed)
}
