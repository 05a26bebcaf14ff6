//! Main lines of long games that were used recently. A position far from the beginning of a game takes long to
//! replay, and programs that walk through the opening tree come to each of them in turn.

use crate::recent::Recent;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::{code_of, move_of};
use super::order::MOST_PLIES;
use crate::lines::{LineStep, at, follow};
use chessdb::Database;
use chessdb::board::{Move, Position, Undo};

/// Positions before this ply are replayed from the beginning of the game.
const LONG: usize = 256;

/// Number of moves between two positions that a line keeps.
const STEP: usize = 64;

/// Maximum number of lines that are kept. Each takes at most 400 KiB.
const MOST_LINES: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The main line of a game, up to [`MOST_PLIES`] moves.
pub(super) struct CachedLine {
    /// The moves, as codes.
    pub(super) moves: Vec<u16>,
    /// The start position, and the position after every [`STEP`] moves.
    positions: Vec<Position>,
}

impl CachedLine {
    /// Reads the line of a game; `None` if the game has no start position.
    fn of(database: &dyn Database, game: u32) -> Option<CachedLine> {
        let (mut moves, mut positions) = (Vec::new(), Vec::new());
        follow(database, game, |step| {
            let position = match step {
                LineStep::Start(position) => position,
                LineStep::Ply(ply) => {
                    moves.push(code_of(ply.mv));
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
        (!positions.is_empty()).then_some(CachedLine { moves, positions })
    }

    /// The position in which the game begins.
    pub(super) fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The position after `ply` moves, and the next move; `None` if there are fewer moves.
    fn at(&self, ply: usize) -> Option<(Position, Option<Move>)> {
        let kept = ply / STEP;
        let mut position = *self.positions.get(kept)?;
        for &code in self.moves.get(kept * STEP..ply)? {
            position.advance(move_of(code)?, &mut Undo::default()).ok()?;
        }
        Some((position, self.moves.get(ply).and_then(|&code| move_of(code))))
    }
}

/// A position of a game, and the next move; `None` if the game is shorter.
type PositionAndMove = Option<(Position, Option<Move>)>;

/// The most recently used lines of long games, and positions that were read ahead.
pub(super) struct LineCache {
    kept: Recent<u32, Arc<CachedLine>>,
    /// By the game and the number of moves before the position.
    ahead: FxHashMap<(u32, u32), PositionAndMove>,
}

impl LineCache {
    pub(super) fn new() -> LineCache {
        LineCache {
            kept: Recent::new(MOST_LINES),
            ahead: FxHashMap::default(),
        }
    }

    /// Reads some positions in the order in which games are stored, and keeps them until this is called again.
    pub(super) fn read_ahead(&mut self, database: &dyn Database, mut asked: Vec<(u32, u32)>) {
        asked.sort_unstable();
        asked.dedup();
        self.ahead.clear();
        for (game, ply) in asked {
            let reached = self.at(database, game, ply);
            self.ahead.insert((game, ply), reached);
        }
    }

    /// The position of a game after `ply` moves, and the next move; `None` if the game has fewer moves.
    pub(super) fn at(&self, database: &dyn Database, game: u32, ply: u32) -> PositionAndMove {
        if let Some(reached) = self.ahead.get(&(game, ply)) {
            return *reached;
        }
        match ply as usize {
            LONG..MOST_PLIES => self.get(database, game)?.at(ply as usize),
            _ => at(database, game, ply),
        }
    }

    /// The line of a game; `None` if the game has no start position.
    pub(super) fn get(&self, database: &dyn Database, game: u32) -> Option<Arc<CachedLine>> {
        if let Some(line) = self.kept.get(&game) {
            return Some(line);
        }
        let line = Arc::new(CachedLine::of(database, game)?);
        if line.moves.len() >= LONG {
            self.kept.put(game, Arc::clone(&line));
        }
        Some(line)
    }
}
