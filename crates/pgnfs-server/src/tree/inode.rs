//! Inode numbers: computed from what a node is, and read back without a table.
//!
//! | bits   | in a database                            | elsewhere           |
//! |--------|------------------------------------------|---------------------|
//! | 40..64 | prefix of the database, never 0          | 0                   |
//! | 32..40 | kind of the node, see [`Node`]           | hash of the path    |
//! | 0..32  | number of the node within its kind       | hash of the path    |

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::counted::Counted;

/// Number of a node, the same in every mount of the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inode(pub u64);

impl Inode {
    /// The root of the tree.
    pub const ROOT: Inode = Inode(1);
    /// `info.txt` at the root, where that is not a database's own directory.
    pub const LIBRARY_INFO: Inode = Inode(2);
    /// Smaller numbers are never made from a hash.
    pub(super) const FIRST_HASHED: u64 = 16;

    /// The inode of a database's node.
    pub fn of(prefix: Prefix, node: Node) -> Inode {
        Inode(u64::from(prefix.0) << 40 | node.code())
    }

    /// True for the number of a game, which need not exist.
    pub fn is_game(self) -> bool {
        self.node().is_some_and(|(_, node)| node.kind == KIND_GAME)
    }

    /// The prefix and the node in this number. The node need not exist.
    pub fn node(self) -> Option<(Prefix, Node)> {
        let [a, b, c, kind, number @ ..] = self.0.to_be_bytes();
        let prefix = Prefix(u32::from_be_bytes([0, a, b, c]));
        let node = Node::new(kind, u32::from_be_bytes(number));
        (prefix.0 != 0).then_some((prefix, node))
    }
}

/// The upper 24 bits of all inodes of a database, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix(u32);

impl Prefix {
    /// A prefix made from a hash.
    fn from_hash(hash: u64) -> Prefix {
        let [.., a, b, c] = hash.to_be_bytes();
        Prefix(u32::from_be_bytes([0, a, b, c]).max(1))
    }

    /// The highest.
    pub const LAST: Prefix = Prefix(0x00ff_ffff);

    /// A prefix by its number, which is not 0.
    pub const fn numbered(number: u32) -> Prefix {
        Prefix(number & Prefix::LAST.0)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Assigns a prefix made from an identity hash, or the next one that is neither taken nor in `given`, and adds it
    /// to `given`.
    pub fn free(hash: u64, given: &mut HashSet<Prefix>, is_taken: impl Fn(Prefix) -> bool) -> Prefix {
        let mut prefix = Prefix::from_hash(hash);
        while is_taken(prefix) || !given.insert(prefix) {
            prefix = prefix.next();
        }
        prefix
    }

    /// The prefix to try if this one is taken.
    fn next(self) -> Prefix {
        Prefix(((self.0 + 1) & Prefix::LAST.0).max(1))
    }
}

/// A file, directory or link in a database's directory: its kind and its number within the kind.
///
/// Only the [`Section`](super::Section) that has it can interpret it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    kind: u8,
    number: u32,
}

/// Nodes that a database has once.
pub(super) const KIND_SINGLE: u8 = 0;
/// A directory of a thousand games in `games/`.
pub(super) const KIND_BLOCK: u8 = 1;
/// A game, in every directory that shows it.
pub(super) const KIND_GAME: u8 = 2;
/// A directory of raw files, such as `emb/`.
pub(super) const KIND_MEMBER_DIRECTORY: u8 = 3;
/// A raw file inside the database.
pub(super) const KIND_MEMBER: u8 = 4;
/// A folder of the database's own; 0 is `collections/`, which holds them.
pub(super) const KIND_COLLECTION: u8 = 5;
/// A PGN document of the database's own, such as `book.pgn`.
pub(super) const KIND_DOCUMENT: u8 = 6;
/// `positions/` and its entries.
pub(super) const KIND_POSITIONS: u8 = 7;
/// A directory in the path of a FEN with slashes: its first ranks.
pub(super) const KIND_RANKS: u8 = 8;
/// A link in `search/` to the canonical name of a query.
pub(super) const KIND_SEARCH_LINK: u8 = 9;
/// A directory of a view; 0 is the view's own. Views take 32 kinds. Their merged files take as many, and so do the
/// directories of these.
pub(super) const KIND_VIEW: u8 = 0x40;
/// All games of a view's directory as one file; 0 is `merged/<view>/`.
pub(super) const KIND_MERGED: u8 = 0x60;
/// A directory of merged files, for a directory of a view.
pub(super) const KIND_MERGED_FOLDER: u8 = 0x80;
pub(super) const LAST_MERGED_FOLDER: u8 = 0x9f;
/// A position of a game without all of its rights. It has the same uses as a ply.
pub(super) const KIND_LOOSE: u8 = 0xac;
/// A ply of a game, from here to the last kind; [`Use`](super::plies::Use) says what for.
pub(super) const KIND_PLY: u8 = 0xc0;

/// Maximum number of views of a tree, including the user's.
pub(super) const MOST_VIEWS: usize = (KIND_MERGED - KIND_VIEW) as usize;

