//! Keys of positions: along a game, and along the first moves of the opening tree.

use super::spill::KeyedPly;
use chessdb::board::{Bitboard, EnPassantMode, Move, PackedMove, Position, Role, RunningKey, Undo};
use chessdb::replay::Ply;

/// The key of a position. It also depends on castling rights and on a legal en passant capture.
pub(super) fn key_of(position: &Position) -> u64 {
    key_with(RunningKey::new(position), position)
}

/// Like [`key_of`], when the part of the key for the pieces is known already.
#[inline]
pub(super) fn key_with(running: RunningKey, position: &Position) -> u64 {
    let key = running.key_with(position, EnPassantMode::Legal);
    // In Chess960, one castling right may refer to either of two rooks.
    let unusual = position.castling_rooks() & !Bitboard::CORNERS;
    if unusual.is_empty() {
        key
    } else {
        key ^ unusual.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
    }
}

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

/// Maximum number of moves of a node that is walked through. Many games share such a node. Later positions, which few
/// games share, are taken from each game when it is read.
pub(super) const WALKED_PLIES: usize = 16;

/// The state of a walk: the nodes from the start position to the last one of the last game's line.
#[derive(Default)]
pub(super) struct IndexWalk {
    nodes: Vec<WalkNode>,
}

#[derive(Clone, Copy)]
struct WalkNode {
    position: Position,
    running: RunningKey,
    key: u64,
}

impl IndexWalk {
    /// Proceeds to the next game, which has `common` nodes in common with the last one, and adds the other nodes to `out`.
    /// `start` returns its start position.
    pub(super) fn game(
        &mut self,
        game: u32,
        common: usize,
        start: impl FnOnce() -> Position,
        moves: &[PackedMove],
        out: &mut Vec<KeyedPly>,
    ) {
        // At the start of a walk, the nodes in common are missing.
        self.nodes.truncate(common);
        if self.nodes.is_empty() {
            let position = start();
            let running = RunningKey::new(&position);
            let key = key_with(running, &position);
            self.nodes.push(WalkNode {
                position,
                running,
                key,
            });
            if common == 0 {
                out.push(KeyedPly { key, game, depth: 0 });
            }
        }
        let walked = &moves[..moves.len().min(WALKED_PLIES)];
        for &mv in walked.get(self.nodes.len() - 1..).unwrap_or_default() {
            let Some(node) = self.after(mv) else { break };
            let depth = self.nodes.len();
            let is_repeated = self.nodes.iter().any(|earlier| earlier.key == node.key);
            if depth >= common && !is_repeated {
                out.push(KeyedPly {
                    key: node.key,
                    game,
                    depth: depth as u16,
                });
            }
            self.nodes.push(node);
        }
    }

    /// The node that a move leads to. `None` if the move cannot be played, which can happen only if two start positions
    /// have the same key.
    fn after(&self, mv: PackedMove) -> Option<WalkNode> {
        let mut node = *self.nodes.last()?;
        let mut undo = Undo::default();
        node.position.advance(mv.unpack(), &mut undo).ok()?;
        node.running.follow(&undo, &node.position);
        node.key = key_with(node.running, &node.position);
        Some(node)
    }
}
