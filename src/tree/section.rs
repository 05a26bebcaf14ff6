//! Sections of a database's directory, each with the directories, files and links of one origin.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::all::InParts;
use super::game_numbers::GameNumbers;
use super::inode::{Node, Table};
use super::one_database::OneDatabase;
use chessdb::formats::Keys;

/// A section of a database's directory: some names in it, and everything below them.
///
/// Only the section interprets the numbers of its nodes. Apart from games, which belong to `games/` but may
/// be listed by any directory, it creates only nodes that its [`Row`] assigns to it.
pub trait Section: Send + Sync {
    /// Names in the database's directory, beside those of the [`Row`], with their nodes.
    fn top(&self) -> Vec<(String, Node)> {
        Vec::new()
    }

    /// The kind of a node, judged by its number alone: the node need not exist. Builds and reads nothing.
    fn kind(&self, node: Node) -> Kind;

    /// True if all games have to be sorted or searched before any request for a node can be answered.
    fn must_build(&self, _: Node) -> bool {
        false
    }

    /// True if the entries are unknown because the index they depend on could not be built.
    fn is_unavailable(&self) -> bool {
        false
    }

    /// The node, if it exists.
    fn open(&self, node: Node) -> Option<Existing<'_>>;

    /// The text of a file that holds [`Content::Own`].
    fn text(&self, _: Node) -> Option<String> {
        None
    }

    /// The directory that holds a node; for a game, the one in `games/`.
    fn parent(&self, _: Node) -> Node {
        Node::DATABASE
    }

    /// The link count. For a directory: 2 plus the number of subdirectories, or 1 if these would have to be
    /// counted first. For other nodes except games: the number of directories that show them. For games, see
    /// [`Section::directories_of`].
    fn links(&self, _: Node) -> u32 {
        1
    }

    /// The number of directories of the section that show a game.
    fn directories_of(&self, _game: u32, _: &Keys) -> u32 {
        0
    }

    /// The number of entries that a directory lists.
    fn len(&self, _directory: Node) -> usize {
        0
    }

    /// The nth entry that a directory lists.
    fn entry_at(&self, _directory: Node, _n: usize) -> Option<(Cow<'_, str>, Node)> {
        None
    }

    /// The entry with this name in a directory. The directory need not list it.
    fn child(&self, _directory: Node, _name: &str) -> Option<Node> {
        None
    }

    /// The games that a directory lists after `game`, or all of them; `None` if it does not list `game`.
    fn games_after(&self, _directory: Node, _game: Option<u32>) -> Option<DirectoryGames<'_>> {
        None
    }
}

/// A kind of section: its properties that are the same in every database.
pub struct Row {
    /// Names in the database's directory, with their nodes. No user's view can have one of them.
    pub names: &'static [(&'static str, Node)],
    /// The nodes of the section: whole kinds of nodes, or some of the nodes that a database has once.
    pub nodes: &'static [RangeInclusive<Node>],
    /// True if the section is left out when there is no index of positions.
    pub needs_index: bool,
    /// Creates the section of a database. Builds and reads nothing.
    pub new: fn(&Arc<OneDatabase>) -> Box<dyn Section>,
}

impl Row {
    /// True for a node of the section.
    pub(super) const fn has(&self, node: Node) -> bool {
        let mut n = 0;
        while n < self.nodes.len() {
            let nodes = &self.nodes[n];
            if nodes.start().code() <= node.code() && node.code() <= nodes.end().code() {
                return true;
            }
            n += 1;
        }
        false
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.iter().map(|(name, _)| name);
        f.debug_list().entries(names).entries(self.nodes).finish()
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.names, self.nodes) == (other.names, other.nodes)
    }
}

impl Eq for Row {}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
}

/// A node that exists.
pub enum Existing<'a> {
    /// A directory, which the section lists.
    Directory,
    /// A file.
    File(Content<'a>),
    /// A symbolic link to this path, relative to the directory that holds it.
    Link(Cow<'a, str>),
}

/// The content of a file.
#[derive(Clone)]
pub enum Content<'a> {
    /// A game.
    Game(u32),
    /// All games.
    AllGames,
    /// The texts of some games, concatenated in database order.
    Games(GameNumbers<'a>),
    /// Like [`Content::Games`], with games of several databases.
    InParts(InParts<'a>),
    /// Like [`Content::Games`], with games found by a search.
    Found(Arc<[u32]>),
    /// The tags of games found by a search.
    FoundTable(Arc<[u32]>),
    /// A text that the section generates: [`Section::text`].
    Own,
    /// Facts about the database: `info.txt`.
    Info,
    /// The problems of the database and its games.
    Problems,
    /// Charts of the games: `overview.html`.
    Overview,
    /// A raw file inside the database, of this size.
    Member(u32, u64),
    /// A PGN document that is part of the database.
    Document(u32),
    /// The tags of all games.
    Table(Table),
    /// Like [`Content::Table`], as a Parquet file.
    Parquet,
    /// The games that have duplicates.
    Duplicates,
}

/// Games of a directory, in the directory's order.
pub enum DirectoryGames<'a> {
    /// Games with consecutive numbers.
    Numbers(Range<u32>),
    /// Games of a list, within a range of indices.
    Listed(GameNumbers<'a>, Range<usize>),
    /// Games of several databases, within a range of indices in their directory.
    InParts(InParts<'a>, Range<usize>),
    /// Games found by a search, from an index on.
    Found(Arc<[u32]>, usize),
}

impl<'a> DirectoryGames<'a> {
    /// The games of a list after the first few.
    pub fn after(games: GameNumbers<'a>, first: usize) -> Option<DirectoryGames<'a>> {
        let places = first..games.len();
        (first <= games.len()).then_some(DirectoryGames::Listed(games, places))
    }

    /// The games after `game` in a list in database order, or all of them; `None` if the list does not
    /// contain `game`.
    pub(super) fn found_after(games: &Arc<[u32]>, game: Option<u32>) -> Option<DirectoryGames<'a>> {
        let first = match game {
            Some(game) => games.binary_search(&game).ok()? + 1,
            None => 0,
        };
        Some(DirectoryGames::Found(Arc::clone(games), first))
    }
}

impl Iterator for DirectoryGames<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            DirectoryGames::Numbers(games) => games.next(),
            DirectoryGames::Listed(games, places) => games.get(places.next()?),
            DirectoryGames::InParts(games, places) => games.get(places.next()?),
            DirectoryGames::Found(games, place) => {
                let game = games.get(*place).copied();
                *place += 1;
                game
            }
        }
    }
}
