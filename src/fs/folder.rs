//! The folders between the root and the databases, and `info.txt` at the root.

use std::borrow::Cow;
use std::sync::Arc;

use super::ChessFs;
use super::branch::BranchFs;
use super::files::Text;
use super::info::library_info;
use super::object::Directory;
use super::times::seconds_and_nanoseconds;
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Node, Section, TreeFolder};

pub(super) const INFO: &str = "info.txt";

/// A folder of the source, or a database's directory. Entries of the database come before the folders.
#[derive(Clone, Copy)]
pub(super) struct FolderFs<'a> {
    fs: &'a ChessFs,
    folder: &'a TreeFolder,
    /// The branch whose directory this is.
    branch: Option<&'a BranchFs>,
}

impl<'a> FolderFs<'a> {
    pub(super) fn new(fs: &'a ChessFs, folder: &'a TreeFolder) -> FolderFs<'a> {
        let of_inode = || fs.branch_with(folder.inode.node()?.0);
        let number = folder.database.or_else(of_inode);
        FolderFs {
            fs,
            folder,
            branch: number.and_then(|number| fs.branch(number)),
        }
    }

    /// The parent folder; the root is its own parent.
    pub(super) fn parent(&self) -> Option<Inode> {
        self.fs.folders.get(self.folder.parent).map(|parent| parent.inode)
    }

    pub(super) fn attributes(&self) -> Attributes {
        let own = self.own().map_or(2, |own| own.links(Node::DATABASE));
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

    /// The section with the entries before the folders.
    fn own(&self) -> Option<&'a dyn Section> {
        self.branch?.section(Node::DATABASE)
    }

    /// Inode and kind of a node among the entries before the folders.
    fn inode_of(&self, node: Node) -> Option<(Inode, Kind)> {
        let branch = self.branch?;
        Some((branch.inode(node), branch.kind(node)))
    }

    /// All entries.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Cow<'_, str>, Inode, Kind)> {
        (0..).map_while(|n| self.entry_at(n))
    }

    /// Number of entries before the folders.
    fn own_entries(&self) -> usize {
        match self.own() {
            Some(own) => own.len(Node::DATABASE),
            None => usize::from(self.folder.inode == Inode::ROOT),
        }
    }

    /// The offset at which a listing continues after the last name that it returned. `offset` refers to
    /// `then`, an earlier state of this folder. `None` if the position cannot be determined.
    pub(super) fn resumed(&self, then: &TreeFolder, offset: u64) -> Option<u64> {
        let now = self.folder;
        if now.inode == Inode::ROOT && now.database.or(then.database).is_some() {
            // The database at the root may be a different one now.
            return None;
        }
        // `.` and `..` come first.
        let own = 2 + self.own_entries() as u64;
        let Some(last) = offset.checked_sub(own + 1) else {
            return Some(offset);
        };
        let (last, _) = then.children.get(usize::try_from(last).ok()?)?;
        let after = now.children.partition_point(|(name, _)| name <= last);
        Some(own + after as u64)
    }
}

impl Directory for FolderFs<'_> {
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
        let Some(shown) = self.own() else {
            return Some((INFO.into(), Inode::LIBRARY_INFO, Kind::File));
        };
        let (name, node) = shown.entry_at(Node::DATABASE, n)?;
        let (inode, kind) = self.inode_of(node)?;
        Some((name, inode, kind))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let own = match self.own() {
            Some(own) => {
                let node = own.child(Node::DATABASE, name);
                node.and_then(|node| Some(self.inode_of(node)?.0))
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

/// `info.txt` at the root: describes the database there, and lists all databases if there are others.
#[derive(Clone, Copy)]
pub(super) struct RootInfo<'a>(pub(super) &'a ChessFs);

impl RootInfo<'_> {
    /// If the root is a database's directory, this is the inode of that database's `info.txt`.
    pub(super) fn inode(&self) -> Inode {
        self.branch()
            .map_or(Inode::LIBRARY_INFO, |branch| branch.inode(Node::INFO))
    }

    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let modified = self.0.folders.get(0).map_or(0, |root| root.modified);
        let modified = seconds_and_nanoseconds(modified);
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

    /// True if the text is the same in another state, with the same times. If nothing has read it, it is not.
    pub(super) fn is_same(&self, other: &RootInfo<'_>) -> bool {
        let (Some(text), Ok(others)) = (self.0.info.get(), other.text()) else {
            return false;
        };
        *text == others && self.attributes(0) == other.attributes(0)
    }

    /// True if no games must be counted and no index read for the text.
    pub(super) fn is_counted(&self) -> bool {
        let mut databases = self.0.databases.iter();
        self.0.info.get().is_some() || databases.all(|database| database.entry().is_described())
    }

    /// The branch of the database whose directory is the root.
    fn branch(&self) -> Option<&BranchFs> {
        let number = self.0.folders.get(0)?.database?;
        self.0.branch(number)
    }
}

impl Text for RootInfo<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        if self.is_counted() { self.text().ok() } else { None }
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.0.info.get() {
            return Ok(Arc::clone(text));
        }
        let library = &self.0.library;
        let others = library.left_out().len() + library.opening().len();
        let is_alone = self.0.databases.len() == 1 && others == 0;
        let own = self.branch().map(BranchFs::info).transpose()?;
        let text: Arc<[u8]> = match own {
            Some(own) if is_alone => own,
            Some(own) => [&own, &b"\n"[..], library_info(library).as_bytes()]
                .concat()
                .into(),
            None => library_info(library).into_bytes().into(),
        };
        Ok(Arc::clone(self.0.info.get_or_init(|| text)))
    }
}
