//! The main line of a game, which is equal for equal moves from equal positions.

use crate::positions::epd;
use chessdb::board::{PackedMove, Position};
use chessdb::game::Game;

/// A main line, as far as it can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ComparedLine {
    /// The start position; empty for the usual one.
    start: String,
    moves: Box<[PackedMove]>,
}

impl ComparedLine {
    /// The main line of a game.
    pub(super) fn of(game: &Game) -> ComparedLine {
        let start = game.start();
        ComparedLine {
            start: if start == Position::initial() {
                String::new()
            } else {
                epd(&start)
            },
            moves: game.movetext.main_line().map(|(_, mv)| mv).collect(),
        }
    }

    /// Number of moves.
    pub(super) fn plies(&self) -> u32 {
        self.moves.len() as u32
    }
}
