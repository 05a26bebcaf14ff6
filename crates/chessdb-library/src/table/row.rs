//! A game as a row.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::column::Column;
use super::moves::RowMoves;
use super::value::{Value, known, tag_value, typed_value};
use crate::annotations::LineAnnotations;
use crate::library::{LibraryEntry, REMARK, append_game_path, append_text, digits};
use crate::openings::{OpeningName, opening};
use crate::positions::Facts;
use crate::spelling::Names;
use chessdb::Database;
use chessdb::board::{Color, Position};
use chessdb::game::{ROSTER, Tags};
use chessdb::pgn;

/// The game of a row, and data for its path.
#[derive(Clone, Copy)]
pub struct GamePath<'a> {
    /// The path of the database's directory, for a table of several databases.
    pub database: &'a str,
    /// The directory at the start of the game's path; empty if the path starts in the database's own directory.
    pub folder: &'a str,
    /// The game.
    pub game: u32,
    /// Number of digits in the numbers of games.
    pub digits: usize,
}

impl<'a> GamePath<'a> {
    /// A game of a database, with its path below the source.
    pub fn of(entry: &'a LibraryEntry, game: u32) -> GamePath<'a> {
        GamePath {
            database: entry.name(),
            folder: &entry.path,
            game,
            digits: digits(entry.database.len()),
        }
    }

    /// The game's path.
    pub fn path(&self) -> String {
        let mut path = String::with_capacity(self.folder.len() + 64);
        if !self.folder.is_empty() {
            path.push_str(self.folder);
            path.push('/');
        }
        append_game_path(&mut path, self.game, self.digits);
        path
    }
}

/// A row of a table.
pub trait TableRow {
    /// The value in a column, the one at place `n` of the table; `None` if the value is unknown.
    fn field(&self, n: usize, column: &Column) -> Option<Value<'_>>;
}

/// A game as a row.
pub struct GameRow<'a> {
    entry: &'a LibraryEntry,
    place: GamePath<'a>,
    names: Option<&'a Names>,
    player: Option<Color>,
    tags: OnceCell<Tags>,
    moves: OnceCell<RowMoves>,
    opening: OnceCell<Option<OpeningName>>,
    annotations: OnceCell<LineAnnotations>,
}

