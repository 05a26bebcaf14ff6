//! Columns of tables that depend on the moves of a game.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chessdb::board::{Counters, Fen, Move, Position, Uci, Undo};
use chessdb::formats::Database;
use chessdb::game::Tags;

/// The main line of a game.
#[derive(Default)]
pub(super) struct Moves {
    pub(super) plies: u32,
    /// In SAN, with spaces between them.
    pub(super) san: String,
    /// In the notation of UCI, with spaces between them.
    pub(super) uci: String,
    /// The position at the end; `None` if the game has no position, because its set-up cannot be played.
    pub(super) final_fen: Option<String>,
}

impl Moves {
    /// The moves of a game with these tags, as far as they can be read.
    pub(super) fn of(database: &dyn Database, game: u32, tags: &Tags) -> Moves {
        let set_up = tags.get("FEN").map(Fen::setup);
        let mut counters = match &set_up {
            Some(Ok(setup)) => Counters::of(setup),
            _ => Counters::default(),
        };
        let mut last = match set_up {
            Some(setup) => setup.and_then(|setup| Position::from_setup(&setup)).ok(),
            None => Some(Position::initial()),
        };
        let mut moves = Moves::default();
        let mut is_chess960 = tags.is_chess960();
        // If the decoder panics, the moves before that are kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            database.main_line(game, &mut |ply| {
                let before = ply.before();
                is_chess960 |= ply.number == 0 && before.is_chess960();
                moves.add(before, ply.mv, is_chess960);
                counters.follow(&before, ply.mv);
                last = Some(*ply.position);
                ControlFlow::Continue(())
            });
        }));
        moves.final_fen = last.map(|last| Fen::text(&counters.setup(&last)));
        moves
    }

    fn add(&mut self, mut before: Position, mv: Move, is_chess960: bool) {
        if self.plies > 0 {
            self.san.push(' ');
            self.uci.push(' ');
        }
        self.plies += 1;
        let position = &before;
        let uci = Uci {
            position,
            mv,
            is_chess960,
        };
        // Writing to a string cannot fail.
        let _ = write!(self.uci, "{uci}");
        if let Ok(san) = before.play_legal(mv, &mut Undo::default()) {
            let _ = write!(self.san, "{san}");
        }
    }
}
