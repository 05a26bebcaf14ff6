//! A cache of main lines of long games. A position far from the start of a game takes long to replay, and programs that
//! walk through the opening tree visit each such position in turn.

use crate::once_lru::OnceLru;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::order::MOST_PLIES;
use crate::lines::{LineStep, at, follow};
use chessdb::Database;
use chessdb::board::{Move, PackedMove, Position, Undo};

/// Positions before this ply are replayed from the start of the game.
const LONG: usize = 256;

/// Number of moves between two positions that a line keeps.
const STEP: usize = 64;

/// Maximum number of lines that are kept. Each takes at most 400 KiB.
const MOST_LINES: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The main line of a game, up to [`MOST_PLIES`] moves.
pub(super) struct LongLine {
    pub(super) moves: Vec<PackedMove>,
    /// The start position, and the position after every [`STEP`] moves.
    positions: Vec<Position>,
}

impl LongLine {
    /// Reads the line of a game; `None` if the game has no start position.
    fn of(database: &dyn Database, game: u32) -> Option<LongLine> {
        let (mut moves, mut positions) = (Vec::new(), Vec::new());
        follow(database, game, |step| {
            let position = match step {
                LineStep::Start(position) => position,
                LineStep::Ply(ply) => {
                    moves.push(PackedMove::new(ply.mv));
                    ply.position
                }
            };
            if moves.len().is_multiple_of(STEP) {
                positions.push(*position);
            }
            if moves.len() < MOST_PLIES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        (!positions.is_empty()).then_some(LongLine { moves, positions })
    }

    /// The start position of the game.
    pub(super) fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The position after `ply` moves, and the next move; `None` if the line is shorter.
    fn at(&self, ply: usize) -> Option<(Position, Option<Move>)> {
        let kept = ply / STEP;
        let mut position = *self.positions.get(kept)?;
        for mv in self.moves.get(kept * STEP..ply)? {
            position.advance(mv.unpack(), &mut Undo::default()).ok()?;
        }
        Some((position, self.moves.get(ply).map(|mv| mv.unpack())))
    }
}

/// The most recently used lines of long games.
pub(super) struct LongLines(OnceLru<u32, Arc<LongLine>>);

impl LongLines {
    pub(super) fn new() -> LongLines {
        LongLines(OnceLru::new(MOST_LINES))
    }

    /// The position of a game after `ply` moves, and the next move; `None` if the game has fewer moves.
    pub(super) fn at(
        &self,
        database: &dyn Database,
        game: u32,
        ply: u32,
    ) -> Option<(Position, Option<Move>)> {
        match ply as usize {
            LONG..MOST_PLIES => self.get(database, game)?.at(ply as usize),
            _ => at(database, game, ply),
        }
    }

    /// The line of a game; `None` if the game has no start position.
    pub(super) fn get(&self, database: &dyn Database, game: u32) -> Option<Arc<LongLine>> {
        if let Some(line) = self.0.get(&game) {
            return Some(line);
        }
        let line = Arc::new(LongLine::of(database, game)?);
        if line.moves.len() >= LONG {
            self.0.put(game, Arc::clone(&line));
        }
        Some(line)
    }
}
