//! The counters of FEN.

use std::num::NonZeroU32;

use super::{Move, Position, Role, Setup};

/// The counters of FEN, which a [`Position`] does not have.
///
/// ```
/// use chessdb::board::{Counters, Fen, Position, Undo};
///
/// let mut position = Position::initial();
/// let mut counters = Counters::default();
/// for text in ["e4", "e5", "Nf3"] {
///     let mv = position.read_move(text).unwrap();
///     counters.follow(&position, mv);
///     position.advance(mv, &mut Undo::default()).unwrap();
/// }
/// let fen = Fen::text(&counters.setup(&position));
/// assert_eq!(fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Number of half-moves since the last capture or pawn move.
    pub halfmoves: u32,
    /// Number of the next move.
    pub fullmoves: NonZeroU32,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            halfmoves: 0,
            fullmoves: NonZeroU32::MIN,
        }
    }
}

impl Counters {
    /// The counters of a set-up.
    pub fn of(setup: &Setup) -> Counters {
        Counters {
            halfmoves: setup.halfmoves,
            fullmoves: setup.fullmoves,
        }
    }

    /// Counts a legal move. `before` is the position before it.
    pub fn follow(&mut self, before: &Position, mv: Move) {
        let is_quiet = match mv {
            Move::Normal { from, to, .. } => {
                before.role_at(from) != Some(Role::Pawn) && before.role_at(to).is_none()
            }
            Move::Castle(_) | Move::Null => true,
        };
        self.halfmoves = if is_quiet {
            self.halfmoves.saturating_add(1)
        } else {
            0
        };
        if before.turn().is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
    }

    /// A position as a set-up with these counters. Otherwise like [`Position::setup`].
    pub fn setup(&self, position: &Position) -> Setup {
        let mut setup = position.setup();
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves;
        setup
    }
}
