//! What a [`Handle`](super::Handle) stands for, where it exists: a directory, a file or a link.

use std::borrow::Cow;

use super::database::DatabaseFs;
use super::files::File;
use super::folder::{Folder, RootInfo};
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Content, DirectoryGames, Node, Section};

/// A directory that exists.
pub(super) trait Directory {
    /// The number of entries that it lists.
    fn len(&self) -> usize;

    /// The nth entry that it lists, without `.` and `..`.
    fn entry_at(&self, n: usize) -> Option<(Cow<'_, str>, Inode, Kind)>;

    /// The entry of a name.
    ///
    /// # Errors
    /// [`FsError::NotFound`]; [`FsError::Io`] where it may have been there before the source changed.
    fn child(&self, name: &str) -> Result<Inode, FsError>;

    /// An error where the entries may not be what they were.
    fn check(&self) -> Result<(), FsError> {
        Ok(())
    }
}

/// A node of a database that exists.
#[derive(Clone, Copy)]
pub(super) struct DatabaseNode<'a> {
    pub(super) database: &'a DatabaseFs,
    pub(super) section: &'a dyn Section,
    pub(super) node: Node,
}

/// What exists.
pub(super) enum Object<'a> {
    /// A folder of the source, or a database's directory.
    Folder(Folder<'a>),
    /// `info.txt` at the root.
    RootInfo(RootInfo<'a>),
    /// A directory below a database's directory.
    Directory(DatabaseNode<'a>),
    /// A file of a database.
    File(DatabaseNode<'a>, Content<'a>),
    /// A symbolic link and its target.
    Link(DatabaseNode<'a>, Cow<'a, str>),
}

impl<'a> Object<'a> {
    /// The directory.
    pub(super) fn directory(&self) -> Result<&dyn Directory, FsError> {
        match self {
            Object::Folder(folder) => Ok(folder),
            Object::Directory(directory) => Ok(directory),
            Object::RootInfo(_) | Object::File(..) | Object::Link(..) => Err(FsError::NotADirectory),
        }
    }

    /// Does something with the file.
    pub(super) fn with_file<R>(&self, then: impl FnOnce(&dyn File) -> R) -> Result<R, FsError> {
        match self {
            Object::RootInfo(info) => Ok(then(info)),
            Object::File(at, content) => Ok(at.database.with_file(at.node, *content, then)),
            Object::Folder(_) | Object::Directory(_) => Err(FsError::IsADirectory),
            Object::Link(..) => Err(FsError::WrongKind),
        }
    }

    /// The size, where nothing has to be decoded to know it; 0 for directories.
    pub(super) fn size_if_known(&self) -> Option<u64> {
        match self {
            Object::Link(_, target) => Some(target.len() as u64),
            _ => self.with_file(|file| file.size_if_known()).unwrap_or(Some(0)),
        }
    }

    /// The size; decodes what it must.
    pub(super) fn size(&self) -> Result<u64, FsError> {
        match self.size_if_known() {
            Some(size) => Ok(size),
            None => self.with_file(|file| file.size())?,
        }
    }

    /// The attributes of an object of this size.
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        match self {
            Object::Folder(folder) => folder.attributes(),
            Object::RootInfo(info) => info.attributes(),
            Object::Directory(at) | Object::File(at, _) | Object::Link(at, _) => at.attributes(size),
        }
    }

    /// The node, where it belongs to a database.
    pub(super) fn of_database(&self) -> Option<&DatabaseNode<'a>> {
        match self {
            Object::Directory(at) | Object::File(at, _) | Object::Link(at, _) => Some(at),
            Object::Folder(_) | Object::RootInfo(_) => None,
        }
    }
}

impl<'a> DatabaseNode<'a> {
    /// The games that a directory lists after one of them, or all.
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
            // What a changed file does not have may have been there.
            None => self.database.texts().check().and(Err(FsError::NotFound)),
        }
    }

    fn check(&self) -> Result<(), FsError> {
        self.database.texts().check()
    }
}
