//! A position of a game, as terms see it.

use chessdb::board::{Move, Position};

use super::whole_line::WholeLine;

/// A position of a game.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Number of moves before it.
    pub(super) ply: u32,
    pub(super) position: &'a Position,
    /// The move that is played in it, and the position after it; `None` for the last position of a game, and for terms
    /// that depend on no move.
    pub(super) played: Option<(Move, &'a Position)>,
    /// What terms ask of the whole game.
    pub(super) line: &'a WholeLine,
}
