//! The fields of the language.

use super::question::TagQuestion;
use super::sides::{BOTH, Sides, both, each};
use super::value::TagSource::{Game, Keys, Tags};
use super::value::{TagSource, ValueKind};
use super::written_positions::WrittenPositions;
use super::{Bounds, PawnKind, PositionGroup, PositionTerm, TermError};
use crate::similar::nearest;
use chessdb::board::Color;

/// A field of a query: a row of [`FIELDS`].
#[derive(Debug)]
pub(super) struct QueryField {
    /// Its name, as in `year:1985`.
    pub(super) name: &'static str,
    /// A few words about its values.
    about: &'static str,
    /// A value, for errors.
    example: &'static str,
    pub(super) subject: FieldSubject,
}

/// The subject of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldSubject {
    Tag(TagField),
    /// A position, or the move that is played in it: reads a value, which may come from the name of a directory.
    Position(fn(&str, bool) -> Result<Vec<PositionTerm>, String>),
    /// A number that every position has: makes a term from the alternatives of its value.
    Number(fn(Vec<Bounds>) -> PositionGroup),
    /// A setting for other terms, not a term itself. Reads a value and returns its canonical text.
    Setting(fn(&mut WrittenPositions, &str) -> Result<String, String>),
}

/// A field about tags, or about anything else of a game apart from its main line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagField {
    pub(super) kind: ValueKind,
    /// The least that has to be read from a game, for any value of the field.
    pub(super) source: TagSource,
    /// It is about the opponent of the player whom a query names.
    pub(super) is_of_opponent: bool,
    /// The sides for which the term holds, each tested as the player.
    pub(super) holds: fn(&TagQuestion<'_>) -> Sides,
}

/// The field of a term that is a word alone.
pub(super) static WORD: QueryField = {
    let (about, example) = ("a word of White's or Black's name or of the event", "tal");
    tag("", about, example, ValueKind::Words, Keys, |asked| {
        both(asked.word())
    })
};

