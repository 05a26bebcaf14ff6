//! Inode numbers: computed from what a node is, and read back without a table.
//!
//! | bits   | in a database                            | elsewhere           |
//! |--------|------------------------------------------|---------------------|
//! | 40..64 | prefix of the database, never 0          | 0                   |
//! | 32..40 | kind of the node, see [`Node`]           | hash of the path    |
//! | 0..32  | number of the node among those of a kind | hash of the path    |

use std::collections::HashSet;

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
        let (kind, number) = node.to_parts();
        Inode(u64::from(prefix.0) << 40 | u64::from(kind) << 32 | u64::from(number))
    }

    /// True for the number of a game, which need not exist.
    pub fn is_game(self) -> bool {
        matches!(self.node(), Some((_, Node::Game(_))))
    }

    /// The database and the node, as far as the number tells: the node need not exist.
    pub fn node(self) -> Option<(Prefix, Node)> {
        let [a, b, c, kind, number @ ..] = self.0.to_be_bytes();
        let prefix = Prefix(u32::from_be_bytes([0, a, b, c]));
        let node = Node::from_parts(kind, u32::from_be_bytes(number))?;
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

    /// A prefix made from a hash of what a database is, or the next that is not among those given; it is among them
    /// from now on.
    pub fn free(hash: u64, given: &mut HashSet<Prefix>) -> Prefix {
        let mut prefix = Prefix::from_hash(hash);
        while !given.insert(prefix) {
            prefix = prefix.next();
        }
        prefix
    }

    /// The one to try where this one is taken.
    fn next(self) -> Prefix {
        Prefix(((self.0 + 1) & 0x00ff_ffff).max(1))
    }
}

/// A file or directory in a database's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The database's directory.
    Database,
    /// `all.pgn`
    All,
    /// `info.txt`
    Info,
    /// `problems.txt`
    Problems,
    /// `games/`
    Games,
    /// `merged/`
    Merged,
    /// A directory of a thousand games in `games/`.
    Block(u32),
    /// A game, wherever it is shown.
    Game(u32),
    /// A directory of raw files, such as `emb/`.
    MemberDirectory(u32),
    /// A raw file inside the database.
    Member(u32),
    /// A PGN document of the database's own, such as `book.pgn`.
    Document(u32),
    /// A folder of the database's own; 0 is `collections/`, which holds them.
    Collection(u32),
    /// A directory of a view; 0 is the view's own.
    View(ViewId, u32),
    /// `merged/<view>/`
    MergedView(ViewId),
    /// All games of a view's directory as one file.
    MergedFile(ViewId, u32),
    /// A directory of merged files, which stands for a view's directory.
    MergedFolder(ViewId, u32),
    /// A table of all games.
    Table(Table),
}

/// The tables in a database's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// `games.csv`
    Csv,
    /// `games.ndjson`
    Ndjson,
}

/// The place of a view among those of a [`Layout`](super::Layout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewId(pub(super) u8);

