//! The main line of a game as bytes, which are equal for equal moves from equal positions.

use std::ops::ControlFlow;

use crate::positions::{LineStep, epd, follow};
use chessdb::board::{PackedMove, Position};
use chessdb::formats::Database;

/// A main line, as far as it can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ComparedLine {
    /// The start position; empty for the usual one.
    start: String,
    /// Two bytes for each move.
    moves: Vec<u8>,
}

impl ComparedLine {
    /// Number of moves.
    pub(super) fn plies(&self) -> u32 {
        (self.moves.len() / 2) as u32
    }
}

/// The main line of a game.
pub(super) fn line_of(database: &dyn Database, game: u32) -> ComparedLine {
    let mut line = ComparedLine::default();
    let initial = Position::initial();
    follow(database, game, |step| {
        match step {
            LineStep::Start(position) if *position != initial => line.start = epd(position),
            LineStep::Start(_) => {}
            LineStep::Ply(ply) => {
                let bits = PackedMove::new(ply.mv).bits();
                line.moves.extend_from_slice(&bits.to_le_bytes());
            }
        }
        ControlFlow::Continue(())
    });
    line
}
