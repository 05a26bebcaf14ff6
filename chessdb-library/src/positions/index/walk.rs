//! Walks through the opening tree, line by line, and outputs each node with the key of its position.

use std::io;

use super::code::move_of;
use super::key::key_with;
use super::spill::{NodeEntry, Spill};
use chessdb::board::{Move, Position, Role, RunningKey, Undo};

/// Number of nodes between two positions that a walk keeps.
const STEP: usize = 8;

/// The state of a walk: the nodes from the start position to the end of the last game's line.
pub(super) struct IndexWalk {
    /// The position of the last node.
    position: Position,
    /// The positions of every [`STEP`]th node.
    kept: Vec<Position>,
    nodes: Vec<WalkNode>,
    /// The keys of the nodes.
    keys: Vec<u64>,
    games: u32,
}

struct WalkNode {
    /// The move that leads to the node, as a code; 0 for the first node.
    code: u16,
    running: RunningKey,
    /// The first game of the node.
    lo: u32,
    /// True if the position also occurs earlier in the line.
    is_repeated: bool,
    /// The last node, up to this one, whose move was irreversible: no position before it can recur.
    since: u32,
}

impl IndexWalk {
    pub(super) fn new() -> IndexWalk {
        IndexWalk {
            position: Position::initial(),
            kept: Vec::new(),
            nodes: Vec::new(),
            keys: Vec::new(),
            games: 0,
        }
    }

    /// Proceeds to the next game, which has `common` nodes in common with the last one. `start` returns its
    /// start position.
    ///
    /// # Errors
    /// If writing nodes fails.
    pub(super) fn game(
        &mut self,
        common: usize,
        start: impl FnOnce() -> Position,
        moves: &[u16],
        out: &mut Spill,
    ) -> io::Result<()> {
        self.leave(common, out)?;
        if common == 0 {
            self.position = start();
            let running = RunningKey::new(&self.position);
            self.keys.push(key_with(running, &self.position));
            self.kept.push(self.position);
            self.nodes.push(WalkNode {
                code: 0,
                running,
                lo: self.games,
                is_repeated: false,
                since: 0,
            });
        }
        for &code in moves.get(self.nodes.len() - 1..).unwrap_or_default() {
            if !self.enter(code) {
                break;
            }
        }
        self.games += 1;
        Ok(())
    }

    /// Leaves all nodes.
    ///
    /// # Errors
    /// If writing nodes fails.
    pub(super) fn finish(mut self, out: &mut Spill) -> io::Result<()> {
        self.leave(0, out)
    }

    /// Leaves all nodes but the first `remain`.
    fn leave(&mut self, remain: usize, out: &mut Spill) -> io::Result<()> {
        if self.nodes.len() <= remain {
            return Ok(());
        }
        while self.nodes.len() > remain {
            let (Some(node), Some(key)) = (self.nodes.pop(), self.keys.pop()) else {
                break;
            };
            if !node.is_repeated {
                out.push(NodeEntry {
                    key,
                    lo: node.lo,
                    len: self.games - node.lo,
                    depth: self.nodes.len() as u16,
                })?;
            }
        }
        self.kept.truncate(self.nodes.len().div_ceil(STEP));
        if let Some(&kept) = self.kept.last() {
            self.position = kept;
            for node in &self.nodes[(self.kept.len() - 1) * STEP + 1..] {
                // The move was legal when the node was entered.
                let _ = move_of(node.code).map(|mv| self.position.advance(mv, &mut Undo::default()));
            }
        }
        Ok(())
    }

    /// Plays a move. Returns false if it cannot be played, which happens if the source changes while it is
    /// read.
    fn enter(&mut self, code: u16) -> bool {
        let Some(before) = self.nodes.last() else {
            return false;
        };
        let (mut running, since) = (before.running, before.since);
        let Some(mv) = move_of(code) else {
            return false;
        };
        let is_final = is_final(&self.position, mv);
        let mut undo = Undo::default();
        if self.position.advance(mv, &mut undo).is_err() {
            return false;
        }
        running.follow(&undo, &self.position);
        let key = key_with(running, &self.position);
        let depth = self.nodes.len();
        let since = if is_final { depth as u32 } else { since };
        let is_repeated = self.keys[since as usize..].contains(&key);
        self.keys.push(key);
        if depth.is_multiple_of(STEP) {
            self.kept.push(self.position);
        }
        self.nodes.push(WalkNode {
            code,
            running,
            lo: self.games,
            is_repeated,
            since,
        });
        true
    }
}

/// True if no game can reverse a move: for captures and pawn moves.
fn is_final(position: &Position, mv: Move) -> bool {
    match mv {
        Move::Normal { from, to, .. } => {
            position.occupied().contains(to) || position.role_at(from) == Some(Role::Pawn)
        }
        Move::Castle(_) | Move::Null => false,
    }
}
