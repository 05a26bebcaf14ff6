//! `games/`: all games by number, in directories of a thousand.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::game_name::game_of_name;
use super::inode::{KIND_BLOCK, KIND_GAME, Node};
use super::one_database::OneDatabase;
use super::section::{Content, DirectoryGames, Existing, Kind, Section};
use chessdb::formats::Keys;
use chessdb_library::library::{BLOCK, block_name, numbered_game_name};

/// The games of a database and the blocks that contain them.
pub(super) struct Games(Arc<OneDatabase>);

impl Games {
    pub(super) fn new(common: &Arc<OneDatabase>) -> Games {
        Games(Arc::clone(common))
    }

    fn blocks(&self) -> u32 {
        self.0.database().len().div_ceil(BLOCK)
    }

    /// The games of a block; empty for `games/` itself.
    fn games(&self, directory: Node) -> Range<u32> {
        if directory == Node::GAMES {
            return 0..0;
        }
        let first = directory.number().saturating_mul(BLOCK);
        first..first.saturating_add(BLOCK).min(self.0.database().len())
    }
}

impl Section for Games {
    fn kind(&self, node: Node) -> Kind {
        match node.as_game() {
            Some(_) => Kind::File,
            None => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        match (node.kind(), node.number()) {
            (KIND_GAME, game) => {
                (game < self.0.database().len()).then_some(Existing::File(Content::Game(game)))
            }
            (KIND_BLOCK, block) => (block < self.blocks()).then_some(Existing::Directory),
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
            Node::GAMES => self.blocks().saturating_add(2),
            _ => 2,
        }
    }

    fn directories_of(&self, _game: u32, _: &Keys) -> u32 {
        1
    }

    fn len(&self, directory: Node) -> usize {
        match directory {
            Node::GAMES => self.blocks() as usize,
            _ => self.games(directory).len(),
        }
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let digits = self.0.digits();
        if directory == Node::GAMES {
            let block = u32::try_from(n).ok().filter(|&block| block < self.blocks())?;
            return Some((block_name(block, digits).into(), Node::block(block)));
        }
        let game = self.games(directory).nth(n)?;
        Some((numbered_game_name(game, digits).into(), Node::game(game)))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let digits = self.0.digits();
        if directory == Node::GAMES {
            let first: u32 = name.split('-').next()?.parse().ok()?;
            let block = first.checked_sub(1)? / BLOCK;
            let is_name = block < self.blocks() && block_name(block, digits) == name;
            return is_name.then_some(Node::block(block));
        }
        let game = game_of_name(name, digits)?;
        let is_here = self.games(directory).contains(&game) && numbered_game_name(game, digits) == name;
        is_here.then_some(Node::game(game))
    }

    fn games_after(&self, directory: Node, game: Option<u32>) -> Option<DirectoryGames<'_>> {
        let games = self.games(directory);
        match game {
            _ if directory == Node::GAMES => None,
            Some(game) if games.contains(&game) => Some(DirectoryGames::Numbers(game + 1..games.end)),
            Some(_) => None,
            None => Some(DirectoryGames::Numbers(games)),
        }
    }
}
