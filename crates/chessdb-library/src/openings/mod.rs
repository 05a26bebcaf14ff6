//! Names of openings, by position and by ECO code.
//!
//! `names.tsv` has 3,807 names, each with its code and the moves that lead to it: the table of
//! <https://github.com/lichess-org/chess-openings> at 51b8862, which is in the public domain (CC0).

mod codes;
mod game;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use codes::opening;
pub use game::code_of;

use chessdb::board::{EnPassantMode, Move, Position, Undo};

/// The table.
static NAMES: &str = include_str!("names.tsv");

/// The name of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningName {
    /// Its code, from `A00` to `E99`.
    pub eco: &'static str,
    /// Its name, such as `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
    /// Its place in the table, from 0.
    pub(crate) number: u16,
}

/// The openings by the keys of their positions. No two keys are the same (tested).
static BY_KEY: LazyLock<HashMap<u64, OpeningName>> = LazyLock::new(|| {
    let keyed = rows().filter_map(|(opening, moves)| Some((key(&position_after(moves)?), opening)));
    keyed.collect()
});

/// The rows of the table: the openings with their moves.
fn rows() -> impl Iterator<Item = (OpeningName, &'static str)> {
    NAMES.lines().zip(0..).filter_map(|(line, number)| {
        let mut columns = line.split('\t');
        let (eco, name) = (columns.next()?, columns.next()?);
        Some((OpeningName { eco, name, number }, columns.next()?))
    })
}

/// Words in the names of openings, each with another way to write or to call it.
const OTHER_NAMES: [(&str, &str); 16] = [
    ("Ruy Lopez", "Spanish Game"),
    ("Ruy Lopez", "Spanish Opening"),
    ("Petrov", "Petroff"),
    ("Petrov", "Russian Game"),
    ("Petroff", "Russian Game"),
    ("Scandinavian Defense", "Center Counter"),
    ("Scandinavian Defense", "Centre Counter"),
    ("Alekhine", "Aljechin"),
    ("Philidor", "Philidor's"),
    ("Bird", "Bird's"),
    ("Nimzo-Larsen", "Nimzowitsch-Larsen"),
    ("Nimzo-Indian", "Nimzoindian"),
    ("Réti", "Zukertort Opening"),
    ("Two Knights Defense", "Prussian Game"),
    ("Defense", "Defence"),
    ("Center", "Centre"),
];

/// The name of an opening, which may come from a tag, with its other names, and without apostrophes, which people often
/// leave out.
pub(crate) fn with_other_names(name: &str) -> String {
    let mut all = name.to_owned();
    for (one, other) in OTHER_NAMES {
        for (from, to) in [(one, other), (other, one)] {
            if all.contains(from) && !all.contains(to) {
                all = all + " " + to;
            }
        }
    }
    if all.contains('\'') {
        format!("{all} {}", all.replace('\'', ""))
    } else {
        all
    }
}

/// The names in both tables.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    OpeningName::all()
        .map(|opening| opening.name)
        .chain(codes::names())
}

impl OpeningName {
    /// All openings that have a name, by their codes. Several may have one name.
    pub fn all() -> impl Iterator<Item = OpeningName> {
        rows().map(|(opening, _)| opening)
    }

    /// The opening that a position has, whatever moves lead to it.
    ///
    /// ```
    /// use chessdb_library::openings::OpeningName;
    /// use chessdb::board::Fen;
    ///
    /// let fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    /// let opening = OpeningName::of(&Fen::parse(fen).unwrap().position).unwrap();
    /// assert_eq!((opening.eco, opening.name), ("B27", "Sicilian Defense"));
    /// ```
    pub fn of(position: &Position) -> Option<OpeningName> {
        // All are reached within 36 half-moves, and few pieces are taken until then.
        BY_KEY.get(&key(position)).copied()
    }
}

fn key(position: &Position) -> u64 {
    position.key_with(EnPassantMode::Legal)
}

/// The position after moves with their numbers, as in PGN.
fn position_after(moves: &str) -> Option<Position> {
    let mut position = Position::initial();
    let words = moves.split(' ').filter(|word| !word.ends_with('.'));
    for word in words {
        let mv: Move = position.read_move(word).ok()?;
        position.advance(mv, &mut Undo::default()).ok()?;
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_one_opening() {
        let lines: Vec<&str> = NAMES.lines().collect();
        assert_eq!(OpeningName::all().count(), lines.len());
        for line in &lines {
            let moves = line.rsplit('\t').next().unwrap();
            let position = position_after(moves).unwrap_or_else(|| panic!("{line}"));
            let opening = OpeningName::of(&position).unwrap();
            assert_eq!(*line, format!("{}\t{}\t{moves}", opening.eco, opening.name));
        }
        assert_eq!(BY_KEY.len(), lines.len());
    }

    #[test]
    fn other_names_are_found_in_both_directions() {
        let has = |name: &str, words: &[&str]| {
            let all = with_other_names(name);
            words.iter().all(|word| all.split(' ').any(|own| own == *word))
        };
        for (name, words) in [
            ("Sicilian Defence", &["Sicilian", "Defense"]),
            ("Sicilian Defense", &["Sicilian", "Defence"]),
            ("Petroff Defence", &["Petrov", "Russian", "Defense"]),
            ("Russian Game", &["Petrov", "Petroff"]),
            ("Petrov's Defense", &["Petroff", "Russian"]),
            ("Spanish Game", &["Ruy", "Lopez"]),
            ("Ruy Lopez: Closed", &["Spanish", "Game"]),
            ("Centre Game", &["Center", "Game"]),
            ("Centre Counter", &["Scandinavian", "Center"]),
            ("Aljechin", &["Alekhine"]),
        ] as [(&str, &[&str]); 10]
        {
            assert!(has(name, words), "{name}: {}", with_other_names(name));
        }
        assert!(!has("Four Knights Game: Spanish Variation", &["Ruy"]));
        assert_eq!(with_other_names("English Opening"), "English Opening");
    }

    #[test]
    fn transpositions_have_one_name() {
        let after = |moves| OpeningName::of(&position_after(moves).unwrap());
        let found = after("1. d4 d5 2. c4 e6").unwrap();
        assert_eq!((found.eco, found.name), ("D30", "Queen's Gambit Declined"));
        assert_eq!(after("1. c4 e6 2. d4 d5"), Some(found));
        assert_eq!(after("1. a4 h5 2. h4 a5 3. Ra3"), None);
        assert_eq!(OpeningName::of(&Position::initial()), None);
    }
}
