//! `moves/`: the opening tree, with a directory for each move that was played.

use chessdb_library::once_lru::OnceLru;
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::games::Games;
use super::inode::Node;
use super::plies::{AtPly, BranchPositions, OpeningNode, Use};
use super::section::{Content, Existing, Kind, Section};
use chessdb::board::{Move, Position};
use chessdb_library::lines::{line_names, move_name, read_line, read_move};
use chessdb_library::made::Wait;
use chessdb_library::positions::{Pattern, position_name};

/// A directory with more games than this lists moves instead of games.
const MOST_GAMES: u32 = 32;

/// Entries of every directory. Directories that list moves list them, too. Directories that list games do not, because
/// a program that walks through all directories would wait for the table of each.
const FIXED: [(&str, Use); 2] = [("moves.csv", Use::MovesTable), ("position", Use::PositionLink)];

/// Maximum number of nodes of the opening tree that are kept.
const MOST_NODES: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Maximum number of directories whose entries are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The directories of moves. The node of a directory is the ply at which the first of its games has made
/// these moves.
pub(super) struct Moves {
    positions: BranchPositions,
    /// Recently used nodes of the opening tree.
    nodes: OnceLru<Node, OpeningNode>,
    kept: OnceLru<Node, Arc<Listing>>,
}

/// The contents of a directory.
struct Listing {
    /// Directories of moves, and the entries in [`FIXED`].
    entries: Vec<(String, Node)>,
    games: Arc<[u32]>,
}

impl Listing {
    /// The memory that it takes, in bytes.
    fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.games)
    }
}

impl Moves {
    /// `moves/` itself.
    pub(super) const TOP: Node = Node::new(Use::Moves.first_kind(), 0);

    /// All nodes.
    pub(super) const NODES: &[RangeInclusive<Node>] = &[Node::all_of(
        Use::Moves.first_kind(),
        Use::PositionLink.last_kind(),
    )];

    pub(super) fn new(positions: BranchPositions) -> Moves {
        Moves {
            positions,
            nodes: OnceLru::new(MOST_NODES),
            kept: OnceLru::new(MOST_KEPT),
        }
    }

    /// The node of the opening tree for a directory; `None` if it does not exist.
    fn game_set(&self, node: Node) -> Option<OpeningNode> {
        let make = || {
            self.positions
                .node_at(self.positions.plies().read(node))
                .ok_or(())
        };
        self.nodes.get_or_make(node, make).ok()
    }

    /// The node that shows a node of the opening tree for one use.
    fn node(&self, as_: Use, game_set: OpeningNode) -> Option<Node> {
        if game_set.depth == 0 {
            return Some(Moves::TOP);
        }
        let at = AtPly {
            game: game_set.first,
            ply: game_set.depth,
        };
        let node = self.positions.plies().node(as_, at)?;
        self.nodes.put(node, game_set);
        Some(node)
    }

    fn listing(&self, directory: Node) -> Option<Arc<Listing>> {
        let make = || self.new_listing(directory).map(Arc::new).ok_or(());
        self.kept.get_or_make(directory, make).ok()
    }

    fn new_listing(&self, directory: Node) -> Option<Listing> {
        let game_set = self.game_set(directory)?;
        let at = self.positions.plies().read(directory);
        let deeper = AtPly {
            ply: at.ply + 1,
            ..at
        };
        if game_set.games <= MOST_GAMES || self.positions.plies().node(Use::Moves, deeper).is_none() {
            return Some(Listing {
                entries: Vec::new(),
                games: self.positions.games(&game_set)?.into(),
            });
        }
        let position = self.position(directory)?;
        let (children, games) = self.positions.children(&game_set)?;
        let entry = |(mv, child): (Move, OpeningNode)| {
            let name = move_name(&position, mv)?;
            Some((name, self.node(Use::Moves, child)?))
        };
        let mut entries: Vec<(String, Node)> = children.into_iter().filter_map(entry).collect();
        let named = FIXED.iter().filter_map(|&(name, as_)| {
            let node = self.positions.plies().node(as_, at)?;
            Some((name.to_owned(), node))
        });
        entries.extend(named);
        entries.sort_unstable();
        Some(Listing {
            entries,
            games: games.into(),
        })
    }

    /// The position after the moves of a directory.
    fn position(&self, node: Node) -> Option<Position> {
        match self.positions.plies().read(node) {
            AtPly { ply: 0, .. } => Some(Position::initial()),
            at => self.positions.position(at),
        }
    }