impl ViewId {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Nodes that a database has once; their number is their place here.
const SINGLE: [Node; 8] = [
    Node::Database,
    Node::All,
    Node::Info,
    Node::Problems,
    Node::Games,
    Node::Merged,
    Node::Table(Table::Csv),
    Node::Table(Table::Ndjson),
];

const KIND_SINGLE: u8 = 0;
const KIND_BLOCK: u8 = 1;
const KIND_GAME: u8 = 2;
const KIND_MEMBER_DIRECTORY: u8 = 3;
const KIND_MEMBER: u8 = 4;
const KIND_COLLECTION: u8 = 5;
const KIND_DOCUMENT: u8 = 6;
/// Views take 32 kinds, and as many for their merged files and for the directories of these. Directory 0 of a view is
/// never a file.
const KIND_VIEW: u8 = 0x40;
const KIND_MERGED: u8 = 0x60;
const KIND_MERGED_FOLDER: u8 = 0x80;
const KIND_END: u8 = 0x9f;

/// Most views of a tree, those of the user among them.
pub(super) const MOST_VIEWS: usize = (KIND_MERGED - KIND_VIEW) as usize;

impl Node {
    fn to_parts(self) -> (u8, u32) {
        match self {
            Node::Block(number) => (KIND_BLOCK, number),
            Node::Game(number) => (KIND_GAME, number),
            Node::MemberDirectory(number) => (KIND_MEMBER_DIRECTORY, number),
            Node::Member(number) => (KIND_MEMBER, number),
            Node::Collection(number) => (KIND_COLLECTION, number),
            Node::Document(number) => (KIND_DOCUMENT, number),
            Node::View(view, number) => (KIND_VIEW + view.0, number),
            Node::MergedView(view) => (KIND_MERGED + view.0, 0),
            Node::MergedFile(view, number) => (KIND_MERGED + view.0, number),
            Node::MergedFolder(view, number) => (KIND_MERGED_FOLDER + view.0, number),
            single => {
                let number = SINGLE.iter().position(|&node| node == single);
                (KIND_SINGLE, number.unwrap_or(0) as u32)
            }
        }
    }

    fn from_parts(kind: u8, number: u32) -> Option<Node> {
        Some(match kind {
            KIND_SINGLE => *SINGLE.get(number as usize)?,
            KIND_BLOCK => Node::Block(number),
            KIND_GAME => Node::Game(number),
            KIND_MEMBER_DIRECTORY => Node::MemberDirectory(number),
            KIND_MEMBER => Node::Member(number),
            KIND_COLLECTION => Node::Collection(number),
            KIND_DOCUMENT => Node::Document(number),
            KIND_VIEW..KIND_MERGED => Node::View(ViewId(kind - KIND_VIEW), number),
            KIND_MERGED..KIND_MERGED_FOLDER if number == 0 => Node::MergedView(ViewId(kind - KIND_MERGED)),
            KIND_MERGED..KIND_MERGED_FOLDER => Node::MergedFile(ViewId(kind - KIND_MERGED), number),
            KIND_MERGED_FOLDER..=KIND_END => Node::MergedFolder(ViewId(kind - KIND_MERGED_FOLDER), number),
            _ => return None,
        })
    }

    /// True for directories.
    pub fn is_directory(self) -> bool {
        match self {
            Node::All
            | Node::Info
            | Node::Problems
            | Node::Game(_)
            | Node::Member(_)
            | Node::Document(_)
            | Node::Table(_)
            | Node::MergedFile(..) => false,
            Node::Database
            | Node::Games
            | Node::Merged
            | Node::Block(_)
            | Node::MemberDirectory(_)
            | Node::Collection(_)
            | Node::View(..)
            | Node::MergedView(_)
            | Node::MergedFolder(..) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_read_back_from_its_inode() {
        let view = ViewId(3);
        let nodes = [
            Node::Block(7),
            Node::Game(u32::MAX),
            Node::MemberDirectory(0),
            Node::Member(1),
            Node::Collection(0),
            Node::Document(0),
            Node::View(view, 0),
            Node::View(view, 9),
            Node::MergedView(view),
            Node::MergedFile(view, 9),
            Node::MergedFolder(ViewId(31), 9),
        ];
        for prefix in [Prefix(1), Prefix(0x00ff_ffff)] {
            for node in nodes.into_iter().chain(SINGLE) {
                assert_eq!(Inode::of(prefix, node).node(), Some((prefix, node)));
            }
        }
    }

    #[test]
    fn numbers_without_a_database_are_no_nodes() {
        assert_eq!(Inode::ROOT.node(), None);
        assert_eq!(Inode(0x0000_00ff_ffff_ffff).node(), None);
        assert_eq!(Inode(u64::MAX).node(), None);
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
        let free = [7, 7, 8, u64::MAX, u64::MAX].map(|hash| Prefix::free(hash, &mut given));
        assert_eq!(free, [7, 8, 9, 0x00ff_ffff, 1].map(Prefix));
    }
}
