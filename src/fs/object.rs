//! What a [`Handle`](super::Handle) refers to if the node exists: a directory, a file or a link.

use std::borrow::Cow;

use super::all::AllNode;
use super::database::DatabaseFs;
use super::failure::Failure;
use super::files::File;
use super::folder::{Folder, RootInfo};
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Content, DirectoryGames, Node, Section};

/// An existing directory.
pub(super) trait Directory {
    /// The number of entries, without `.` and `..`.
    fn len(&self) -> usize;

    /// The nth entry, without `.` and `..`.
    fn entry_at(&self, n: usize) -> Option<(Cow<'_, str>, Inode, Kind)>;

    /// The inode of the entry with this name.
    ///
    /// # Errors
    /// [`FsError::NotFound`]; [`FsError::Io`] if the source changed, so that the entry may have existed
    /// before.
    fn child(&self, name: &str) -> Result<Inode, FsError>;

    /// An error if the source changed, so that these entries may be wrong; `None` stands for a listing that is at its
    /// end, so that no entry may be missing either.
    fn check(&self, _shown: Option<&[Inode]>) -> Result<(), FsError> {
        Ok(())
    }
}

/// An existing node of a database.
#[derive(Clone, Copy)]
pub(super) struct DatabaseNode<'a> {
    pub(super) database: &'a DatabaseFs,
    pub(super) section: &'a dyn Section,
    pub(super) node: Node,
}

/// An existing node.
pub(super) enum Object<'a> {
    /// A folder of the source, or a database's directory.
    Folder(Folder<'a>),
    /// `info.txt` at the root.
    RootInfo(RootInfo<'a>),
    /// A directory below a database's directory.
    Directory(DatabaseNode<'a>),
    /// A file of a database.
    File(DatabaseNode<'a>, Content<'a>),
    /// A directory of all databases.
    AllDirectory(AllNode<'a>),
    /// A file of all databases.
    AllFile(AllNode<'a>, Content<'a>),
    /// A symbolic link and its target.
    Link(DatabaseNode<'a>, Cow<'a, str>),
    /// A symbolic link in a directory of all databases, and its target.
    AllLink(AllNode<'a>, Cow<'a, str>),
}

impl<'a> Object<'a> {
    /// The directory, or an error if the node is not one.
    pub(super) fn directory(&self) -> Result<&dyn Directory, FsError> {
        match self {
            Object::Folder(folder) => Ok(folder),
            Object::Directory(directory) => Ok(directory),
            Object::AllDirectory(directory) => Ok(directory),
            Object::RootInfo(_)
            | Object::File(..)
            | Object::AllFile(..)
            | Object::Link(..)
            | Object::AllLink(..) => Err(FsError::NotADirectory),
        }
    }

    /// Calls `then` with the file, or returns an error if the node is not one.
    pub(super) fn with_file<R>(&self, then: impl FnOnce(&dyn File) -> R) -> Result<R, FsError> {
        match self {
            Object::RootInfo(info) => Ok(then(info)),
            Object::File(at, content) => Ok(at.database.with_file(at.node, content.clone(), then)),
            Object::AllFile(at, content) => Ok(at.with_file(content.clone(), then)),
            Object::Folder(_) | Object::Directory(_) | Object::AllDirectory(_) => Err(FsError::IsADirectory),
            Object::Link(..) | Object::AllLink(..) => Err(FsError::WrongKind),
        }
    }

    /// The size in bytes, if nothing has to be decoded for it; 0 for directories.
    pub(super) fn size_if_known(&self) -> Option<u64> {
        match self {
            Object::Link(_, target) | Object::AllLink(_, target) => Some(target.len() as u64),
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

    /// The attributes of an object with this size.
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        match self {
            Object::Folder(folder) => folder.attributes(),
            Object::RootInfo(info) => info.attributes(size),
            Object::Directory(at) | Object::File(at, _) | Object::Link(at, _) => at.attributes(size),
            Object::AllDirectory(at) | Object::AllFile(at, _) | Object::AllLink(at, _) => at.attributes(size),
        }
    }

    /// The node, if it belongs to a database.
    pub(super) fn of_database(&self) -> Option<&DatabaseNode<'a>> {
        match self {
            Object::Directory(at) | Object::File(at, _) | Object::Link(at, _) => Some(at),
            _ => None,
        }
    }

    /// The node, if it belongs to the directory of all databases.
    pub(super) fn of_all(&self) -> Option<&AllNode<'a>> {
        match self {
            Object::AllDirectory(at) | Object::AllFile(at, _) | Object::AllLink(at, _) => Some(at),
            _ => None,
        }
    }
}

impl<'a> DatabaseNode<'a> {
    /// The games that a directory lists after `game`, or all its games.
    pub(super) fn games_after(&self, game: Option<u32>) -> Option<DirectoryGames<'a>> {
        self.section.games_after(self.node, game)
    }

    fn attributes(&self, size: u64) -> Attributes {
        let DatabaseNode { database, node, .. } = *self;
        let changed = seconds_and_nanoseconds(database.entry().modified());
        let (modified, links) = match node.as_game() {
            Some(game) => {
                let keys = database.entry().database.keys(game);
                let day = noon(keys.date).filter(|_| !database.options.mtime_from_source);
                let links = database.tree.directories_of(game, &keys);
                (day.map_or(changed, |noon| (noon, 0)), links)
            }
            None => (changed, self.section.links(node)),
        };
        Attributes {
            inode: database.inode(node),
            kind: self.section.kind(node),
            size,
            blocks: size.div_ceil(512),
            modified,
            changed,
            links,
        }
    }
}

impl Directory for DatabaseNode<'_> {
    fn len(&self) -> usize {
        self.section.len(self.node)
    }

    fn entry_at(&self, n: usize) -> Option<(Cow<'_, str>, Inode, Kind)> {
        let (name, node) = self.section.entry_at(self.node, n)?;
        Some((name, self.database.inode(node), self.database.tree.kind(node)))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        match self.section.child(self.node, name) {
            Some(node) => Ok(self.database.inode(node)),
            // The name may have existed before the database changed.
            None => self.check(None).and(Err(FsError::NotFound)),
        }
    }

    fn check(&self, _shown: Option<&[Inode]>) -> Result<(), FsError> {
        match self.section.is_unavailable() {
            true => Err(self.database.texts().fail(Failure::Index)),
            false => self.database.texts().check(),
        }
    }
}
