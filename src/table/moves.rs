//! Columns of tables that depend on the moves of a game.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chessdb::board::{Counters, Fen, Move, Position, San, Uci, Undo};
use chessdb::formats::Database;
use chessdb::game::Tags;

/// The main line of a game. Each column of it is made when it is needed, because few tables have all of them.
pub(super) struct Moves {
    /// The position at the beginning; `None` if the game has no position, because its set-up cannot be played.
    start: Option<Position>,
    counters: Counters,
    moves: Vec<Move>,
    is_chess960: bool,
}

impl Moves {
    /// The moves of a game with these tags, as far as they can be read.
    pub(super) fn of(database: &dyn Database, game: u32, tags: &Tags) -> Moves {
        let set_up = tags.get("FEN").map(Fen::setup);
        let counters = match &set_up {
            Some(Ok(setup)) => Counters::of(setup),
            _ => Counters::default(),
        };
        let mut start = match set_up {
            Some(setup) => setup.and_then(|setup| Position::from_setup(&setup)).ok(),
            None => Some(Position::initial()),
        };
        let mut moves = Vec::new();
        // If the decoder panics, the moves before that are kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            database.main_line(game, &mut |ply| {
                if ply.number == 0 {
                    start = Some(ply.before());
                }
                moves.push(ply.mv);
                ControlFlow::Continue(())
            });
        }));
        let begins_as_chess960 = !moves.is_empty() && start.is_some_and(|start| start.is_chess960());
        Moves {
            start,
            counters,
            moves,
            is_chess960: tags.is_chess960() || begins_as_chess960,
        }
    }

    /// Number of moves.
    pub(super) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// In SAN, with spaces between them.
    pub(super) fn san(&self) -> String {
        self.joined(|text, _, _, san| {
            let _ = write!(text, "{san}");
        })
    }

    /// In the notation of UCI, with spaces between them.
    pub(super) fn uci(&self) -> String {
        let is_chess960 = self.is_chess960;
        self.joined(|text, position, mv, _| {
            let uci = Uci {
                position,
                mv,
                is_chess960,
            };
            let _ = write!(text, "{uci}");
        })
    }

    /// The position at the end; `None` if the game has no position.
    pub(super) fn final_fen(&self) -> Option<String> {
        let mut counters = self.counters;
        let last = self.replay(|before, mv, _| counters.follow(before, mv))?;
        Some(Fen::text(&counters.setup(&last)))
    }

    /// The moves as `append` writes them, with spaces between them.
    fn joined(&self, append: impl Fn(&mut String, &Position, Move, San)) -> String {
        let mut text = String::with_capacity(self.moves.len() * 6);
        self.replay(|before, mv, san| {
            if !text.is_empty() {
                text.push(' ');
            }
            append(&mut text, before, mv, san);
        });
        text
    }

    /// Calls `each` with the position before each move, the move and its SAN. Returns the position at the end.
    fn replay(&self, mut each: impl FnMut(&Position, Move, San)) -> Option<Position> {
        let mut position = self.start?;
        for &mv in &self.moves {
            let before = position;
            // All moves were legal when they were decoded.
            let san = position.play_legal(mv, &mut Undo::default()).ok()?;
            each(&before, mv, san);
        }
        Some(position)
    }
}
