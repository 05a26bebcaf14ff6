//! The main line of a game, in a form that is the same for the same moves from the same position.

use crate::positions::epd;
use chessdb::board::{PackedMove, Position};
use chessdb::game::Game;

/// A main line, up to the first move that cannot be read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ComparedLine {
    /// The start position; empty for the usual one, `none` if there is none.
    start: String,
    moves: Box<[PackedMove]>,
}

impl ComparedLine {
    /// The main line of a game.
    pub(super) fn of(game: &Game) -> ComparedLine {
        ComparedLine {
            start: match game.start() {
                None => "none".to_owned(),
                Some(start) if start == Position::initial() => String::new(),
                Some(start) => epd(&start),
            },
            moves: game.movetext.main_line().map(|(_, mv)| mv).collect(),
        }
    }

    /// True if these are the first moves of another line, or all of them.
    pub(super) fn begins(&self, other: &ComparedLine) -> bool {
        self.start == other.start && other.moves.starts_with(&self.moves)
    }

    /// Number of moves.
    pub(super) fn plies(&self) -> u32 {
        self.moves.len() as u32
    }
}
