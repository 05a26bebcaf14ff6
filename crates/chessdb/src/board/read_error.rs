//! Why the text of a move cannot be read.

use std::fmt;

use super::{CastlingSide, Role, Square};

/// Why the text of a move cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not a move.
    NotAMove,
    /// No piece of the named kind can go there.
    NoPiece {
        /// The kind of piece; `None` if the named square has no piece of the side to move.
        role: Option<Role>,
        /// The departure square, if the text names it.
        from: Option<Square>,
        /// The target square.
        to: Square,
    },
    /// Several pieces can go there, and the text does not distinguish them.
    Ambiguous {
        /// The kind of piece.
        role: Role,
        /// Two of the possible departure squares.
        from: [Square; 2],
        /// The target square.
        to: Square,
    },
    /// The piece can go there, but its king would be in check.
    KingInCheck {
        /// The square of departure.
        from: Square,
        /// The target square.
        to: Square,
    },
    /// A pawn reaches the last rank but the text names no piece or one that is not allowed, or the text names
    /// a promotion for another move.
    Promotion,
    /// Castling to this side is not possible.
    Castling(CastlingSide),
    /// A null move while in check.
    NullInCheck,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ReadError::NotAMove => f.write_str("not a move"),
            ReadError::NoPiece { role, from, to } => {
                write!(f, "no {}", name_of(role))?;
                if let Some(from) = from {
                    write!(f, " on {from}")?;
                }
                write!(f, " can go to {to}")
            }
            ReadError::Ambiguous {
                role,
                from: [a, b],
                to,
            } => {
                write!(
                    f,
                    "the {0} on {a} and the {0} on {b} can both go to {to}",
                    name_of(Some(role))
                )
            }
            ReadError::KingInCheck { from, to } => {
                write!(f, "the move from {from} to {to} leaves the own king in check")
            }
            ReadError::Promotion => f.write_str("wrong or missing promotion"),
            ReadError::Castling(CastlingSide::KingSide) => {
                f.write_str("castling on the king's side is not possible")
            }
            ReadError::Castling(CastlingSide::QueenSide) => {
                f.write_str("castling on the queen's side is not possible")
            }
            ReadError::NullInCheck => f.write_str("null move in check"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Names of pieces by number of their role; the first one is for any piece.
const NAMES: [&str; 7] = ["piece", "pawn", "knight", "bishop", "rook", "queen", "king"];

fn name_of(role: Option<Role>) -> &'static str {
    NAMES[role.map_or(0, |role| role as usize)]
}
