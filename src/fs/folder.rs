//! The folders between the root and the databases, and `info.txt` at the root.

use std::borrow::Cow;
use std::sync::Arc;

use super::ChessFs;
use super::database::DatabaseFs;
use super::files::Text;
use super::info::{database_info, library_info};
use super::object::Directory;
use super::times::seconds_and_nanoseconds;
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Node, Section, SourceFolder};

pub(super) const INFO: &str = "info.txt";

/// A folder of the source, or a database's directory: what is there of the database comes first, then the folders.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    fs: &'a ChessFs,
    folder: &'a SourceFolder,
    /// The database whose directory it is.
    database: Option<&'a DatabaseFs>,
}

impl<'a> Folder<'a> {
    pub(super) fn new(fs: &'a ChessFs, folder: &'a SourceFolder) -> Folder<'a> {
        let database = folder.database.and_then(|number| fs.databases.get(number));
        Folder {
            fs,
            folder,
            database: database.map(Arc::as_ref),
        }
    }

    /// The folder that holds it; the root holds itself.
    pub(super) fn parent(&self) -> Option<Inode> {
        self.fs.folders.get(self.folder.parent).map(|parent| parent.inode)
    }

    pub(super) fn attributes(&self) -> Attributes {
        let own = self
            .database
            .map_or(2, |database| database.tree.links(Node::DATABASE));
        let modified = seconds_and_nanoseconds(self.folder.modified);
        Attributes {
            inode: self.folder.inode,
            kind: Kind::Directory,
            size: 0,
            blocks: 0,
            modified,
            changed: modified,
            links: own.saturating_add(self.folder.children.len() as u32),
        }
    }

    /// All entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Cow<'_, str>, Inode, Kind)> {
        (0..).map_while(|n| self.entry_at(n))
    }

    /// Number of the entries that stand before the folders.
    fn own_entries(&self) -> usize {
        match self.database {
            Some(database) => Section::len(&database.tree, Node::DATABASE),
            None => usize::from(self.folder.inode == Inode::ROOT),
        }
    }

    /// The offset at which a listing goes on behind the name that it gave last. It came to `offset` in the folder as
    /// it was `then`. None where that cannot be told.
    pub(super) fn resumed(&self, then: &SourceFolder, offset: u64) -> Option<u64> {
        let now = self.folder;
        if now.inode == Inode::ROOT && now.database.or(then.database).is_some() {
            // The database at the root may be another one.
            return None;
        }
        // `.` and `..` come first.
        let own = 2 + self.own_entries() as u64;
        let Some(last) = offset.checked_sub(own + 1) else {
            return Some(offset);
        };
        let (last, _) = then.children.get(usize::try_from(last).ok()?)?;
        let behind = now.children.partition_point(|(name, _)| name <= last);
        Some(own + behind as u64)
    }
}

impl Directory for Folder<'_> {
    fn len(&self) -> usize {
        self.own_entries() + self.folder.children.len()
    }

    fn entry_at(&self, n: usize) -> Option<(Cow<'_, str>, Inode, Kind)> {
        let own = self.own_entries();
        if n >= own {
            let (name, child) = self.folder.children.get(n - own)?;
            let child = self.fs.folders.get(*child)?;
            return Some((name.as_str().into(), child.inode, Kind::Directory));
        }
        let Some(database) = self.database else {
            return Some((INFO.into(), Inode::LIBRARY_INFO, Kind::File));
        };
        let (name, node) = database.tree.entry_at(Node::DATABASE, n)?;
        Some((name, database.inode(node), database.tree.kind(node)))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let own = match self.database {
            Some(database) => {
                let node = database.tree.child(Node::DATABASE, name);
                node.map(|node| database.inode(node))
            }
            None => (self.folder.inode == Inode::ROOT && name == INFO).then_some(Inode::LIBRARY_INFO),
        };
        let folder = || {
            let child = self.fs.folders.get(self.folder.child(name)?)?;
            Some(child.inode)
        };
        own.or_else(folder).ok_or(FsError::NotFound)
    }
}

/// `info.txt` at the root: of the database there, and of all that is served where that is more.
pub(super) struct RootInfo<'a>(pub(super) &'a ChessFs);

impl RootInfo<'_> {
    /// It takes the place of that of a database at the root.
    pub(super) fn inode(&self) -> Inode {
        self.database()
            .map_or(Inode::LIBRARY_INFO, |database| database.inode(Node::INFO))
    }

    pub(super) fn attributes(&self) -> Attributes {
        let modified = self.0.folders.get(0).map_or(0, |root| root.modified);
        let modified = seconds_and_nanoseconds(modified);
        let size = self.made().len() as u64;
        Attributes {
            inode: self.inode(),
            kind: Kind::File,
            size,
            blocks: size.div_ceil(512),
            modified,
            changed: modified,
            links: 1,
        }
    }

    pub(super) fn made(&self) -> &Arc<[u8]> {
        self.0.info.get_or_init(|| {
            let library = &self.0.library;
            let others = library.left_out().len() + library.opening().len();
            let is_alone = self.0.databases.len() == 1 && others == 0;
            let text = match self.database() {
                Some(database) if is_alone => database_info(database.entry()),
                Some(database) => database_info(database.entry()) + "\n" + &library_info(library),
                None => library_info(library),
            };
            text.into_bytes().into()
        })
    }

    /// The database whose directory is the root.
    fn database(&self) -> Option<&DatabaseFs> {
        let number = self.0.folders.get(0)?.database?;
        self.0.databases.get(number).map(Arc::as_ref)
    }
}

impl Text for RootInfo<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        Some(Arc::clone(self.made()))
    }
}
