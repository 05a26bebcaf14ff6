//! A node of the tree as resolved by one request.

use std::ops::Deref;
use std::sync::Arc;

use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::folder::{FolderFs, RootInfo};
use super::open_node::OpenNode;
use super::place::NodePlace;
use super::remote::Remote;
use super::state::ChessFs;
use super::types::{FsError, Inode, Kind};
use crate::tree::Node;
use chessdb_library::made::Wait;
use chessdb_library::workers::Workers;

/// A node of a [`ChessFs`]. It may not exist: resolving an inode accesses no source and builds no view, so
/// [`Handle::open`] returns [`FsError::Stale`].
#[derive(Clone)]
pub struct Handle<F> {
    fs: F,
    inode: Inode,
    number: Number,
}

/// A handle that keeps the state in which it was resolved.
pub type Resolved = Handle<Arc<ChessFs>>;

/// What an inode number identifies.
#[derive(Clone)]
pub(super) enum Number {
    /// A folder of the source, or a directory of a branch.
    Folder(usize),
    /// The directory of a search, or an earlier state of the directory of a branch.
    Detached(Arc<DetachedDirectory>),
    RootInfo,
    /// A node below the directory of a branch.
    Node(Arc<BranchFs>, Node),
}

impl Number {
    pub(super) fn of(fs: &ChessFs, inode: Inode) -> Option<Number> {
        if inode == RootInfo(fs).inode() {
            return Some(Number::RootInfo);
        }
        if let Some((prefix, node)) = inode.node().filter(|&(_, node)| node != Node::DATABASE) {
            return Some(Number::Node(fs.branch_with(prefix)?, node));
        }
        if let Some(folder) = fs.folders.number_of(inode) {
            return Some(Number::Folder(folder));
        }
        let detached = fs.detached(inode.node()?.0)?;
        (detached.folder.inode == inode).then_some(Number::Detached(detached))
    }

    pub(super) fn place<'a>(&'a self, fs: &'a ChessFs) -> Option<NodePlace<'a>> {
        Some(match self {
            Number::Folder(folder) => NodePlace::Folder(FolderFs::new(fs, fs.folders.get(*folder)?)),
            Number::Detached(detached) => NodePlace::Folder(FolderFs::detached(fs, detached)),
            Number::RootInfo => NodePlace::RootInfo(RootInfo(fs)),
            Number::Node(branch, node) => NodePlace::Node(fs, branch, *node),
        })
    }
}

/// How a node was opened by a thread that must not wait.
pub enum OpenedHere<'a, F> {
    /// This thread may answer requests for it.
    Here(OpenNode<'a, F>),
    /// Another thread must open it and answer.
    Elsewhere(Elsewhere),
}

/// The threads that must answer a request.
pub enum Elsewhere {
    /// One that may wait: many games may have to be decoded, or a view built.
    Aside,
    /// One that reads queries.
    Queries,
    /// Only these workers: the source may not answer.
    Workers(Arc<Workers>),
}

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// Resolves an inode; `None` if it does not belong to `fs`.
    pub(super) fn new(fs: &F, inode: Inode) -> Option<Handle<F>> {
        Some(Handle {
            number: Number::of(fs, inode)?,
            fs: fs.clone(),
            inode,
        })
    }

    /// Its inode.
    pub fn inode(&self) -> Inode {
        self.inode
    }

    /// The file system that the node belongs to.
    pub(super) fn fs(&self) -> &F {
        &self.fs
    }

    fn place(&self) -> Result<NodePlace<'_>, FsError> {
        self.number.place(&self.fs).ok_or(FsError::Stale)
    }

    /// The kind of the node, derived from its inode number alone.
    pub fn kind(&self) -> Kind {
        self.place().map_or(Kind::File, NodePlace::kind)
    }

    /// False if a source may not answer that requests for the node may need.
    pub fn is_local(&self) -> bool {
        self.place().is_ok_and(|place| place.remote().is_none())
    }

    /// Opens the node. May have to wait for games that are counted or sorted, or for the source.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open(&self) -> Result<OpenNode<'_, F>, FsError> {
        let object = self.place()?.open().ok_or(FsError::Stale)?;
        Ok(OpenNode::new(self, object))
    }

    /// Opens the node without waiting, if this thread, which belongs to no database, may answer requests for it. A look-up
    /// is a request for the directory.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open_here(&self) -> Result<OpenedHere<'_, F>, FsError> {
        let place = self.place()?;
        let remote = place.remote();
        match place.wait() {
            Wait::None => {}
            wait => return Ok(OpenedHere::Elsewhere(elsewhere(remote, wait))),
        }
        // A directory may be opened by reading names from the source. `info.txt` is in memory.
        let is_quick = remote.is_none() || place.kind() == Kind::File;
        let Some(object) = is_quick.then(|| place.open()).flatten() else {
            return match remote {
                Some(_) => Ok(OpenedHere::Elsewhere(elsewhere(remote, Wait::None))),
                None => Err(FsError::Stale),
            };
        };
        let node = OpenNode::new(self, object);
        Ok(match node.elsewhere() {
            None => OpenedHere::Here(node),
            Some(elsewhere) => OpenedHere::Elsewhere(elsewhere),
        })
    }

    /// Opens the node in a thread that answers requests for a node of the same database, or may wait, unless that would
    /// take so long that other requests wait for this thread.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open_in_worker(&self) -> Result<OpenedHere<'_, F>, FsError> {
        let place = self.place()?;
        let mut wait = place.wait();
        if wait == Wait::None {
            let object = place.open().ok_or(FsError::Stale)?;
            wait = object.wait();
            if wait == Wait::None {
                return Ok(OpenedHere::Here(OpenNode::new(self, object)));
            }
        }
        Ok(OpenedHere::Elsewhere(elsewhere(place.remote(), wait)))
    }
}

/// The threads that may wait for this.
pub(super) fn elsewhere(remote: Option<&Remote>, wait: Wait) -> Elsewhere {
    match remote {
        Some(remote) => Elsewhere::Workers(remote.workers_for(wait)),
        None => Elsewhere::Aside,
    }
}
