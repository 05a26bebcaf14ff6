//! The fields of the language.

use crate::similar::similar;

/// A field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum QueryField {
    Player,
    White,
    Black,
    Opponent,
    Event,
    Site,
    Annotator,
    Source,
    Team,
    Round,
    Tag,
    Has,
    Date,
    Year,
    Elo,
    WhiteElo,
    BlackElo,
    OpponentElo,
    EloDiff,
    Eco,
    Opening,
    Result,
    Moves,
    Deleted,
    Db,
    Text,
    Line,
    Fen,
    Board,
    Pawns,
    Material,
    Diff,
    Played,
    By,
    Ply,
    For,
    Mirror,
}

/// The names of all fields in the order of the documentation, each with a few words about its values.
const FIELDS: [(&str, QueryField, &str); 37] = [
    ("player", QueryField::Player, "words of White's or Black's name"),
    ("white", QueryField::White, "words of White's name"),
    ("black", QueryField::Black, "words of Black's name"),
    (
        "opponent",
        QueryField::Opponent,
        "words of the name of the player's opponent",
    ),
    ("event", QueryField::Event, "words of the event"),
    ("site", QueryField::Site, "words of the site"),
    (
        "annotator",
        QueryField::Annotator,
        "words of the annotator's name",
    ),
    ("source", QueryField::Source, "words of the source"),
    ("team", QueryField::Team, "words of the name of either team"),
    (
        "round",
        QueryField::Round,
        "a round or its first part, or a range",
    ),
    ("tag", QueryField::Tag, "NAME=words of any other tag"),
    (
        "has",
        QueryField::Has,
        "a tag, or comments, variations, fen, chess960, clock",
    ),
    ("date", QueryField::Date, "1985, 1985.11, 1985.11.09 or a range"),
    ("year", QueryField::Year, "1985 or a range"),
    ("elo", QueryField::Elo, "both ratings, or the player's"),
    ("white_elo", QueryField::WhiteElo, "White's rating"),
    ("black_elo", QueryField::BlackElo, "Black's rating"),
    (
        "opponent_elo",
        QueryField::OpponentElo,
        "the rating of the player's opponent",
    ),
    ("elo_diff", QueryField::EloDiff, "White's rating minus Black's"),
    ("eco", QueryField::Eco, "the beginning of a code, or a range"),
    ("opening", QueryField::Opening, "words of the opening's name"),
    (
        "result",
        QueryField::Result,
        "1-0, 0-1, draw, *, and with player: win, loss",
    ),
    ("moves", QueryField::Moves, "number of moves"),
    ("deleted", QueryField::Deleted, "yes, no or any"),
    ("db", QueryField::Db, "a pattern of databases"),
    ("text", QueryField::Text, "words of a comment"),
    ("line", QueryField::Line, "the position after these moves"),
    ("fen", QueryField::Fen, "a position"),
    ("board", QueryField::Board, "a partial position"),
    ("pawns", QueryField::Pawns, "a structure of pawns"),
    ("material", QueryField::Material, "all pieces, such as KRPkr"),
    ("diff", QueryField::Diff, "White's material minus Black's"),
    ("played", QueryField::Played, "a move played in the position"),
    (
        "by",
        QueryField::By,
        "the side to move: white, black, player, opponent",
    ),
    ("ply", QueryField::Ply, "half-moves played before the position"),
    (
        "for",
        QueryField::For,
        "at least this many consecutive half-moves",
    ),
    ("mirror", QueryField::Mirror, "colour, side or both"),
];

/// The names of all fields, each with a few words about its values.
pub fn fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS.iter().map(|(name, _, about)| (*name, *about))
}

impl QueryField {
    pub(super) fn of_name(name: &str) -> Option<QueryField> {
        let row = FIELDS.iter().find(|(own, ..)| *own == name);
        row.map(|(_, field, _)| *field)
    }

    pub(super) fn name(self) -> &'static str {
        let row = FIELDS.iter().find(|(_, field, _)| *field == self);
        row.map_or("", |(name, ..)| name)
    }

    /// A term of the field, such as `year:1985`.
    pub(super) fn example(self) -> &'static str {
        match self {
            QueryField::Player => "player:tal",
            QueryField::White => "white:tal",
            QueryField::Black => "black:tal",
            QueryField::Opponent => "opponent:tal",
            QueryField::Event => "event:linares",
            QueryField::Site => "site:moscow",
            QueryField::Annotator => "annotator:tal",
            QueryField::Source => "source:mega",
            QueryField::Team => "team:riga",
            QueryField::Round => "round:1",
            QueryField::Tag => "tag:TimeControl=180",
            QueryField::Has => "has:comments",
            QueryField::Date => "date:1985.11",
            QueryField::Year => "year:1985",
            QueryField::Elo => "elo:2500..",
            QueryField::WhiteElo => "white_elo:2500..",
            QueryField::BlackElo => "black_elo:2500..",
            QueryField::OpponentElo => "opponent_elo:2500..",
            QueryField::EloDiff => "elo_diff:200..",
            QueryField::Eco => "eco:B90",
            QueryField::Opening => "opening:najdorf",
            QueryField::Result => "result:1-0",
            QueryField::Moves => "moves:..20",
            QueryField::Deleted => "deleted:any",
            QueryField::Db => "db:*.pgn",
            QueryField::Text => "text:novelty",
            QueryField::Line => "line:e4,c5,Nf3",
            QueryField::Fen => "fen:8/8/4k3/8/r7/4P3/4K3/7R",
            QueryField::Board => "board:8/8/8/4N3/8/8/8/8",
            QueryField::Pawns => "pawns:8/8/8/3p4/3P4/8/8/8",
            QueryField::Material => "material:KRPkr",
            QueryField::Diff => "diff:3..",
            QueryField::Played => "played:O-O",
            QueryField::By => "by:white",
            QueryField::Ply => "ply:..20",
            QueryField::For => "for:4",
            QueryField::Mirror => "mirror:colour",
        }
    }

    /// True for a field that asks for positions.
    pub(super) fn is_of_positions(self) -> bool {
        self >= QueryField::Line
    }

    /// True for a field whose values are words of a text.
    pub(super) fn is_of_words(self) -> bool {
        self <= QueryField::Team || matches!(self, QueryField::Tag | QueryField::Opening)
    }
}

/// The name of the field that is probably meant by an unknown one.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    similar(name, fields().map(|(field, _)| field)).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_order() {
        assert!(FIELDS.is_sorted_by(|(_, a, _), (_, b, _)| a < b));
    }

    #[test]
    fn a_similar_field_is_named() {
        for (name, meant) in [
            ("playr", "player"),
            ("Player", "player"),
            ("whiteelo", "white_elo"),
            ("yaer", "year"),
        ] {
            assert_eq!(nearest(name), Some(meant), "{name}");
        }
        assert_eq!(nearest("xyz"), None);
    }

    #[test]
    fn every_field_has_an_example() {
        for (name, field, _) in FIELDS {
            assert!(field.example().starts_with(&format!("{name}:")), "{name}");
        }
    }
}
