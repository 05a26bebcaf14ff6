//! The keys of a game's positions.

use super::key::key_with;
use chessdb::board::{Move, Position, Role, RunningKey};
use chessdb::replay::Ply;

/// The keys of the positions of a game up to the present one.
pub(super) struct GameKeys {
    initial: RunningKey,
    running: RunningKey,
    keys: Vec<u64>,
    /// The first position after the last irreversible move: none before it can recur.
    since: usize,
}

impl GameKeys {
    pub(super) fn new() -> GameKeys {
        let initial = RunningKey::new(&Position::initial());
        GameKeys {
            initial,
            running: initial,
            keys: Vec::new(),
            since: 0,
        }
    }

    /// Begins a game in a position.
    pub(super) fn begin(&mut self, start: &Position, is_usual: bool) {
        self.running = if is_usual {
            self.initial
        } else {
            RunningKey::new(start)
        };
        self.since = 0;
        self.keys.clear();
        self.keys.push(key_with(self.running, start));
    }

    /// Proceeds to the position after a move, and returns its key; `None` if the game had the position before.
    #[inline]
    pub(super) fn follow(&mut self, ply: &Ply<'_>, is_irreversible: bool) -> Option<u64> {
        self.running.follow(ply.undo, ply.position);
        let key = key_with(self.running, ply.position);
        if is_irreversible {
            self.since = self.keys.len();
        }
        let is_repeated = self.keys[self.since..].contains(&key);
        self.keys.push(key);
        (!is_repeated).then_some(key)
    }
}

/// True if no game can reverse a move: for captures and pawn moves.
#[inline]
pub(super) fn is_irreversible(ply: &Ply<'_>) -> bool {
    match ply.mv {
        Move::Normal { to, promotion, .. } => {
            promotion.is_some() || ply.position.role_at(to) == Some(Role::Pawn) || ply.captured().is_some()
        }
        Move::Castle(_) | Move::Null => false,
    }
}
