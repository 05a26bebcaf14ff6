//! An existing node: a directory, a file or a link.

use std::borrow::Cow;

use super::at::At;
use super::directory::Directory;
use super::files::{File, with_file};
use super::folder::{FolderFs, RootInfo};
use super::searches::SearchesFs;
use super::types::{Attributes, FsError};
use crate::tree::Content;
use chessdb_library::made::Wait;

/// An existing node.
pub(super) enum Object<'a> {
    /// A folder of the source, or the directory of a branch.
    Folder(FolderFs<'a>),
    /// `info.txt` at the root.
    RootInfo(RootInfo<'a>),
    /// A directory below that of a branch.
    Directory(At<'a>),
    /// `search/`
    Searches(SearchesFs<'a>),
    /// A file.
    File(At<'a>, Content<'a>),
    /// A symbolic link and its target.
    Link(At<'a>, Cow<'a, str>),
}

impl<'a> Object<'a> {
    /// The directory, or an error if the node is not one.
    pub(super) fn directory(&self) -> Result<&dyn Directory, FsError> {
        match self {
            Object::Folder(folder) => Ok(folder),
            Object::Directory(directory) => Ok(directory),
            Object::Searches(searches) => Ok(searches),
            Object::RootInfo(_) | Object::File(..) | Object::Link(..) => Err(FsError::NotADirectory),
        }
    }

    /// Calls `then` with the file, or returns an error if the node is not one.
    pub(super) fn with_file<R>(&self, then: impl FnOnce(&dyn File) -> R) -> Result<R, FsError> {
        match self {
            Object::RootInfo(info) => Ok(then(info)),
            Object::File(at, content) => with_file(at, content.clone(), then).ok_or(FsError::Stale),
            Object::Folder(_) | Object::Directory(_) | Object::Searches(_) => Err(FsError::IsADirectory),
            Object::Link(..) => Err(FsError::WrongKind),
        }
    }

    /// The work that must be done before size and contents are known.
    pub(super) fn wait(&self) -> Wait {
        self.with_file(|file| file.wait()).unwrap_or(Wait::None)
    }

    /// The size in bytes, if nothing has to be decoded for it; 0 for directories.
    pub(super) fn size_if_known(&self) -> Option<u64> {
        match self {
            Object::Link(_, target) => Some(target.len() as u64),
            _ => self.with_file(|file| file.size_if_known()).unwrap_or(Some(0)),
        }
    }

    /// The size in bytes. Decodes games if necessary.
    pub(super) fn size(&self) -> Result<u64, FsError> {
        match self.size_if_known() {
            Some(size) => Ok(size),
            None => self.with_file(|file| file.size())?,
        }
    }

    /// The attributes, if nothing has to be decoded for them.
    pub(super) fn attributes_if_known(&self) -> Option<Attributes> {
        self.size_if_known().map(|size| self.attributes(size))
    }

    /// The attributes of an object with this size.
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        match self {
            Object::Folder(folder) => folder.attributes(),
            Object::RootInfo(info) => info.attributes(size),
            Object::Directory(at)
            | Object::Searches(SearchesFs { at, .. })
            | Object::File(at, _)
            | Object::Link(at, _) => at.attributes(size),
        }
    }

    /// The node, if it belongs to a branch.
    pub(super) fn node(&self) -> Option<&At<'a>> {
        match self {
            Object::Directory(at)
            | Object::Searches(SearchesFs { at, .. })
            | Object::File(at, _)
            | Object::Link(at, _) => Some(at),
            Object::Folder(_) | Object::RootInfo(_) => None,
        }
    }
}
