//! The opening tree of a branch.

use super::branch_positions::BranchPositions;
use super::ply::AtPly;
use chessdb::board::Move;
use chessdb_library::positions::{Index, TreeNode};

/// A node of the opening tree: the games that begin with the same moves.
#[derive(Clone)]
pub(super) struct OpeningNode {
    /// Number of moves that lead to the node.
    pub(super) depth: u32,
    /// Number of games.
    pub(super) games: u32,
    /// The first game.
    pub(super) first: u32,
    /// The first game of the node one move above, if this is known.
    above: Option<u32>,
    /// The nodes of the databases that have such games, each with the number of its database.
    parts: Vec<(usize, TreeNode)>,
}

/// The moves of a node with the nodes after them, and the games that end at the node.
pub(super) type Continuations = (Vec<(Move, OpeningNode)>, Vec<u32>);

impl BranchPositions {
    /// The node of all games that begin in the usual position; `None` if there are none.
    pub(super) fn root(&self) -> Option<OpeningNode> {
        let mut parts = Vec::new();
        for &number in self.indexed() {
            if let Some(root) = self.ask(number, Index::root)? {
                parts.push((number, root));
            }
        }
        self.combine(parts, None)
    }

    /// The node with these nodes of the databases; `None` if there are none.
    fn combine(&self, parts: Vec<(usize, TreeNode)>, above: Option<u32>) -> Option<OpeningNode> {
        let &(number, node) = parts.first()?;
        let game = self.ask(number, |index| index.first_game_of(&node))?;
        Some(OpeningNode {
            depth: node.depth(),
            games: parts.iter().map(|(_, node)| node.games()).sum(),
            first: self.number_of(number, game)?,
            above,
            parts,
        })
    }

    /// The number, among the games of all databases, of a game of one database.
    fn number_of(&self, number: usize, game: u32) -> Option<u32> {
        Some(self.part(number)?.first + game)
    }

    /// The node whose first game is that of `at` and that this game reaches there; `None` if there is none.
    pub(super) fn node_at(&self, at: AtPly) -> Option<OpeningNode> {
        if at.ply == 0 {
            return self.root().filter(|_| at.game == 0);
        }
        let (number, game) = self.game_set().place_of(at.game);
        let node = self.ask(number, |index| match index.node_of(game, at.ply)? {
            Some(node) if index.first_game_of(&node)? == game => Ok(Some(node)),
            _ => Ok(None),
        })??;
        let found = match self.indexed() {
            [_] => self.combine(vec![(number, node)], None),
            _ => self.follow(number, &node, at.ply),
        };
        found.filter(|found| found.first == at.game)
    }

    /// The node after the first moves that lead to a node of one database.
    fn follow(&self, number: usize, node: &TreeNode, depth: u32) -> Option<OpeningNode> {
        let (moves, _) = self.ask(number, |index| index.line(node))?;
        let mut reached = self.root()?;
        for mv in moves.into_iter().take(depth as usize) {
            reached = self.child(&reached, mv)?;
        }
        Some(reached)
    }

    /// The nodes one move below a node, and the games that end there.
    pub(super) fn children(&self, node: &OpeningNode) -> Option<Continuations> {
        let mut nodes: Vec<(Move, Vec<(usize, TreeNode)>)> = Vec::new();
        let mut ended = Vec::new();
        for (number, part) in &node.parts {
            let (children, games) = self.ask(*number, |index| index.children(part))?;
            for child in children {
                match nodes.iter_mut().find(|(mv, _)| *mv == child.mv) {
                    Some((_, parts)) => parts.push((*number, child.node)),
                    None => nodes.push((child.mv, vec![(*number, child.node)])),
                }
            }
            let first = self.number_of(*number, 0)?;
            ended.extend(games.into_iter().map(|game| first + game));
        }
        let nodes = nodes
            .into_iter()
            .map(|(mv, parts)| Some((mv, self.combine(parts, Some(node.first))?)));
        Some((nodes.collect::<Option<_>>()?, ended))
    }

    /// The node after a move; `None` if it was never played.
    pub(super) fn child(&self, node: &OpeningNode, mv: Move) -> Option<OpeningNode> {
        let mut parts = Vec::new();
        for (number, part) in &node.parts {
            if let Some(child) = self.ask(*number, |index| index.child(part, mv))? {
                parts.push((*number, child));
            }
        }
        self.combine(parts, Some(node.first))
    }

    /// The ply of the node one move above another; `None` for the root.
    pub(super) fn above(&self, node: &OpeningNode) -> Option<AtPly> {
        let ply = node.depth.checked_sub(1)?;
        if let Some(game) = node.above {
            return Some(AtPly { game, ply });
        }
        let (number, part) = node.parts.first()?;
        let game = match self.indexed() {
            [_] => {
                let above = self.ask(*number, |index| index.above(part))??;
                self.ask(*number, |index| index.first_game_of(&above))?
            }
            _ => self.follow(*number, part, ply)?.first,
        };
        Some(AtPly { game, ply })
    }

    /// The games of a node, in the order of the databases.
    pub(super) fn games(&self, node: &OpeningNode) -> Option<Vec<u32>> {
        let mut games = Vec::with_capacity(node.games as usize);
        for (number, part) in &node.parts {
            let own = self.ask(*number, |index| index.games(part))?;
            let first = self.number_of(*number, 0)?;
            games.extend(own.into_iter().map(|game| first + game));
        }
        Some(games)
    }
}
