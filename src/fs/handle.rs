//! A node of the tree as resolved by one request.

use std::ops::Deref;
use std::sync::Arc;

use super::ChessFs;
use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::files::Wait;
use super::folder::{FolderFs, RootInfo};
use super::open_node::OpenNode;
use super::place::NodePlace;
use super::types::{FsError, Inode, Kind};
use crate::tree::Node;
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
    /// A thread of its own must open it and answer: many games may have to be decoded, or a view built.
    Aside,
    /// Only these workers may open it and answer: the source may not answer.
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
        match self.place() {
            Ok(NodePlace::Node(_, branch, _)) => branch.remote().is_none(),
            _ => true,
        }
    }

    /// True if attributes or contents of a file may require decoding many games, or a directory building a
    /// view. Such a request should not block a thread that reads requests.
    pub fn may_wait(&self) -> bool {
        self.place().is_ok_and(|place| place.wait() != Wait::None)
    }

    /// Opens the node. May have to wait for games that are counted or sorted, or for the source.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open(&self) -> Result<OpenNode<'_, F>, FsError> {
        let object = self.place()?.open().ok_or(FsError::Stale)?;
        Ok(OpenNode::new(self, object))
    }

    /// Opens the node without waiting, if this thread may answer requests for it. A look-up is a request for the
    /// directory.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open_here(&self) -> Result<OpenedHere<'_, F>, FsError> {
        let place = self.place()?;
        if let NodePlace::Node(_, branch, node) = place
            && let Some(remote) = branch.remote()
        {
            let wait = place.wait();
            // Answered from memory.
            let is_here = node == Node::INFO && wait == Wait::None;
            if !is_here {
                return Ok(OpenedHere::Workers(remote.workers_for(wait)));
            }
        }
        if place.must_build() {
            return Ok(OpenedHere::Aside);
        }
        let object = place.open().ok_or(FsError::Stale)?;
        Ok(match object.wait() {
            Wait::None => OpenedHere::Here(OpenNode::new(self, object)),
            Wait::Common | Wait::Own => OpenedHere::Aside,
        })
    }
}
