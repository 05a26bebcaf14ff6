//! What an inode is, and the folders between the root and the databases.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ChessFs;
use super::database::DatabaseFs;
use super::info::{database_info, library_info};
use super::times::seconds_and_nanoseconds;
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Node, Prefix, SourceFolder};

pub(super) const INFO: &str = "info.txt";

/// What an inode is.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A folder of the source, or a database's directory.
    Folder(&'a SourceFolder),
    /// `info.txt` at the root.
    RootInfo(Inode),
    /// Something below a database's directory.
    Node(&'a DatabaseFs, Node),
}

impl ChessFs {
    pub(super) fn place(&self, inode: Inode) -> Result<Place<'_>, FsError> {
        self.common.requests.fetch_add(1, Ordering::Relaxed);
        let node = inode.node().filter(|&(_, node)| node != Node::Database);
        let place = match node {
            _ if inode == self.root_info_inode() => Some(Place::RootInfo(inode)),
            Some((prefix, node)) => {
                let database = self.database(prefix);
                let database = database.filter(|database| database.tree.has(node));
                database.map(|database| Place::Node(database, node))
            }
            None => self.folders.by_inode(inode).map(Place::Folder),
        };
        place.ok_or(FsError::Stale)
    }

    /// True for an inode that this file system has, as far as its number tells.
    pub(super) fn serves(&self, inode: Inode) -> bool {
        match inode.node() {
            Some((prefix, _)) => self.database(prefix).is_some(),
            None => inode == self.root_info_inode() || self.folders.by_inode(inode).is_some(),
        }
    }

    /// The database with a prefix.
    pub(super) fn database(&self, prefix: Prefix) -> Option<&Arc<DatabaseFs>> {
        self.databases.get(self.folders.by_prefix(prefix)?)
    }

    /// The database whose directory is the root.
    pub(super) fn root_database(&self) -> Option<&DatabaseFs> {
        self.database_of(self.folders.get(0)?)
    }

    pub(super) fn directory(&self, inode: Inode) -> Result<Place<'_>, FsError> {
        match self.place(inode)? {
            Place::RootInfo(_) => Err(FsError::NotADirectory),
            Place::Node(_, node) if !node.is_directory() => Err(FsError::NotADirectory),
            place => Ok(place),
        }
    }

    pub(super) fn database_of(&self, folder: &SourceFolder) -> Option<&DatabaseFs> {
        folder
            .database
            .and_then(|number| self.databases.get(number))
            .map(Arc::as_ref)
    }

    /// The nth entry of a directory, from 0 behind `..`.
    pub(super) fn entry_at<'a>(&'a self, place: Place<'a>, n: u64) -> Option<(Cow<'a, str>, Inode, Kind)> {
        let n = usize::try_from(n).ok()?;
        match place {
            Place::RootInfo(_) => None,
            Place::Node(database, node) => {
                let (name, child) = database.tree.entry_at(node, n)?;
                Some((name, database.inode(child), Kind::of(child)))
            }
            Place::Folder(folder) => {
                let own = self.own_entries(folder);
                if n < own {
                    return match self.database_of(folder) {
                        Some(database) => {
                            let (name, node) = database.tree.entry_at(Node::Database, n)?;
                            Some((name, database.inode(node), Kind::of(node)))
                        }
                        None => Some((INFO.into(), Inode::LIBRARY_INFO, Kind::File)),
                    };
                }
                let (name, child) = folder.children.get(n - own)?;
                let child = self.folders.get(*child)?;
                Some((name.as_str().into(), child.inode, Kind::Directory))
            }
        }
    }

    /// Number of a folder's entries that stand before the folders in it.
    fn own_entries(&self, folder: &SourceFolder) -> usize {
        match self.database_of(folder) {
            Some(database) => database.tree.top_names().count(),
            None => usize::from(folder.inode == Inode::ROOT),
        }
    }

    /// The offset at which a listing goes on behind the name that it gave last. It came to `offset` in the folder as
    /// it was `then`. None where that cannot be told.
    pub(super) fn resumed(&self, then: &SourceFolder, offset: u64) -> Option<u64> {
        let now = self.folders.by_inode(then.inode)?;
        if now.inode == Inode::ROOT && now.database.or(then.database).is_some() {
            // The database at the root may be another one.
            return None;
        }
        // `.` and `..` come first.
        let own = 2 + self.own_entries(now) as u64;
        let Some(last) = offset.checked_sub(own + 1) else {
            return Some(offset);
        };
        let (last, _) = then.children.get(usize::try_from(last).ok()?)?;
        let behind = now.children.partition_point(|(name, _)| name <= last);
        Some(own + behind as u64)
    }

    pub(super) fn child_of_folder(&self, folder: &SourceFolder, name: &str) -> Option<Inode> {
        let own = match self.database_of(folder) {
            Some(database) => {
                let node = database.tree.child(Node::Database, name);
                node.map(|node| database.inode(node))
            }
            None if folder.inode == Inode::ROOT && name == INFO => Some(Inode::LIBRARY_INFO),
            None => None,
        };
        own.or_else(|| {
            let child = self.folders.get(folder.child(name)?)?;
            Some(child.inode)
        })
    }

    pub(super) fn folder_attributes(&self, folder: &SourceFolder) -> Attributes {
        let own = self
            .database_of(folder)
            .map(|database| database.tree.links(Node::Database));
        let modified = seconds_and_nanoseconds(folder.modified);
        Attributes {
            inode: folder.inode,
            kind: Kind::Directory,
            size: 0,
            blocks: 0,
            modified,
            changed: modified,
            links: own.unwrap_or(2).saturating_add(folder.children.len() as u32),
        }
    }

    pub(super) fn root_info_inode(&self) -> Inode {
        self.root_database()
            .map_or(Inode::LIBRARY_INFO, |database| database.inode(Node::Info))
    }

    pub(super) fn root_info_attributes(&self, inode: Inode) -> Attributes {
        let modified = self.folders.get(0).map_or(0, |root| root.modified);
        let modified = seconds_and_nanoseconds(modified);
        let size = self.root_info().len() as u64;
        Attributes {
            inode,
            kind: Kind::File,
            size,
            blocks: size.div_ceil(512),
            modified,
            changed: modified,
            links: 1,
        }
    }

    /// `info.txt` at the root: of the database there, and of all that is served where that is more.
    pub(super) fn root_info(&self) -> Arc<[u8]> {
        let info = self.info.get_or_init(|| {
            let others = self.library.left_out().len() + self.library.opening().len();
            let is_alone = self.databases.len() == 1 && others == 0;
            let text = match self.root_database() {
                Some(database) if is_alone => database_info(database.entry()),
                Some(database) => database_info(database.entry()) + "\n" + &library_info(&self.library),
                None => library_info(&self.library),
            };
            text.into_bytes().into()
        });
        Arc::clone(info)
    }
}
