//! The main line of a game as bytes, which are equal for equal moves from equal positions.

use std::ops::ControlFlow;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::positions::{Step, epd, follow};
use chessdb::board::{PackedMove, Position};
use chessdb::formats::Database;

/// A main line, as far as it can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// The start position; empty for the usual one.
    start: String,
    /// Two bytes for each move.
    moves: Vec<u8>,
}

impl Line {
    /// Number of moves.
    pub(super) fn plies(&self) -> u32 {
        (self.moves.len() / 2) as u32
    }

    fn hash(&self) -> u64 {
        match self.start.as_str() {
            "" => xxh3_64(&self.moves),
            start => xxh3_64_with_seed(&self.moves, xxh3_64(start.as_bytes())),
        }
    }
}

/// The main line of a game.
pub(super) fn line_of(database: &dyn Database, game: u32) -> Line {
    let mut line = Line::default();
    let initial = Position::initial();
    follow(database, game, |step| {
        match step {
            Step::Start(position) if *position != initial => line.start = epd(position),
            Step::Start(_) => {}
            Step::Ply(ply) => {
                let bits = PackedMove::new(ply.mv).bits();
                line.moves.extend_from_slice(&bits.to_le_bytes());
            }
        }
        ControlFlow::Continue(())
    });
    line
}

/// A hash of the main line of a game.
pub(super) fn hash_of(database: &dyn Database, game: u32) -> u64 {
    line_of(database, game).hash()
}
