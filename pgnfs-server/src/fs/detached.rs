//! Directories of branches that the tree of the source does not have.

use std::sync::Arc;

use super::branch::BranchFs;
use crate::tree::{Inode, Node, TreeFolder};

/// The directory of a search, or an earlier state of the directory of a branch.
pub(super) struct DetachedDirectory {
    pub(super) branch: Arc<BranchFs>,
    /// The directory, without folders.
    pub(super) folder: TreeFolder,
    /// The directory that it is in, or was in.
    pub(super) parent: Inode,
}

impl DetachedDirectory {
    /// The directory of a search.
    pub(super) fn of_search(branch: BranchFs, parent: Inode) -> DetachedDirectory {
        let inode = Inode::of(branch.prefix(), Node::DATABASE);
        DetachedDirectory {
            folder: TreeFolder::alone(inode, branch.modified()),
            branch: Arc::new(branch),
            parent,
        }
    }

    /// A directory of the source that it no longer has.
    pub(super) fn retired(branch: &Arc<BranchFs>, folder: &TreeFolder, parent: Inode) -> DetachedDirectory {
        DetachedDirectory {
            branch: Arc::clone(branch),
            folder: TreeFolder::alone(folder.inode, folder.modified),
            parent,
        }
    }
}