impl Node {
    /// The database's directory.
    pub const DATABASE: Node = Node::new(KIND_SINGLE, 0);
    /// `all.pgn`
    pub const ALL: Node = Node::new(KIND_SINGLE, 1);
    /// `info.txt`
    pub const INFO: Node = Node::new(KIND_SINGLE, 2);
    /// `tables/problems.txt`
    pub const PROBLEMS: Node = Node::new(KIND_SINGLE, 3);
    /// `games/`
    pub const GAMES: Node = Node::new(KIND_SINGLE, 4);
    /// `merged/`
    pub const MERGED: Node = Node::new(KIND_SINGLE, 5);
    /// `tables/games.csv`
    pub const CSV: Node = Node::new(KIND_SINGLE, 6);
    /// `tables/games.ndjson`
    pub const NDJSON: Node = Node::new(KIND_SINGLE, 7);
    /// `tables/games.parquet`
    pub const PARQUET: Node = Node::new(KIND_SINGLE, 8);
    /// `tables/overview.html`
    pub const OVERVIEW: Node = Node::new(KIND_SINGLE, 9);
    /// `tables/duplicates.csv`
    pub const DUPLICATES: Node = Node::new(KIND_SINGLE, 10);
    /// `search/`
    pub const SEARCH: Node = Node::new(KIND_SINGLE, 11);
    /// `search/syntax.txt`
    pub const SYNTAX: Node = Node::new(KIND_SINGLE, 12);
    /// `tables/deviations.csv`
    pub const DEVIATIONS: Node = Node::new(KIND_SINGLE, 13);
    /// `tables/`
    pub const TABLES: Node = Node::new(KIND_SINGLE, 14);

    /// The node with a number within a kind. No two sections share a kind.
    pub const fn new(kind: u8, number: u32) -> Node {
        Node { kind, number }
    }

    /// All nodes of some kinds.
    pub const fn all_of(first: u8, last: u8) -> RangeInclusive<Node> {
        Node::new(first, 0)..=Node::new(last, u32::MAX)
    }

    /// A game.
    pub const fn game(game: u32) -> Node {
        Node::new(KIND_GAME, game)
    }

    pub(super) fn block(block: u32) -> Node {
        Node::new(KIND_BLOCK, block)
    }

    pub(super) fn view(view: ViewId, directory: u32) -> Node {
        Node::new(KIND_VIEW + view.0, directory)
    }

    pub(super) fn merged(view: ViewId, directory: u32) -> Node {
        Node::new(KIND_MERGED + view.0, directory)
    }

    pub(super) fn merged_folder(view: ViewId, directory: u32) -> Node {
        Node::new(KIND_MERGED_FOLDER + view.0, directory)
    }

    /// The number that it has in an inode.
    pub(super) const fn code(self) -> u64 {
        (self.kind as u64) << 32 | self.number as u64
    }

    /// Its kind.
    pub const fn kind(self) -> u8 {
        self.kind
    }

    /// Its number within its kind.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The number of the game that it is.
    pub fn as_game(self) -> Option<u32> {
        (self.kind == KIND_GAME).then_some(self.number)
    }
}

/// Descriptions of nodes for the log, each with the first node that has it.
const NAMES: [(Node, &str); 25] = [
    (Node::DATABASE, "Database"),
    (Node::ALL, "All"),
    (Node::INFO, "Info"),
    (Node::PROBLEMS, "Problems"),
    (Node::GAMES, "Games"),
    (Node::MERGED, "Merged"),
    (Node::CSV, "Csv"),
    (Node::NDJSON, "Ndjson"),
    (Node::PARQUET, "Parquet"),
    (Node::OVERVIEW, "Overview"),
    (Node::DUPLICATES, "Duplicates"),
    (Node::SEARCH, "Search"),
    (Node::SYNTAX, "Syntax"),
    (Node::DEVIATIONS, "Deviations"),
    (Node::TABLES, "Tables"),
    (Node::new(KIND_BLOCK, 0), "Block"),
    (Node::new(KIND_GAME, 0), "Game"),
    (Node::new(KIND_MEMBER_DIRECTORY, 0), "MemberDirectory"),
    (Node::new(KIND_MEMBER, 0), "Member"),
    (Node::new(KIND_COLLECTION, 0), "Collection"),
    (Node::new(KIND_DOCUMENT, 0), "Document"),
    (Node::new(KIND_SEARCH_LINK, 0), "SearchLink"),
    (Node::new(KIND_VIEW, 0), "View"),
    (Node::new(KIND_MERGED, 0), "Merged"),
    (Node::new(KIND_MERGED_FOLDER, 0), "MergedFolder"),
];

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES.iter().rfind(|(first, _)| first <= self);
        let (first, name) = named.unwrap_or(&(Node::DATABASE, ""));
        match (self.kind, self.kind - first.kind) {
            (KIND_SINGLE, _) => f.write_str(name),
            (..KIND_VIEW, 0) => write!(f, "{name}({})", self.number),
            (KIND_VIEW..=LAST_MERGED_FOLDER, view) => write!(f, "{name}({view}, {})", self.number),
            _ => write!(f, "{:#x}({})", self.kind, self.number),
        }
    }
}

