//! Columns of tables that depend on the moves of a game.

use std::fmt::{Display, Write};
use std::ops::ControlFlow;

use crate::polyglot::ply;
use chessdb::Database;
use chessdb::board::{Counters, Fen, Move, Position, Uci, Undo};
use chessdb::game::Tags;

/// The main line of a game. Each of its columns is made on demand, because few tables have all of them.
pub(super) struct RowMoves {
    /// The start position; `None` if the game has no position, because its set-up cannot be played.
    start: Option<Position>,
    counters: Counters,
    moves: Vec<Move>,
    is_chess960: bool,
}

impl RowMoves {
    /// The moves of a game with these tags, up to the first move that cannot be read.
    pub(super) fn of(database: &dyn Database, game: u32, tags: &Tags) -> RowMoves {
        let setup = tags.get("FEN").and_then(|fen| Fen::setup(fen).ok());
        let counters = setup.as_ref().map_or_else(Counters::default, Counters::of);
        let mut start = tags.start().map(|start| start.position);
        let mut moves = Vec::new();
        database.main_line(game, &mut |ply| {
            if ply.number == 0 {
                start = Some(ply.before());
            }
            moves.push(ply.mv);
            ControlFlow::Continue(())
        });
        let begins_as_chess960 = !moves.is_empty() && start.is_some_and(|start| start.is_chess960());
        RowMoves {
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

    /// As [two bytes](ply()) each, the lower one first.
    pub(super) fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.moves.len() * 2);
        self.replay(|position, mv| {
            bytes.extend_from_slice(&ply(position, mv).to_le_bytes());
            position.advance(mv, &mut Undo::default()).ok()
        });
        bytes
    }

    /// In SAN, with spaces between them.
    pub(super) fn san(&self) -> String {
        let mut text = self.room();
        self.replay(|position, mv| {
            let san = position.play_legal(mv, &mut Undo::default()).ok()?;
            append(&mut text, san);
            Some(())
        });
        text
    }

    /// In the notation of UCI, with spaces between them.
    pub(super) fn uci(&self) -> String {
        let mut text = self.room();
        self.replay(|position, mv| {
            let uci = Uci {
                position,
                mv,
                is_chess960: self.is_chess960,
            };
            append(&mut text, uci);
            position.advance(mv, &mut Undo::default()).ok()
        });
        text
    }

    /// The position at the end; `None` if the game has no position.
    pub(super) fn final_fen(&self) -> Option<String> {
        let mut counters = self.counters;
        let last = self.replay(|position, mv| {
            counters.follow(position, mv);
            position.advance(mv, &mut Undo::default()).ok()
        })?;
        Some(Fen::text(&counters.setup(&last)))
    }

    /// An empty text with room for the moves.
    fn room(&self) -> String {
        String::with_capacity(self.moves.len() * 6)
    }

    /// Plays the moves with `play`, and returns the position at the end. All moves were legal when they were decoded.
    fn replay(&self, mut play: impl FnMut(&mut Position, Move) -> Option<()>) -> Option<Position> {
        let mut position = self.start?;
        self.moves.iter().try_for_each(|&mv| play(&mut position, mv))?;
        Some(position)
    }
}

/// Appends a move, after a space unless it is the first one.
fn append(text: &mut String, mv: impl Display) {
    let space = if text.is_empty() { "" } else { " " };
    // Writing to a string cannot fail.
    let _ = write!(text, "{space}{mv}");
}
