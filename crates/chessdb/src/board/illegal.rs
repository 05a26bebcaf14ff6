//! Why a move cannot be played.

use std::fmt;

/// The first rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Illegal {
    /// The departure square has no piece of the side to move.
    NoPiece,
    /// A piece of the same side is on the target square.
    OwnPiece,
    /// The piece does not move this way, or its path is blocked.
    NotItsMove,
    /// A pawn reaches the last rank without a promotion, or another move names a promotion.
    Promotion,
    /// The right is lost, the rook is missing, the path is blocked, or the king would cross an attacked
    /// square.
    Castling,
    /// The move would leave the king in check.
    KingInCheck,
    /// A null move while in check.
    NullInCheck,
}

impl Illegal {
    /// True if the move only leaves the king in check, so that it can still be played on a board.
    pub fn is_pseudo_legal(self) -> bool {
        matches!(self, Illegal::KingInCheck | Illegal::NullInCheck)
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Illegal::NoPiece => "no piece of the side to move stands there",
            Illegal::OwnPiece => "a piece of the own side stands on the target",
            Illegal::NotItsMove => "the piece does not move that way",
            Illegal::Promotion => "wrong promotion",
            Illegal::Castling => "castling is not possible",
            Illegal::KingInCheck => "the own king is left in check",
            Illegal::NullInCheck => "null move in check",
        })
    }
}

impl std::error::Error for Illegal {}
