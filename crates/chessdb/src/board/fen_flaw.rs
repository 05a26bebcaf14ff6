//! Where a text is not FEN.

use std::fmt;

use super::{Fen, SetupError};

/// The first place where a text is not FEN, for a message to the user who typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenFlaw {
    /// The number of fields, which is not 4 to 6.
    Fields(usize),
    /// The number of ranks of the board, which is not 8.
    Ranks(usize),
    /// A character in a rank (8 to 1) that is neither a piece nor a number of empty squares.
    Character {
        /// The rank.
        rank: usize,
        /// The character.
        character: char,
    },
    /// The number of squares of a rank (8 to 1), which is not 8.
    Squares {
        /// The rank.
        rank: usize,
        /// Its squares.
        squares: usize,
    },
    /// A field after the board.
    Field {
        /// The name of the field.
        name: &'static str,
        /// The expected value.
        wanted: &'static str,
        /// The value that was found.
        found: String,
    },
}

/// A field after the board.
struct FieldRule {
    name: &'static str,
    wanted: &'static str,
    is_right: fn(&str) -> bool,
}

/// The fields after the board, and what they should be.
const FIELDS: [FieldRule; 5] = [
    FieldRule {
        name: "side to move",
        wanted: "w or b",
        is_right: |text| matches!(text, "w" | "b"),
    },
    FieldRule {
        name: "castling rights",
        wanted: "some of KQkq, letters of files for Chess960, or -",
        is_right: |text| text == "-" || text.chars().all(|c| "KQkqABCDEFGHabcdefgh".contains(c)),
    },
    FieldRule {
        name: "en passant square",
        wanted: "such as e3, or -",
        is_right: |text| matches!(text.as_bytes(), b"-" | [b'a'..=b'h', b'1'..=b'8']),
    },
    FieldRule {
        name: "half-move clock",
        wanted: "a number",
        is_right: |text| text.parse::<u32>().is_ok(),
    },
    FieldRule {
        name: "move number",
        wanted: "a number",
        is_right: |text| text.parse::<u32>().is_ok(),
    },
];

impl Fen {
    /// The first place where [`Fen::parse`] cannot read a text; `None` if it can read all of it.
    ///
    /// ```
    /// use chessdb::board::Fen;
    ///
    /// let flaw = Fen::flaw("rnbqkbnr/pppppppp/8/8/8/8/PPPPxPPP/RNBQKBNR w KQkq -").unwrap();
    /// assert_eq!(flaw.to_string(), "rank 2: 'x' is neither a piece nor a number of empty squares");
    /// ```
    pub fn flaw(text: &str) -> Option<FenFlaw> {
        if Fen::setup(text) != Err(SetupError::NotFen) {
            return None;
        }
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let board = fields.first().and_then(|board| board_flaw(board));
        let mut others = fields.iter().skip(1).zip(&FIELDS);
        let field = |(found, rule): (&&str, &FieldRule)| {
            (!(rule.is_right)(found)).then(|| FenFlaw::Field {
                name: rule.name,
                wanted: rule.wanted,
                found: (*found).to_owned(),
            })
        };
        let flaw = board.or_else(|| others.find_map(field));
        Some(flaw.unwrap_or(FenFlaw::Fields(fields.len())))
    }
}

fn board_flaw(board: &str) -> Option<FenFlaw> {
    let ranks: Vec<&str> = board.split('/').collect();
    for (rank, text) in (1..=8).rev().zip(&ranks) {
        let mut squares = 0;
        for character in text.chars() {
            squares += match character {
                '1'..='8' => character as usize - '0' as usize,
                // The mark of a promoted piece.
                '~' => 0,
                _ if "kqrbnpKQRBNP".contains(character) => 1,
                _ => return Some(FenFlaw::Character { rank, character }),
            };
        }
        if squares != 8 {
            return Some(FenFlaw::Squares { rank, squares });
        }
    }
    (ranks.len() != 8).then_some(FenFlaw::Ranks(ranks.len()))
}

impl fmt::Display for FenFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenFlaw::Fields(number) => write!(f, "a FEN has 4 to 6 fields, not {number}"),
            FenFlaw::Ranks(number) => write!(f, "the board has 8 ranks, not {number}"),
            FenFlaw::Character { rank, character } => write!(
                f,
                "rank {rank}: '{character}' is neither a piece nor a number of empty squares"
            ),
            FenFlaw::Squares { rank, squares } => write!(f, "rank {rank} has 8 squares, not {squares}"),
            FenFlaw::Field { name, wanted, found } => {
                let are = if name.ends_with("rights") { "are" } else { "is" };
                write!(f, "the {name} {are} {wanted}, not '{found}'")
            }
        }
    }
}

impl std::error::Error for FenFlaw {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_flaw_is_named() {
        for (text, said) in [
            ("8/8/8/8/8/8/8 w - -", "the board has 8 ranks, not 7"),
            ("8/8/8/8/8/8/8/8/8 w - -", "the board has 8 ranks, not 9"),
            ("x w - -", "rank 8: 'x' is neither"),
            ("8/8/9/8/8/8/8/8 w - -", "rank 6: '9' is neither"),
            ("8/8/8/8/8/8/8/K6 w - -", "rank 1 has 8 squares, not 7"),
            (
                "8/8/8/8/8/8/8/8 white - -",
                "the side to move is w or b, not 'white'",
            ),
            ("8/8/8/8/8/8/8/8 w xy -", "the castling rights are some of KQkq"),
            (
                "8/8/8/8/8/8/8/8 w - e9",
                "the en passant square is such as e3, or -, not 'e9'",
            ),
            (
                "8/8/8/8/8/8/8/8 w - - x",
                "the half-move clock is a number, not 'x'",
            ),
            (
                "8/8/8/8/8/8/8/8 w - - 0 x",
                "the move number is a number, not 'x'",
            ),
            ("8/8/8/8/8/8/8/8 w", "a FEN has 4 to 6 fields, not 2"),
            ("", "a FEN has 4 to 6 fields, not 0"),
        ] {
            let flaw = Fen::flaw(text).map(|flaw| flaw.to_string()).unwrap_or_default();
            assert!(flaw.contains(said), "{text}: {flaw}");
        }
        assert_eq!(Fen::flaw("8/8/8/8/8/8/8/8 w - - 0 1"), None);
    }
}
