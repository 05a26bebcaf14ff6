//! Sections of the directory of a branch, each with the directories, files and links of one origin.

use std::borrow::Cow;

use super::games::Games;
use super::inode::{Node, Table};
use chessdb::Keys;
use chessdb_library::made::Wait;

/// A section of the directory of a branch: some names in it, and everything below them.
///
/// Only the section interprets the numbers of its nodes. Apart from games, which belong to `games/` but may
/// be listed by any directory, it creates only nodes that its [`Row`](super::rows::Row) assigns to it.
pub trait Section: Send + Sync {
    /// Names in the directory that the [`Row`](super::rows::Row) lacks, with their nodes.
    fn top(&self) -> Vec<(String, Node)> {
        Vec::new()
    }

    /// The kind of a node, judged by its number alone: the node need not exist. Builds and reads nothing.
    fn kind(&self, node: Node) -> Kind;

    /// What to wait for before any request for a node: all games may have to be sorted or searched.
    fn wait_to_open(&self, _: Node) -> Wait {
        Wait::None
    }

    /// True if the entries are unknown because the index they depend on could not be built.
    fn is_unavailable(&self) -> bool {
        false
    }

    /// The node, if it exists.
    fn open(&self, node: Node) -> Option<Existing<'_>>;

    /// The text of a file with content of its own.
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

    /// The part of its memory that grows with use, in bytes.
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

    /// The games that a directory lists; `None` for a directory that lists no games.
    fn games(&self, _directory: Node) -> Option<Games<'_>> {
        None
    }
}

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

/// A node that exists. A section describes a file by its content.
pub enum Existing<'a, F = Content<'a>> {
    /// A directory, which the section lists.
    Directory,
    /// A directory that contains directories of searches in addition to the entries of its section.
    Searches,
    /// A file.
    File(F),
    /// A symbolic link to this path, relative to the directory that holds it.
    Link(Cow<'a, str>),
}

impl<'a, F> Existing<'a, F> {
    /// The same node with its file described by `file`. `None` if `file` returns that.
    pub fn with_file<G>(self, file: impl FnOnce(F) -> Option<G>) -> Option<Existing<'a, G>> {
        Some(match self {
            Existing::Directory => Existing::Directory,
            Existing::Searches => Existing::Searches,
            Existing::File(own) => Existing::File(file(own)?),
            Existing::Link(target) => Existing::Link(target),
        })
    }
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
    /// The tags of all games.
    Table(Table),
    /// Like [`Content::Table`], as a Parquet file.
    Parquet,
    /// The games that have duplicates.
    Duplicates,
}
