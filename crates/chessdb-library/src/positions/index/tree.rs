//! The opening tree: the moves played from the normal start position, move by move.
//!
//! For each game, the index stores how much its line has in common with the game before it: 0 if the start position
//! differs, otherwise 1 plus the number of first moves that are the same. So the games of a node with *d* moves are a
//! range, and only its first game has *d* or less.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::Index;
use super::order::IndexedGame;
use super::shared::IndexNode;
use crate::kept::Damaged;
use crate::lines::{LineStep, follow};
use chessdb::board::{Move, Position};

/// A node of the opening tree: the games that start with the same moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    node: IndexNode,
    games: u32,
}

/// The moves at a node with the nodes that they lead to, and the games that end at it.
type Continuations = (Vec<(Move, TreeNode)>, Vec<u32>);

impl TreeNode {
    /// Number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Number of moves that lead to the node.
    pub fn depth(&self) -> u32 {
        self.node.depth
    }
}

impl Index {
    /// The node of all games that begin in the normal start position and are not deleted; `None` without such games.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn root(&self) -> Result<Option<TreeNode>, Damaged> {
        self.tree_node(IndexNode {
            lo: 0,
            hi: self.sections.usual(),
            depth: 0,
        })
    }

    /// A node of the tree; `None` if none of its games is selected.
    fn tree_node(&self, node: IndexNode) -> Result<Option<TreeNode>, Damaged> {
        let games = self.number_in(node.lo..node.hi)?;
        Ok((games > 0).then_some(TreeNode { node, games }))
    }

    /// The moves played at a node and the nodes that they lead to, in an order that never changes, and the games that end
    /// at the node, in database order.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn children(&self, node: &TreeNode) -> Result<Continuations, Damaged> {
        let depth = node.node.depth;
        let (mut asked, mut below) = (Vec::new(), Vec::new());
        for segment in self.segments(&node.node)? {
            let child = self.tree_node(IndexNode {
                lo: segment.start,
                hi: segment.end,
                depth: depth + 1,
            })?;
            if let Some(child) = child {
                asked.push((node.node, segment));
                below.push(child);
            }
        }
        let (mut children, mut ended) = (Vec::new(), Vec::new());
        for (child, next) in below.into_iter().zip(self.next_moves(&asked)?) {
            match next {
                None => ended.push(self.game_at(child.node.lo)?),
                Some(mv) => children.push((mv, child)),
            }
        }
        ended.sort_unstable();
        Ok((children, ended))
    }

    /// The node after a move; `None` if the move was never played.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn child(&self, node: &TreeNode, mv: Move) -> Result<Option<TreeNode>, Damaged> {
        for segment in self.segments(&node.node)? {
            let asked = (node.node, segment);
            if self.next_moves(std::slice::from_ref(&asked))? == [Some(mv)] {
                return self.tree_node(IndexNode {
                    lo: asked.1.start,
                    hi: asked.1.end,
                    depth: node.node.depth + 1,
                });
            }
        }
        Ok(None)
    }

    /// The games of a node, in database order.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn games(&self, node: &TreeNode) -> Result<Vec<u32>, Damaged> {
        let games = self.selected(node.node.lo..node.node.hi);
        let mut games = games
            .map(|game| Ok(game?.1))
            .collect::<Result<Vec<u32>, Damaged>>()?;
        games.sort_unstable();
        Ok(games)
    }

    /// The first game of a node in database order.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn first_game_of(&self, node: &TreeNode) -> Result<u32, Damaged> {
        self.first_in(node.node.lo..node.node.hi)?.ok_or(Damaged)
    }

    /// The moves that lead to a node, and the position after them.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn line(&self, node: &TreeNode) -> Result<(Vec<Move>, Position), Damaged> {
        let game = self.game_at(node.node.lo)?;
        let (mut moves, mut reached) = (Vec::new(), Position::initial());
        if node.node.depth > 0 {
            follow(&*self.database, game, |step| {
                if let LineStep::Ply(ply) = step {
                    moves.push(ply.mv);
                    reached = *ply.position;
                }
                if moves.len() < node.node.depth as usize {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        if moves.len() == node.node.depth as usize {
            Ok((moves, reached))
        } else {
            Err(Damaged)
        }
    }

    /// The node that a game reaches after `depth` moves; `None` if the game is not in the tree or has fewer
    /// moves.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn node_of(&self, game: u32, depth: u32) -> Result<Option<TreeNode>, Damaged> {
        if game >= self.database.len() || self.database.keys(game).deleted || !self.selects(game) {
            return Ok(None);
        }
        let Some(place) = self.place_of(game) else {
            return Ok(None);
        };
        let usual = self.sections.usual();
        let (mut low, mut high) = (0, usual);
        let mut found = None;
        while low < high && found.is_none() {
            let middle = low.midpoint(high);
            let other = self.game_at(middle)?;
            let order = if other == game {
                Ordering::Equal
            } else {
                self.place_of(other).ok_or(Damaged)?.cmp(&place)
            };
            match order {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => found = Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        match found {
            Some(found) if place.plies() >= depth as usize => self.tree_node(self.around(found, depth)?),
            _ => Ok(None),
        }
    }

    /// The node one move above another; `None` for the root.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn above(&self, node: &TreeNode) -> Result<Option<TreeNode>, Damaged> {
        let Some(depth) = node.node.depth.checked_sub(1) else {
            return Ok(None);
        };
        self.tree_node(self.around(node.node.lo, depth)?)
    }

    /// `None` if the game has no start position.
    fn place_of(&self, game: u32) -> Option<IndexedGame> {
        let line = self.lines.get(&*self.database, game)?;
        Some(IndexedGame::new(game, line))
    }

    /// The node with `depth` moves that contains the game at a place.
    fn around(&self, place: u32, depth: u32) -> Result<IndexNode, Damaged> {
        let usual = self.sections.usual();
        let hi = self.next_below(place + 1, usual, depth + 1)?.unwrap_or(usual);
        let lo = self.last_below(place, depth + 1)?;
        Ok(IndexNode { lo, hi, depth })
    }
}
