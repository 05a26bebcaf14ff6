//! What a database's directory is made of: sections, each with the directories, files and links of one origin.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::slice;
use std::sync::Arc;

use super::common::Common;
use super::inode::{Node, Table};
use chessdb::formats::Keys;

/// A section of a database's directory: some names in it, and everything below them.
///
/// Only the section knows what the numbers of its nodes stand for. It makes nothing that its [`Row`] does not give to
/// it, except for games: they belong to `games/`, and any directory may show them.
pub trait Section: Send + Sync {
    /// Names in the database's directory, beside those of the [`Row`], with their nodes.
    fn top(&self) -> Vec<(String, Node)> {
        Vec::new()
    }

    /// What a node is, as far as its number says: the node need not exist. Nothing is built or read for it.
    fn kind(&self, node: Node) -> Kind;

    /// True where all games have to be sorted before anything can be said about a node.
    fn must_build(&self, _: Node) -> bool {
        false
    }

    /// The node, where it exists.
    fn open(&self, node: Node) -> Option<Object<'_>>;

    /// The directory that holds a node; for a game the one in `games/`.
    fn parent(&self, _: Node) -> Node {
        Node::DATABASE
    }

    /// For a directory 2 and one for each subdirectory, or 1 where these would have to be counted first; for all else
    /// the number of directories that show it. Games are left to [`Section::directories_of`].
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

    /// The entry of a name in a directory. It need not be listed.
    fn child(&self, _directory: Node, _name: &str) -> Option<Node> {
        None
    }

    /// The games that a directory lists after `game`, or all of them; none where it does not list `game`.
    fn games_after(&self, _directory: Node, _game: Option<u32>) -> Option<DirectoryGames<'_>> {
        None
    }
}

/// A kind of section: what it has in every database.
pub struct Row {
    /// Names in the database's directory, with their nodes. No user's view can have one of them.
    pub names: &'static [(&'static str, Node)],
    /// The nodes of the section: whole kinds of nodes, or some of those that a database has once.
    pub nodes: &'static [RangeInclusive<Node>],
    /// Makes the section of a database. Nothing is built or read for it.
    pub new: fn(&Arc<Common>) -> Box<dyn Section>,
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

/// What a node is.
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
pub enum Object<'a> {
    /// A directory: the section lists it.
    Directory,
    /// A file.
    File(Content<'a>),
    /// A symbolic link to this path, relative to the directory that holds it.
    Link(Cow<'a, str>),
}

/// What a file holds.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// A game.
    Game(u32),
    /// All games.
    AllGames,
    /// Some games one after the other, in database order.
    Games(&'a [u32]),
    /// What is to be said about the database.
    Info,
    /// The problems of the database and its games.
    Problems,
    /// A raw file inside the database, of this size.
    Member(u32, u64),
    /// A PGN document of the database's own.
    Document(u32),
    /// The tags of all games.
    Table(Table),
}

/// Games of a directory in its order.
pub enum DirectoryGames<'a> {
    /// Games one after the other.
    Numbers(Range<u32>),
    /// Games that are listed.
    Listed(slice::Iter<'a, u32>),
}

impl<'a> DirectoryGames<'a> {
    /// The games of a list after the first few.
    pub fn after(games: &'a [u32], first: usize) -> Option<DirectoryGames<'a>> {
        Some(DirectoryGames::Listed(games.get(first..)?.iter()))
    }
}

impl Iterator for DirectoryGames<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            DirectoryGames::Numbers(games) => games.next(),
            DirectoryGames::Listed(games) => games.next().copied(),
        }
    }
}
