//! Why a move cannot be played.

use std::fmt;

/// The first rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Illegal {
    /// No piece of the side to move stands on the square of departure.
    NoPiece,
    /// A piece of the own side stands on the target square.
    OwnPiece,
    /// The piece does not move that way, or something stands between.
    NotItsMove,
    /// A pawn reaches the last rank without a promotion, or a promotion is named where there is none.
    Promotion,
    /// The right is lost, the rook is missing, the way is blocked or the king would pass an attacked square.
    Castling,
    /// The own king would stand in check.
    KingInCheck,
    /// A null move while in check.
    NullInCheck,
}

impl Illegal {
    /// True where only the safety of the king is hurt, so that the move can still be played on a board.
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
