//! Sections of the directory of a branch, each with the directories, files and links of one origin.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::Branch;
use super::games::Games;
use super::inode::{Node, Table};
use chessdb::formats::Keys;

/// A section of the directory of a branch: some names in it, and everything below them.
///
/// Only the section interprets the numbers of its nodes. Apart from games, which belong to `games/` but may
/// be listed by any directory, it creates only nodes that its [`Row`] assigns to it.
pub trait Section: Send + Sync {
    /// Names in the directory, beside those of the [`Row`], with their nodes.
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

    /// The memory that it takes, in bytes, as far as it grows with what was asked for.
    fn bytes(&self) -> usize {
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

    /// The games that a directory lists; `None` for one that lists none.
    fn games(&self, _directory: Node) -> Option<Games<'_>> {
        None
    }
}

/// A kind of section: its properties that are the same in every branch.
pub struct Row {
    /// Names in the directory, with their nodes. No user's view can have one of them.
    pub names: &'static [(&'static str, Node)],
    /// The nodes of the section: whole kinds of nodes, or some of the nodes that a branch has once.
    pub nodes: &'static [RangeInclusive<Node>],
    /// True if the section is left out when there is no index of positions.
    pub needs_index: bool,
    /// Creates the section of a branch; `None` if this branch has none. Builds and reads nothing.
    pub new: fn(&Arc<Branch>) -> Option<Box<dyn Section>>,
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
    /// A directory that has directories of searches beside what the section lists.
    Searches,
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
    /// The texts of all games.
    AllGames,
    /// The texts of some games, one after the other.
    Games(Games<'a>),
    /// The tags of some games.
    TableOf(Games<'a>),
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