    /// The name of the last move before a ply.
    fn last_move(&self, AtPly { game, ply }: AtPly) -> Option<String> {
        let ply = ply.checked_sub(1)?;
        let (position, mv) = self.positions.step(AtPly { game, ply })?;
        move_name(&position, mv?)
    }

    /// The directory of a move, or a link to it if `name` is another notation of the move.
    fn find_move(&self, directory: Node, name: &str) -> Option<Node> {
        let game_set = self.game_set(directory)?;
        let position = self.position(directory)?;
        let mv = read_move(&position, game_set.depth, name)?;
        let child = self.positions.child(&game_set, mv)?;
        let as_ = if move_name(&position, mv)? == name {
            Use::Moves
        } else {
            Use::MoveLink
        };
        self.node(as_, child)
    }

    /// A link to the directory of a sequence of moves.
    fn find_line(&self, text: &str) -> Option<Node> {
        let mut game_set = self.game_set(Moves::TOP)?;
        for mv in read_line(text)? {
            game_set = self.positions.child(&game_set, mv)?;
        }
        let link = (game_set.depth > 0).then_some(game_set)?;
        self.node(Use::LineLink, link)
    }
}

impl Section for Moves {
    fn kind(&self, node: Node) -> Kind {
        match Use::of(node) {
            Some(Use::MoveLink | Use::LineLink | Use::PositionLink) => Kind::Link,
            Some(Use::MovesTable) => Kind::File,
            _ => Kind::Directory,
        }
    }

    /// A link count of 1 tells programs such as `find` that subdirectories are not counted.
    fn links(&self, _: Node) -> u32 {
        1
    }

    fn bytes(&self) -> usize {
        let listings = self.kept.sum(|listing| listing.bytes());
        self.positions.bytes() + self.nodes.count() * size_of::<OpeningNode>() + listings
    }

    /// Without the cache, a node has to be found in the opening tree again by replaying games.
    fn wait_to_open(&self, node: Node) -> Wait {
        let is_kept = node == Moves::TOP || self.nodes.has(&node);
        self.positions.wait().max(Wait::Common.unless(is_kept))
    }

    fn is_unavailable(&self) -> bool {
        self.positions.has_failed()
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        if node == Moves::TOP {
            return Some(Existing::Directory);
        }
        self.game_set(node)?;
        let at = self.positions.plies().read(node);
        let target = match Use::of(node)? {
            Use::MoveLink => self.last_move(at)?,
            Use::LineLink => {
                let (database, game) = self.positions.game_set().database_of(at.game)?;
                line_names(database, game, at.ply)?.join("/")
            }
            Use::PositionLink => {
                let position = position_name(&self.position(node)?);
                format!("{}positions/{position}", "../".repeat(at.ply as usize + 1))
            }
            Use::MovesTable => return Some(Existing::File(Content::Own)),
            _ => return Some(Existing::Directory),
        };
        Some(Existing::Link(target.into()))
    }

    fn text(&self, node: Node) -> Option<String> {
        self.game_set(node)?;
        let pattern = Pattern::new(self.position(node)?);
        self.positions.moves_table(&pattern)
    }

    fn parent(&self, node: Node) -> Node {
        if node == Moves::TOP {
            return Node::DATABASE;
        }
        let at = match Use::of(node) {
            Some(Use::LineLink) => None,
            Some(Use::MovesTable | Use::PositionLink) => Some(self.positions.plies().read(node)),
            _ => self
                .game_set(node)
                .and_then(|game_set| self.positions.above(&game_set)),
        };
        at.filter(|at| at.ply > 0)
            .and_then(|at| self.positions.plies().node(Use::Moves, at))
            .unwrap_or(Moves::TOP)
    }

    fn len(&self, directory: Node) -> usize {
        self.listing(directory)
            .map_or(0, |listing| listing.entries.len() + listing.games.len())
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let listing = self.listing(directory)?;
        match listing.entries.get(n) {
            Some((name, node)) => Some((name.clone().into(), *node)),
            None => {
                let n = n - listing.entries.len();
                self.positions.game_set().game_at(&Games::of(&listing.games), n)
            }
        }
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        if name.ends_with(".pgn") {
            let listing = self.listing(directory)?;
            return self
                .positions
                .game_set()
                .game_of_name(name, &Games::of(&listing.games));
        }
        if let Some(&(_, as_)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
            let at = self.positions.plies().read(directory);
            self.game_set(directory)?;
            return self.positions.plies().node(as_, at);
        }
        let found = self.find_move(directory, name);
        found.or_else(|| self.find_line(name).filter(|_| directory == Moves::TOP))
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        Some(Games::shared(&self.listing(directory)?.games))
    }
}
