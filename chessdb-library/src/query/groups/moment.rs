//! A position of a game, as terms see it.

use chessdb::board::{Move, Position};

use crate::annotations::LineAnnotations;

/// A position of a game.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Number of moves before it.
    pub(super) ply: u32,
    pub(super) position: &'a Position,
    /// The move that is played in it, and the position after it; `None` for the last position of a game, and for terms
    /// that depend on no move.
    pub(super) played: Option<(Move, &'a Position)>,
    /// The annotations of the game; none if no term asks for them.
    pub(super) annotations: &'a LineAnnotations,
}