impl<'a> GameRow<'a> {
    /// A game. Its tags and moves are read when they are first needed.
    pub fn new(entry: &'a LibraryEntry, place: GamePath<'a>) -> GameRow<'a> {
        GameRow {
            entry,
            place,
            names: None,
            player: None,
            tags: OnceCell::new(),
            moves: OnceCell::new(),
            opening: OnceCell::new(),
            annotations: OnceCell::new(),
        }
    }

    /// With the names that are shown for players.
    pub fn with_names(mut self, names: Option<&'a Names>) -> GameRow<'a> {
        self.names = names;
        self
    }

    /// With the side of the player that the games were searched for.
    pub fn with_player(mut self, player: Option<Color>) -> GameRow<'a> {
        self.player = player;
        self
    }

    /// True if the moves of the game start from a set-up position, or the game is one of Chess960. A game whose
    /// set-up cannot be played has no moves.
    pub fn is_set_up(&self) -> bool {
        let tags = self.tags();
        let start = tags.start();
        start.is_some_and(|start| start.position != Position::initial() || tags.is_chess960())
    }

    /// The opening by the moves.
    fn opening(&self) -> Option<OpeningName> {
        let of_game = || OpeningName::of_game(self.database(), self.place.game);
        *self.opening.get_or_init(of_game)
    }

    /// Its database.
    pub(super) fn database(&self) -> &'a dyn Database {
        &*self.entry.database
    }

    /// Its number in the database, from 0.
    pub(super) fn game(&self) -> u32 {
        self.place.game
    }

    /// The value in a column; `None` if it is unknown, or if only positions have the column.
    pub fn value(&self, column: &Column) -> Option<Value<'_>> {
        let (database, game) = (&*self.entry.database, self.place.game);
        let date = || database.keys(game).date;
        let tag = |name| typed_value(column, self.tags().get(name)?);
        match column {
            Column::Database => Some(Value::Text(self.place.database.into())),
            Column::Number => Some(Value::Number(i64::from(game) + 1)),
            Column::Path => Some(Value::Text(self.place.path().into())),
            Column::Tag(tag) => self.tags().find(tag).and_then(known).map(Value::Text),
            Column::WhiteElo => tag("WhiteElo"),
            Column::BlackElo => tag("BlackElo"),
            Column::WhiteRatingDiff => tag("WhiteRatingDiff"),
            Column::BlackRatingDiff => tag("BlackRatingDiff"),
            Column::UtcDate => tag("UTCDate"),
            Column::UtcTime => tag("UTCTime"),
            Column::Year => part(date().year),
            Column::Month => part(date().month),
            Column::Day => part(date().day),
            Column::EcoName => {
                let code = self.tags().get("ECO")?.trim().to_ascii_uppercase();
                Some(Value::Text(opening(&code)?.into()))
            }
            Column::OpeningCode => Some(Value::Text(self.opening()?.eco.into())),
            Column::OpeningName => Some(Value::Text(self.opening()?.name.into())),
            Column::Deleted => Some(Value::Bool(database.keys(game).deleted)),
            Column::PlyCount => Some(Value::Number(self.moves().plies() as i64)),
            Column::Plies => Some(Value::Bytes(self.moves().packed())),
            Column::Moves => Some(Value::Text(self.moves().san().into())),
            Column::Uci => Some(Value::Text(self.moves().uci().into())),
            Column::FinalFen => self.moves().final_fen().map(|fen| Value::Text(fen.into())),
            Column::Clocks => Some(Value::List(self.annotations().clocks())),
            Column::Evals => Some(Value::List(self.annotations().evaluations())),
            Column::Movetext => Some(Value::Text(movetext(database, game).into())),
            Column::Pgn => {
                let mut text = Vec::new();
                append_text(&mut text, self.entry, game);
                Some(Value::Text(text_of_bytes(text).into()))
            }
            Column::Colour => {
                let name = self.player?.fold_wb("white", "black");
                Some(Value::Text(name.into()))
            }
            Column::Score => {
                let outcome = Facts::of(database, game).outcome();
                Some(Value::Halves(outcome.halves(self.player?)?))
            }
            Column::OtherTags(own) => self.other_tags(own.as_deref()),
            // Only positions have these.
            Column::Ply | Column::Key | Column::Move | Column::Fen | Column::Bitboards => None,
        }
    }

    /// The tags outside the roster without these, with spaces between them.
    fn other_tags(&self, own: Option<&BTreeSet<String>>) -> Option<Value<'_>> {
        let is_own = |name: &str| own.is_some_and(|own| own.contains(name));
        let mut text = String::new();
        for (name, value) in self.tags().iter().skip(ROSTER.len()) {
            let Some(value) = known(value).filter(|_| !is_own(name)) else {
                continue;
            };
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            let blank = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{blank}[{name} \"{escaped}\"]"));
        }
        (!text.is_empty()).then(|| Value::Text(text.into()))
    }

    /// The value of a tag; `None` if it is unknown.
    pub fn tag(&self, name: &str) -> Option<Cow<'_, str>> {
        self.tags().get(name).and_then(known)
    }

    pub(super) fn tags(&self) -> &Tags {
        self.tags.get_or_init(|| {
            let mut tags = self.entry.database.tags(self.place.game);
            respell_players(&mut tags, self.names);
            tags
        })
    }

    fn moves(&self) -> &RowMoves {
        self.moves
            .get_or_init(|| RowMoves::of(&*self.entry.database, self.place.game, self.tags()))
    }

    fn annotations(&self) -> &LineAnnotations {
        self.annotations
            .get_or_init(|| LineAnnotations::of(&*self.entry.database, self.place.game))
    }
}

impl TableRow for GameRow<'_> {
    fn field(&self, _n: usize, column: &Column) -> Option<Value<'_>> {
        self.value(column)
    }
}

/// A part of a date; `None` if it is unknown.
fn part<'a>(number: impl Into<i64>) -> Option<Value<'a>> {
    Some(number.into())
        .filter(|number| *number != 0)
        .map(Value::Number)
}

/// The movetext of a game in one line.
fn movetext(database: &dyn Database, game: u32) -> String {
    let mut text = Vec::new();
    pgn::append_movetext_with(&mut text, &database.game(game).game, REMARK);
    let end = text.trim_ascii_end().len();
    text.truncate(end);
    for byte in text.iter_mut().filter(|byte| byte.is_ascii_control()) {
        *byte = b' ';
    }
    text_of_bytes(text)
}

/// Bytes as text; bytes that are not UTF-8 become U+FFFD.
fn text_of_bytes(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
}

/// Replaces the names of players by the names that are shown.
pub fn respell_players(tags: &mut Tags, names: Option<&Names>) {
    let Some(names) = names else { return };
    for color in ["White", "Black"] {
        if let Some(shown) = tags.get(color).and_then(|stored| names.other(stored)) {
            tags.set_str(color, shown);
        }
    }
}

/// The names of tags outside the roster with known values.
pub fn further_tags(tags: &Tags) -> impl Iterator<Item = &str> {
    let further = tags.iter().skip(ROSTER.len());
    further.filter_map(|(name, value)| tag_value(name, value).map(|_| name))
}
