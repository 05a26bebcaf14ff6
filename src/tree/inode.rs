//! Inode numbers.

/// Number of a node, the same in every mount of the same files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inode(pub u64);

impl Inode {
    /// The root of the tree.
    pub const ROOT: Inode = Inode(1);
}
