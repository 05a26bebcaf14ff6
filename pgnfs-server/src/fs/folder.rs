//! The folders between the root and the databases, and `info.txt` at the root.

use std::sync::Arc;

use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::directory::{Directory, Entry, FIRST_OFFSET};
use super::files::Text;
use super::info::library_info;
use super::state::ChessFs;
use super::times::seconds_and_nanoseconds;
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Node, Section, TreeFolder};
use chessdb_library::made::Wait;

pub(super) const INFO: &str = "info.txt";

/// A folder of the source, or a directory of a branch. Entries of the branch come before the folders.
#[derive(Clone, Copy)]
pub(super) struct FolderFs<'a> {
    fs: &'a ChessFs,
    folder: &'a TreeFolder,
    parent: Inode,
    /// The branch whose directory this is.
    branch: Option<&'a BranchFs>,
}

impl<'a> FolderFs<'a> {
    pub(super) fn new(fs: &'a ChessFs, folder: &'a TreeFolder) -> FolderFs<'a> {
        let parent = fs.folders.get(folder.parent);
        FolderFs {
            fs,
            folder,
            parent: parent.map_or(Inode::ROOT, |parent| parent.inode),
            branch: folder
                .branch
                .and_then(|branch| fs.present_branch(branch))
                .map(Arc::as_ref),
        }
    }

    /// The directory of a search, or an earlier state of the directory of a branch.
    pub(super) fn detached(fs: &'a ChessFs, detached: &'a DetachedDirectory) -> FolderFs<'a> {
        let exists = fs.meaning(detached.parent).is_some();
        FolderFs {
            fs,
            folder: &detached.folder,
            parent: if exists { detached.parent } else { Inode::ROOT },
            branch: Some(&detached.branch),
        }
    }

    /// The parent folder; the root is its own parent.
    pub(super) fn parent(&self) -> Inode {
        self.parent
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
    pub(super) fn entries(&self) -> Vec<(String, Inode)> {
        let mut offset = FIRST_OFFSET;
        let mut entries = Vec::new();
        while let Some(entry) = self.entry_after(offset) {
            offset = entry.next;
            entries.push((entry.name.into_owned(), entry.inode));
        }
        entries
    }

    /// Number of entries before the folders.
    fn own_entries(&self) -> usize {
        match self.own() {
            Some(own) => own.len(Node::DATABASE),
            None => usize::from(self.folder.inode == Inode::ROOT),
        }
    }
}

impl Directory for FolderFs<'_> {
    fn len(&self) -> usize {
        self.own_entries() + self.folder.children.len()
    }

    /// Entries of the branch have their places as offsets, and folders their cookies.
    fn entry_after(&self, offset: u64) -> Option<Entry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok();
        let Some(place) = place.filter(|&place| place < self.own_entries()) else {
            let (next, name, child) = self.folder.child_after(offset)?;
            let inode = self.fs.folders.get(child)?.inode;
            return Some(Entry::new(name, inode, Kind::Directory, next));
        };
        let (name, (inode, kind)) = match self.own() {
            Some(own) => {
                let (name, node) = own.entry_at(Node::DATABASE, place)?;
                (name, self.inode_of(node)?)
            }
            None => (INFO.into(), (Inode::LIBRARY_INFO, Kind::File)),
        };
        Some(Entry::new(name, inode, kind, offset + 1))
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
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let modified = self.0.folders.get(0).map_or(0, |root| root.modified);
        let modified = seconds_and_nanoseconds(modified);
        Attributes {
            inode: self.0.root_info(),
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

    /// The branch of the database whose directory is the root.
    fn branch(&self) -> Option<&BranchFs> {
        self.0.root_branch().map(Arc::as_ref)
    }
}

impl Text for RootInfo<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        (Text::wait(self) == Wait::None).then(|| self.text().ok())?
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info.get_or_make(|| self.make()).cloned()
    }

    /// Games may have to be counted, or an index read.
    fn wait(&self) -> Wait {
        let mut databases = self.0.databases().iter();
        let is_described = databases.all(|database| database.entry().is_described());
        self.0.info.wait().min(Wait::Common.unless(is_described))
    }
}

impl RootInfo<'_> {
    fn make(&self) -> Result<Arc<[u8]>, FsError> {
        let library = &self.0.library;
        let info = || library_info(library, self.0.common.options.shows_source);
        let others = library.left_out().len() + library.opening().len();
        let is_alone = self.0.databases().len() == 1 && others == 0;
        let own = self.branch().map(BranchFs::info).transpose()?;
        Ok(match own {
            Some(own) if is_alone => own,
            Some(own) => [&own, &b"\n"[..], info().as_bytes()].concat().into(),
            None => info().into_bytes().into(),
        })
    }
}