/// The tables of text in a database's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// `tables/games.csv`
    Csv,
    /// `tables/games.ndjson`
    Ndjson,
}

/// The place of a view in a [`Layout`](super::Layout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewId(pub(super) u8);

impl ViewId {
    /// The view of a directory.
    pub(super) fn of(directory: Node) -> ViewId {
        ViewId(directory.kind - KIND_VIEW)
    }

    /// The view of a merged file or a directory of such; none for `merged/` itself.
    pub(super) fn of_merged(node: Node) -> Option<ViewId> {
        let kind = node.kind.checked_sub(KIND_MERGED)?;
        Some(ViewId(kind % MOST_VIEWS as u8))
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Number of texts of each kind that are kept although no front end has their inodes.
const MOST_IDLE: usize = 1024;

/// The texts of such nodes, in the directories of the same databases.
#[derive(Default)]
pub(super) struct CountedTexts(OnceLock<Box<TextsByKind>>);

type TextsByKind = [Mutex<Counted<str>>; 2];

impl Node {
    /// True if its number is counted.
    pub(super) const fn is_counted(self) -> bool {
        matches!(self.kind(), KIND_RANKS | KIND_SEARCH_LINK)
    }
}

impl CountedTexts {
    fn of(&self, kind: u8) -> &Mutex<Counted<str>> {
        let none = || Box::new([(), ()].map(|()| Mutex::new(Counted::new(u32::MAX, MOST_IDLE))));
        let [ranks, links] = &**self.0.get_or_init(none);
        if kind == KIND_RANKS { ranks } else { links }
    }

    /// The node of a text. `None` if front ends have all numbers.
    pub(super) fn node(&self, kind: u8, text: &str) -> Option<Node> {
        let number = self.of(kind).lock().number(text, |_| true)?;
        Some(Node::new(kind, number))
    }

    /// The text of a node, if it is still kept.
    pub(super) fn text(&self, node: Node) -> Option<Arc<str>> {
        self.of(node.kind()).lock().key(node.number()).cloned()
    }

    /// Adds a reference to a node. Returns false if its text is no longer kept.
    pub(super) fn hold(&self, node: Node) -> bool {
        !node.is_counted() || self.of(node.kind()).lock().hold(node.number(), 1)
    }

    /// Subtracts references to a node.
    pub(super) fn release(&self, node: Node, times: u64) {
        if node.is_counted() {
            self.of(node.kind()).lock().release(node.number(), times);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_read_back_from_its_inode() {
        let nodes = [
            Node::DATABASE,
            Node::NDJSON,
            Node::game(u32::MAX),
            Node::merged(ViewId(31), 9),
            Node::new(u8::MAX, u32::MAX),
        ];
        for prefix in [Prefix(1), Prefix(0x00ff_ffff)] {
            for node in nodes {
                assert_eq!(Inode::of(prefix, node).node(), Some((prefix, node)));
            }
        }
    }

    #[test]
    fn numbers_are_the_same_for_ever() {
        let numbers = [
            (Node::DATABASE, 0x00_0000_0000),
            (Node::GAMES, 0x00_0000_0004),
            (Node::NDJSON, 0x00_0000_0007),
            (Node::PARQUET, 0x00_0000_0008),
            (Node::OVERVIEW, 0x00_0000_0009),
            (Node::DUPLICATES, 0x00_0000_000a),
            (Node::SEARCH, 0x00_0000_000b),
            (Node::SYNTAX, 0x00_0000_000c),
            (Node::DEVIATIONS, 0x00_0000_000d),
            (Node::block(7), 0x01_0000_0007),
            (Node::game(7), 0x02_0000_0007),
            (Node::new(KIND_DOCUMENT, 7), 0x06_0000_0007),
            (Node::view(ViewId(3), 9), 0x43_0000_0009),
            (Node::merged(ViewId(3), 0), 0x63_0000_0000),
            (Node::merged_folder(ViewId(31), 9), 0x9f_0000_0009),
        ];
        for (node, number) in numbers {
            assert_eq!(Inode::of(Prefix(1), node), Inode(1 << 40 | number), "{node:?}");
        }
    }

    #[test]
    fn numbers_without_a_database_are_no_nodes() {
        assert_eq!(Inode::ROOT.node(), None);
        assert_eq!(Inode(0x0000_00ff_ffff_ffff).node(), None);
    }

    #[test]
    fn prefixes_go_round_without_0() {
        assert_eq!(Prefix::from_hash(0xffff_ffff_ff00_0000), Prefix(1));
        assert_eq!(Prefix(0x00ff_ffff).next(), Prefix(1));
        assert_eq!(Prefix(1).next(), Prefix(2));
    }

    #[test]
    fn no_two_databases_have_one_prefix() {
        let mut given = HashSet::new();
        let mut free = |hash| Prefix::free(hash, &mut given, |prefix| prefix.number() == 9);
        let free = [7, 7, 8, u64::MAX, u64::MAX].map(&mut free);
        assert_eq!(free, [7, 8, 10, 0x00ff_ffff, 1].map(Prefix));
    }
}