/// All fields, in the order of the documentation and of the canonical form.
#[rustfmt::skip]
pub(super) static FIELDS: [QueryField; 61] = {
    use ValueKind as K;
    [
        tag("player", "words of White's or Black's name", "tal", K::Player, Keys, |asked| asked.player()),
        tag("white", "words of White's name", "tal", K::Player, Keys, |asked| both(asked.name(asked.game.keys.white))),
        tag("black", "words of Black's name", "tal", K::Player, Keys, |asked| both(asked.name(asked.game.keys.black))),
        tag("opponent", "words of the name of the player's opponent", "tal", K::Player, Keys, |asked| {
            let keys = &asked.game.keys;
            each(asked.name(keys.black), asked.name(keys.white))
        })
        .of_opponent(),
        tag("event", "words of the event", "linares", K::Event, Keys, |asked| both(asked.text_of(asked.game.keys.event))),
        tag("site", "words of the site", "moscow", K::Text, Tags, |asked| both(asked.site())),
        tag("annotator", "words of the annotator's name", "tal", K::Text, Tags, |asked| both(asked.tag("Annotator"))),
        tag("source", "words of the source", "mega", K::Text, Tags, |asked| both(asked.tags(&["Source", "SourceTitle"]))),
        tag("team", "words of the name of either team", "riga", K::Text, Tags, |asked| {
            both(asked.tag("WhiteTeam") || asked.tag("BlackTeam"))
        }),
        tag("round", "a round or its first part, or a range", "1", K::Round, Tags, |asked| both(asked.round())),
        tag("tag", "NAME=words of any other tag", "TimeControl=180", K::Text, Tags, |asked| both(asked.named_tag())),
        tag("has", "a tag, or comments, variations, fen, chess960, clock", "comments", K::Part, Tags, |asked| both(asked.part())),
        tag("date", "1985, 1985.11, 1985.11.09 or a range", "1985.11", K::Days, Keys, |asked| both(asked.date())),
        tag("month", "1 to 12 or a range", "11", K::Month, Keys, |asked| both(asked.month())),
        tag("year", "1985 or a range", "1985", K::Days, Keys, |asked| both(asked.date())),
        tag("elo", "both ratings, or the player's", "2500..", K::Rating, Tags, |asked| asked.ratings()),
        tag("white_elo", "White's rating", "2500..", K::Rating, Tags, |asked| both(asked.number(asked.game.ratings().white))),
        tag("black_elo", "Black's rating", "2500..", K::Rating, Tags, |asked| both(asked.number(asked.game.ratings().black))),
        tag("opponent_elo", "the rating of the player's opponent", "2500..", K::Rating, Tags, |asked| {
            let ratings = asked.game.ratings();
            each(asked.number(ratings.black), asked.number(ratings.white))
        })
        .of_opponent(),
        tag("elo_diff", "White's rating minus Black's", "200..", K::Rating, Tags, |asked| asked.difference()),
        tag("eco", "the beginning of a code, or a range", "B90", K::Code, Tags, |asked| both(asked.code())),
        tag("opening", "words of the opening's name", "najdorf", K::Text, Tags, |asked| both(asked.opening())),
        tag("result", "1-0, 0-1, draw, *, and with player: win, loss", "1-0", K::Result, Keys, |asked| asked.result()),
        tag("speed", "bullet, blitz, rapid, classical or correspondence", "blitz", K::Speed, Tags, |asked| both(asked.speed())),
        tag("moves", "number of moves", "..20", K::Count, Game, |asked| both(asked.number(Some(asked.game.moves())))),
        tag("deleted", "yes, no or any", "any", K::Deleted, Keys, |asked| both(asked.deleted())),
        // Tested on databases, not on games.
        tag("db", "a pattern of databases", "*.pgn", K::Database, Keys, |_| BOTH),
        tag("text", "words of a comment", "novelty", K::Words, Game, |asked| both(asked.comment())),
        position("line", "the position after these moves", "e4,c5,Nf3", |text, _| one(PositionTerm::line(text))),
        position("fen", "a position", "8/8/4k3/8/r7/4P3/4K3/7R", fens),
        position("board", "a partial position", "8/8/8/4N3/8/8/8/8", |text, is_name| {
            one(PositionTerm::board(&with_slashes(text, is_name)))
        }),
        position("pawns", "a structure of pawns", "8/8/8/3p4/3P4/8/8/8", |text, is_name| {
            one(PositionTerm::pawns(&with_slashes(text, is_name)))
        }),
        position("material", "all pieces, such as KRPkr", "KRPkr", |text, _| one(PositionTerm::material(text))),
        number("diff", "White's material minus Black's", "3..", |bounds| PositionGroup {
            terms: vec![bounds.into_iter().map(PositionTerm::diff).collect()],
            ..PositionGroup::default()
        }),
        number("lead", "the player's material minus the opponent's", "1..", |bounds| PositionGroup {
            terms: vec![bounds.into_iter().map(PositionTerm::lead).collect()],
            ..PositionGroup::default()
        }),
        position("imbalance", "pieces of one side for pieces of the other", "RvBN", |text, _| {
            PositionTerm::imbalance(text).map_err(|error| error.to_string())
        }),
        number("white_pawns", "number of White's pawns", "1..", |bounds| pawns(PawnKind::Any, Color::White, bounds)),
        number("black_pawns", "number of Black's pawns", "1..", |bounds| pawns(PawnKind::Any, Color::Black, bounds)),
        number("white_passed", "number of White's passed pawns", "1..", |bounds| pawns(PawnKind::Passed, Color::White, bounds)),
        number("black_passed", "number of Black's passed pawns", "1..", |bounds| pawns(PawnKind::Passed, Color::Black, bounds)),
        number("white_isolated", "number of White's isolated pawns", "1..", |bounds| pawns(PawnKind::Isolated, Color::White, bounds)),
        number("black_isolated", "number of Black's isolated pawns", "1..", |bounds| pawns(PawnKind::Isolated, Color::Black, bounds)),
        number("white_doubled", "number of White's doubled pawns", "1..", |bounds| pawns(PawnKind::Doubled, Color::White, bounds)),
        number("black_doubled", "number of Black's doubled pawns", "1..", |bounds| pawns(PawnKind::Doubled, Color::Black, bounds)),
        position("bishops", "one bishop each, on squares of the same or of opposite colours", "opposite", |text, _| {
            one(PositionTerm::bishops(text))
        }),
        position("is", "the side to move is in check, mate or stalemate", "check", |text, _| one(PositionTerm::state(text))),
        position("played", "a move played in the position", "O-O", |text, _| one(PositionTerm::played(text))),
        position("sacrifice", "the move that is played gives up so much", "3..", |text, _| one(PositionTerm::sacrifice(text))),
        position("repertoire", "the databases whose moves the side to move plays", "white.pgn", |text, is_name| {
            one(PositionTerm::repertoire(text, is_name))
        }),
        position("left", "the databases that the game leaves with the move that is played", "white.pgn", |text, is_name| {
            one(PositionTerm::left(text, is_name))
        }),
        position("nag", "a glyph of the move that is played: its sign or number", "!!", |text, is_name| {
            one(PositionTerm::nag(&with_slashes(text, is_name)))
        }),
        position("comment", "words of a comment on the move that is played", "novelty", |text, _| one(PositionTerm::comment(text))),
        number("clock", "seconds left after the move that is played", "..30", |bounds| PositionGroup {
            terms: vec![bounds.into_iter().map(PositionTerm::clock).collect()],
            ..PositionGroup::default()
        }),
        number("spent", "seconds spent on the move that is played", "60..", |bounds| PositionGroup {
            terms: vec![bounds.into_iter().map(PositionTerm::spent).collect()],
            ..PositionGroup::default()
        }),
        position("eval", "evaluation in pawns from White's side", "2..", |text, _| one(PositionTerm::evaluation(text))),
        setting("by", "the side to move: white, black, player, opponent", "white", WrittenPositions::set_mover),
        number("ply", "half-moves played before the position", "..20", |bounds| PositionGroup {
            ply: vec![bounds],
            ..PositionGroup::default()
        }),
        setting("for", "at least this many consecutive half-moves", "4", WrittenPositions::set_plies),
        setting("within", "at most this many half-moves after the group before", "4", WrittenPositions::set_distance),
        setting("mirror", "colour, side or both", "colour", WrittenPositions::set_mirror),
        setting("in", "variations: positions of variations count, too", "variations", WrittenPositions::set_lines),
    ]
};

