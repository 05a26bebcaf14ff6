//! What is wrong with a term.

use std::fmt;

use crate::library::PatternError;
use crate::positions::WantedError;

/// Reason why a text is not the value of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TermError {
    /// The text is not a position, or not a line of moves.
    Position(WantedError),
    /// The line has no move.
    NoMoves,
    /// The board has this number of ranks.
    Ranks(usize),
    /// A rank does not have eight squares.
    Squares {
        /// The rank, from 1.
        rank: u8,
        /// Number of its squares.
        squares: usize,
    },
    /// A sign of the board.
    Sign(char),
    /// Brackets of the board that are empty, not closed, or within others.
    Brackets,
    /// A letter or sign in a list of pieces.
    Piece(char),
    /// A count in a list of pieces.
    Count,
    /// A piece of White follows one of Black.
    WhiteFirst,
    /// A side does not have one king.
    Kings,
    /// The text is not a move.
    Played,
    /// No move can be written like this pattern.
    MovePattern,
    /// The text does not say which pieces one side has against which pieces of the other.
    Imbalance,
    /// The text is not the name of a state of the side to move.
    State,
    /// The text does not say how the bishops are placed.
    Bishops,
    /// The text is not the sign or the number of a glyph.
    Nag,
    /// The text has no word.
    Words,
    /// The text is not a number of pawns or a range.
    Pawns,
    /// The text does not say how much is given up.
    Sacrifice,
    /// The text is not a pattern of databases.
    Repertoire(PatternError),
}

impl fmt::Display for TermError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TermError::Position(error) => error.fmt(f),
            TermError::NoMoves => {
                f.write_str("expected moves from the usual start position, such as e4,c5,Nf3")
            }
            TermError::Ranks(ranks) => {
                write!(
                    f,
                    "expected a FEN board of 8 ranks with 8 squares each; this one has {ranks}"
                )
            }
            TermError::Squares { rank, squares } => write!(
                f,
                "expected a FEN board of 8 ranks with 8 squares each; rank {rank} has {}",
                match squares {
                    0..=64 => squares.to_string(),
                    _ => "more".to_owned(),
                }
            ),
            TermError::Sign(sign) => write!(
                f,
                "'{sign}' has no meaning on a board: write letters of pieces, digits, ? for anything, - for an empty \
                 square, ! for any piece, A for a white one, a for a black one, and [QR] for one of these"
            ),
            TermError::Brackets => f.write_str("expected pieces in brackets, such as [QR]"),
            TermError::Piece(sign) => write!(
                f,
                "'{sign}' is not a piece: write K, Q, R, B, N or P, small letters for Black, and a count such as 2, 1-3, + \
                 or *"
            ),
            TermError::Count => {
                f.write_str("expected a count up to 64, such as P3 or P3-5, the smaller number first")
            }
            TermError::WhiteFirst => f.write_str("White's pieces, in capital letters, come before Black's"),
            TermError::Kings => f.write_str("name the pieces of both sides, with one K and one k: KRPkr"),
            TermError::Imbalance => f.write_str(
                "expected the pieces of one side, v, and the pieces that the other side has for them: RvBN for either side, \
                 Rvbn if White has the rook",
            ),
            TermError::State => f.write_str("expected check, mate or stalemate"),
            TermError::Bishops => f.write_str("expected same or opposite"),
            TermError::Nag => f.write_str("expected a sign such as !!, ?, +/- or =, or a number up to 255"),
            TermError::Words => f.write_str("expected a letter or a digit"),
            TermError::Repertoire(error) => {
                write!(f, "expected a pattern of databases such as white.pgn: {error}")
            }
            TermError::Sacrifice => {
                f.write_str("expected how much is given up, at least 1, such as 3.. or 2..4, the smaller number first: a pawn is 1, \
                 a piece 3")
            }
            TermError::Pawns => f.write_str("expected a number of pawns such as -0.5, or a range such as 1.5..3, the smaller number first"),
            TermError::MovePattern => f.write_str(
                "no move is written like that: a pattern is compared with forms such as Ng1-f3, Bd3xph7+ and Pe7xnf8=Q#",
            ),
            TermError::Played => {
                f.write_str("expected a move such as Bxh7+, O-O-O or e8=N; N*f7 captures or not")
            }
        }
    }
}

impl std::error::Error for TermError {}
