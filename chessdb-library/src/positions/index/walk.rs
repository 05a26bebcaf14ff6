//! Walks through the beginning of the opening tree, line by line, and outputs each node with the key of its position.

use super::key::key_with;
use super::spill::KeyedPly;
use chessdb::board::{PackedMove, Position, RunningKey, Undo};

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
        // At the beginning of a walk, the nodes in common are missing.
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

    /// The node that a move leads to. `None` if the move cannot be played, which would take two start positions with equal
    /// keys.
    fn after(&self, mv: PackedMove) -> Option<WalkNode> {
        let mut node = *self.nodes.last()?;
        let mut undo = Undo::default();
        node.position.advance(mv.unpack(), &mut undo).ok()?;
        node.running.follow(&undo, &node.position);
        node.key = key_with(node.running, &node.position);
        Some(node)
    }
}