/// The names of all fields, each with a few words about its values.
pub fn fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS.iter().map(|field| (field.name, field.about))
}

impl QueryField {
    pub(super) fn of_name(name: &str) -> Option<&'static QueryField> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// The same field, about the opponent of the player whom a query names.
    const fn of_opponent(mut self) -> QueryField {
        if let FieldSubject::Tag(tag) = &mut self.subject {
            tag.is_of_opponent = true;
        }
        self
    }

    /// The field that was probably meant by an unknown name.
    pub(super) fn nearest_name(name: &str) -> Option<&'static str> {
        nearest(name, FIELDS.iter().map(|field| field.name))
    }

    /// True for the field with this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// True if its values may have the signs `?` and `=`.
    pub(super) fn has_signs(&self) -> bool {
        self.name == "nag"
    }

    /// True if it is about the whole query, and not about a side of a choice.
    pub(super) fn is_of_whole_query(&self) -> bool {
        ["deleted", "mirror", "in"].contains(&self.name)
    }

    /// Its place in the canonical form; `None` for a single word, which comes first.
    pub(super) fn place(&self) -> Option<usize> {
        FIELDS.iter().position(|field| field == self)
    }

    /// A term of the field, such as `year:1985`.
    pub(super) fn term(&self) -> String {
        format!("{}:{}", self.name, self.example)
    }

    /// The example of a value that errors show.
    pub(super) fn example(&self) -> &'static str {
        self.example
    }

    /// The field, if it is about tags; `None` if it is about positions.
    pub(super) fn tags(&self) -> Option<&TagField> {
        match &self.subject {
            FieldSubject::Tag(tag) => Some(tag),
            _ => None,
        }
    }

    /// The kind of its values, if it is about tags.
    pub(super) fn kind(&self) -> Option<ValueKind> {
        self.tags().map(|tag| tag.kind)
    }
}

impl PartialEq for QueryField {
    fn eq(&self, other: &QueryField) -> bool {
        self.name == other.name
    }
}

impl Eq for QueryField {}

const fn tag(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    kind: ValueKind,
    source: TagSource,
    holds: fn(&TagQuestion<'_>) -> Sides,
) -> QueryField {
    let tag = TagField {
        kind,
        source,
        is_of_opponent: false,
        holds,
    };
    field(name, about, example, FieldSubject::Tag(tag))
}

const fn position(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    read: fn(&str, bool) -> Result<Vec<PositionTerm>, String>,
) -> QueryField {
    field(name, about, example, FieldSubject::Position(read))
}

const fn number(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    term: fn(Vec<Bounds>) -> PositionGroup,
) -> QueryField {
    field(name, about, example, FieldSubject::Number(term))
}

const fn setting(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    set: fn(&mut WrittenPositions, &str) -> Result<String, String>,
) -> QueryField {
    field(name, about, example, FieldSubject::Setting(set))
}

const fn field(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    subject: FieldSubject,
) -> QueryField {
    QueryField {
        name,
        about,
        example,
        subject,
    }
}

/// The term for a number of pawns.
fn pawns(kind: PawnKind, color: Color, bounds: Vec<Bounds>) -> PositionGroup {
    let terms = bounds
        .into_iter()
        .map(|bounds| PositionTerm::pawn_count(kind, color, bounds));
    PositionGroup {
        terms: vec![terms.collect()],
        ..PositionGroup::default()
    }
}

fn one(term: Result<PositionTerm, TermError>) -> Result<Vec<PositionTerm>, String> {
    term.map(|term| vec![term]).map_err(|error| error.to_string())
}

/// A board as FEN has it; the name of a directory has `_` for slashes.
fn with_slashes(text: &str, is_name: bool) -> String {
    if is_name {
        text.replace('_', "/")
    } else {
        text.to_owned()
    }
}

fn fens(text: &str, is_name: bool) -> Result<Vec<PositionTerm>, String> {
    let mut terms = PositionTerm::fens(text);
    // In the name of a directory, the first seven underscores are the slashes between the eight ranks. Later ones are
    // the spaces between fields.
    if terms.is_err() && is_name && text.matches('_').count() >= 7 {
        terms = PositionTerm::fens(&text.replacen('_', "/", 7));
    }
    terms.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_field_is_named() {
        for (name, meant) in [
            ("playr", "player"),
            ("Player", "player"),
            ("whiteelo", "white_elo"),
            ("yaer", "year"),
        ] {
            assert_eq!(QueryField::nearest_name(name), Some(meant), "{name}");
        }
        assert_eq!(QueryField::nearest_name("xyz"), None);
    }

    #[test]
    fn every_field_has_a_name_of_its_own() {
        for (place, field) in FIELDS.iter().enumerate() {
            assert_eq!(field.place(), Some(place), "{}", field.name);
        }
    }
}
