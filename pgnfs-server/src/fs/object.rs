//! An existing node: a directory, a file or a link.

use std::borrow::Cow;

use super::branch::BranchFs;
use super::files::{File, Wait, with_file};
use super::folder::{FolderFs, RootInfo};
use super::searches::SearchesFs;
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, FsError, Inode, Kind};
use crate::tree::{Content, Node, Section};

/// The offset of the first entry of a directory after `.` and `..`.
pub(super) const FIRST_OFFSET: u64 = 2;

/// An entry of a directory, as a listing finds it.
pub(super) struct ListedEntry<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) inode: Inode,
    pub(super) kind: Kind,
    /// The offset after it.
    pub(super) next: u64,
}

/// An existing directory.
pub(super) trait Directory {
    /// The number of entries, without `.` and `..`.
    fn len(&self) -> usize;

    /// The first entry after an offset, which is [`FIRST_OFFSET`] or that of another entry, without `.` and `..`.
    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>>;

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

/// An existing node of a branch.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) section: &'a dyn Section,
    pub(super) node: Node,
}

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

impl<'a> At<'a> {
    /// The games that a directory lists after `game`, or all its games.
    pub(super) fn games_after(&self, game: Option<Inode>) -> Option<impl Iterator<Item = Inode> + 'a> {
        let branch = self.branch;
        let after = match game {
            None => None,
            Some(game) => Some(branch.number_of(game)?),
        };
        let games = self.section.games(self.node)?;
        let first = match after {
            None => 0,
            Some(game) => games.position(game)? + 1,
        };
        Some(games.after(first).map(|game| branch.inode(Node::game(game))))
    }

    fn attributes(&self, size: u64) -> Attributes {
        let At { branch, node, .. } = *self;
        let changed = seconds_and_nanoseconds(branch.modified());
        let game = branch.own_database().zip(node.as_game());
        let (modified, links) = match game {
            Some((database, game)) => {
                let keys = database.entry().database.keys(game);
                let day = noon(keys.date).filter(|_| !database.options.mtime_from_source);
                let links = branch.tree().directories_of(game, &keys);
                (day.map_or(changed, |noon| (noon, 0)), links)
            }
            None => (changed, self.section.links(node)),
        };
        Attributes {
            inode: branch.inode(node),
            kind: self.section.kind(node),
            size,
            blocks: size.div_ceil(512),
            modified,
            changed,
            links,
        }
    }
}

impl Directory for At<'_> {
    fn len(&self) -> usize {
        self.section.len(self.node)
    }

    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let (name, node) = self.section.entry_at(self.node, place)?;
        Some(ListedEntry {
            name,
            inode: self.branch.inode(node),
            kind: self.branch.kind(node),
            next: offset + 1,
        })
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        match self.section.child(self.node, name) {
            Some(node) => Ok(self.branch.inode(node)),
            // The name may have existed before a database changed.
            None => self.check(None).and(Err(FsError::NotFound)),
        }
    }

    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        if self.section.is_unavailable() {
            return Err(self.branch.fail_without_index());
        }
        self.branch.check(shown)
    }
}
