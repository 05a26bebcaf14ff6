//! `games/`: all games by number, in directories of a thousand.

use std::borrow::Cow;
use std::sync::Arc;

use super::branch::GameSet;
use super::game_name::game_of_name;
use super::games::Games;
use super::inode::{KIND_BLOCK, KIND_GAME, Node};
use super::section::{Content, Existing, Kind, Section};
use chessdb::Keys;
use chessdb_library::library::{BLOCK, block_name, numbered_game_name};
use chessdb_library::made::Made;

/// The games of the only database of a branch, and the blocks that contain them.
pub(super) struct Blocks {
    game_set: Arc<GameSet>,
    /// The numbers of the blocks that have games, if not all games are shown.
    filtered: Made<Vec<u32>>,
}

impl Blocks {
    /// `None` if the branch has several databases.
    pub(super) fn new(game_set: &Arc<GameSet>) -> Option<Blocks> {
        game_set.only_database()?;
        Some(Blocks {
            game_set: Arc::clone(game_set),
            filtered: Made::new(),
        })
    }

    fn digits(&self) -> usize {
        let database = self.game_set.only_database();
        database.map_or(1, |database| database.digits())
    }

    /// Number of blocks that have games.
    fn len(&self) -> usize {
        match self.filtered() {
            Some(blocks) => blocks.len(),
            None => self.game_set.games_of(0).len().div_ceil(BLOCK as usize),
        }
    }

    /// The nth block that has games.
    fn nth(&self, n: usize) -> Option<u32> {
        match self.filtered() {
            Some(blocks) => blocks.get(n).copied(),
            None => (n < self.len()).then_some(n as u32),
        }
    }

    fn filtered(&self) -> Option<&[u32]> {
        let mut rest = self.game_set.selected(0)?;
        Some(self.filtered.get_or(|| {
            let mut blocks = Vec::new();
            while let Some(&first) = rest.first() {
                let block = first / BLOCK;
                blocks.push(block);
                let next = rest.partition_point(|game| game / BLOCK <= block);
                rest = rest.get(next..).unwrap_or_default();
            }
            blocks
        }))
    }

    /// The games of a block; none for `games/` itself.
    fn games_in(&self, directory: Node) -> Games<'_> {
        if directory == Node::GAMES {
            return Games::NONE;
        }
        let first = directory.number().saturating_mul(BLOCK);
        self.game_set.games_between(first..first.saturating_add(BLOCK))
    }
}

impl Section for Blocks {
    fn kind(&self, node: Node) -> Kind {
        match node.as_game() {
            Some(_) => Kind::File,
            None => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        match (node.kind(), node.number()) {
            (KIND_GAME, game) => {
                let games = self.game_set.games_between(game..game.saturating_add(1));
                (!games.is_empty()).then_some(Existing::File(Content::Game(game)))
            }
            (KIND_BLOCK, _) => (!self.games_in(node).is_empty()).then_some(Existing::Directory),
            _ => Some(Existing::Directory),
        }
    }

    fn parent(&self, node: Node) -> Node {
        match (node.kind(), node.number()) {
            (KIND_GAME, game) => Node::block(game / BLOCK),
            (KIND_BLOCK, _) => Node::GAMES,
            _ => Node::DATABASE,
        }
    }

    fn links(&self, directory: Node) -> u32 {
        match directory {
            Node::GAMES => (Blocks::len(self) as u32).saturating_add(2),
            _ => 2,
        }
    }

    fn directories_of(&self, _game: u32, _: &Keys) -> u32 {
        1
    }

    fn len(&self, directory: Node) -> usize {
        match directory {
            Node::GAMES => Blocks::len(self),
            _ => self.games_in(directory).len(),
        }
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let digits = self.digits();
        if directory == Node::GAMES {
            let block = self.nth(n)?;
            return Some((block_name(block, digits).into(), Node::block(block)));
        }
        let game = self.games_in(directory).get(n)?;
        Some((numbered_game_name(game, digits).into(), Node::game(game)))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let digits = self.digits();
        if directory == Node::GAMES {
            let first: u32 = name.split('-').next()?.parse().ok()?;
            let block = first.checked_sub(1)? / BLOCK;
            let node = Node::block(block);
            let is_name = !self.games_in(node).is_empty() && block_name(block, digits) == name;
            return is_name.then_some(node);
        }
        let game = game_of_name(name, digits)?;
        let is_here = self.games_in(directory).position(game).is_some();
        (is_here && numbered_game_name(game, digits) == name).then_some(Node::game(game))
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        (directory != Node::GAMES).then(|| self.games_in(directory))
    }
}
