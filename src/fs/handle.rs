//! A node of the tree as resolved by one request.

use std::ffi::OsStr;
use std::ops::{ControlFlow, Deref};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ChessFs;
use super::branch::BranchFs;
use super::database::DatabaseFs;
use super::files::{File, Wait};
use super::folder::{Folder, RootInfo};
use super::object::{At, Object};
use super::types::{Attributes, Chunk, Entry, FsError, Inode, Kind, Where};
use crate::tree::{self, Node};

/// Maximum number of games decoded for one part of a listing. Programs that list a directory usually need the
/// sizes of its games next, and a request for each game takes longer than decoding it now.
const DECODED_WHILE_LISTING: usize = 256;

/// No further game is decoded for a part of a listing after this time, because other requests wait for the
/// thread.
const DECODING_WHILE_LISTING: Duration = Duration::from_millis(5);

/// A node of a [`ChessFs`]. It may not exist: resolving an inode accesses no source and builds no view, so
/// the first operation that needs the node returns [`FsError::Stale`].
#[derive(Clone)]
pub struct Handle<F> {
    fs: F,
    inode: Inode,
    place: Place,
}

/// A handle that keeps the epoch of its inode alive.
pub type Resolved = Handle<Arc<ChessFs>>;

/// What the inode number identifies.
#[derive(Clone, Copy)]
enum Place {
    /// A folder of the source, or a database's directory.
    Folder(usize),
    /// `info.txt` at the root.
    RootInfo,
    /// A node below the directory of a branch, which has this number.
    Node(usize, Node),
}

impl ChessFs {
    fn place(&self, inode: Inode) -> Option<Place> {
        match inode.node().filter(|&(_, node)| node != Node::DATABASE) {
            _ if inode == RootInfo(self).inode() => Some(Place::RootInfo),
            Some((prefix, node)) => Some(Place::Node(self.branch_with(prefix)?, node)),
            None => self.folders.number_of(inode).map(Place::Folder),
        }
    }
}

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// Resolves an inode; `None` if it does not belong to `fs`.
    pub(super) fn new(fs: &F, inode: Inode) -> Option<Handle<F>> {
        let place = fs.place(inode)?;
        Some(Handle {
            fs: fs.clone(),
            inode,
            place,
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

    /// The folder, if the node is one.
    pub(super) fn folder(&self) -> Option<Folder<'_>> {
        match self.place {
            Place::Folder(folder) => Some(Folder::new(&self.fs, self.fs.folders.get(folder)?)),
            Place::RootInfo | Place::Node(..) => None,
        }
    }

    fn open(&self) -> Result<Object<'_>, FsError> {
        let object = match self.place {
            Place::Folder(_) => self.folder().map(Object::Folder),
            Place::RootInfo => Some(Object::RootInfo(RootInfo(&self.fs))),
            Place::Node(branch, node) => self.open_node(branch, node),
        };
        object.ok_or(FsError::Stale)
    }

    fn open_node(&self, branch: usize, node: Node) -> Option<Object<'_>> {
        let (at, existing) = self.fs.branch(branch)?.open(node)?;
        Some(match existing {
            tree::Existing::Directory => Object::Directory(at),
            tree::Existing::File(content) => Object::File(at, content),
            tree::Existing::Link(target) => Object::Link(at, target),
        })
    }

    /// The branch and the node below its directory, if the node is one.
    fn branch(&self) -> Option<(&BranchFs, Node)> {
        match self.place {
            Place::Node(branch, node) => Some((self.fs.branch(branch)?, node)),
            Place::Folder(_) | Place::RootInfo => None,
        }
    }

    /// The kind of the node, derived from its inode number alone.
    pub fn kind(&self) -> Kind {
        match self.place {
            Place::Folder(_) => Kind::Directory,
            Place::RootInfo => Kind::File,
            Place::Node(..) => {
                let branch = self.branch();
                branch.map_or(Kind::File, |(branch, node)| branch.kind(node))
            }
        }
    }

    /// False if games must be counted before anything is known of the node.
    fn is_counted(&self) -> bool {
        match self.place {
            Place::Folder(_) => true,
            Place::RootInfo => RootInfo(&self.fs).is_counted(),
            Place::Node(..) => self.branch().is_none_or(|(branch, _)| branch.is_counted()),
        }
    }

    /// True if attributes or contents of a file may require decoding many games, or a directory building a
    /// view. Such a request should not block a thread that reads requests.
    pub fn may_wait(&self) -> bool {
        match self.place {
            Place::Folder(_) => false,
            Place::RootInfo => !self.is_counted(),
            Place::Node(..) => {
                let branch = self.branch();
                branch.is_some_and(|(branch, node)| branch.wait(node) != Wait::None)
            }
        }
    }

    /// Which threads may answer requests for the node. A look-up is a request for the directory.
    pub fn where_to_answer(&self) -> Where {
        match self.place {
            // Both are answered from memory.
            Place::Folder(_) => Where::Here,
            Place::RootInfo if self.is_counted() => Where::Here,
            Place::RootInfo => Where::Aside,
            Place::Node(..) => {
                let branch = self.branch();
                branch.map_or(Where::Here, |(branch, node)| branch.where_to_answer(node))
            }
        }
    }

    /// Looks up `name` in a directory. `.` and `..` also work for files, as NFS servers need them.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::NotADirectory`]; [`FsError::Stale`] if the node does not exist.
    pub fn child(&self, name: &OsStr) -> Result<Handle<F>, FsError> {
        match name.as_encoded_bytes() {
            b"." => return Ok(self.clone()),
            b".." => return self.parent(),
            _ => {}
        }
        let object = self.open()?;
        let child = object.directory()?.child(name.to_str().ok_or(FsError::NotFound)?);
        Handle::new(&self.fs, self.fs.reported(child)?).ok_or(FsError::Stale)
    }

    /// The parent directory (the root is its own parent); for a game its directory in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the node does not exist.
    pub fn parent(&self) -> Result<Handle<F>, FsError> {
        let parent = self.parent_of(&self.open()?)?;
        Handle::new(&self.fs, parent).ok_or(FsError::Stale)
    }

    fn parent_of(&self, object: &Object<'_>) -> Result<Inode, FsError> {
        let Some(At {
            branch,
            section,
            node,
        }) = object.node()
        else {
            let folder = self.folder();
            return folder.map_or(Ok(Inode::ROOT), |folder| folder.parent().ok_or(FsError::Stale));
        };
        Ok(match section.parent(*node) {
            Node::DATABASE => self.fs.folders.directory_of(branch.prefix()),
            parent => branch.inode(parent),
        })
    }

    /// The attributes. Decodes games if the size requires it.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the node does not exist; [`FsError::Io`] if a game cannot be read.
    pub fn attributes(&self) -> Result<Attributes, FsError> {
        let object = self.open()?;
        Ok(object.attributes(self.fs.reported(object.size())?))
    }

    /// The attributes, or `None` if a game would have to be decoded for them, or games to be counted.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the node does not exist.
    pub fn attributes_if_known(&self) -> Result<Option<Attributes>, FsError> {
        if !self.is_counted() {
            return Ok(None);
        }
        let object = self.open()?;
        Ok(object.size_if_known().map(|size| object.attributes(size)))
    }

    /// Calls `each` with the entries of a directory, starting at `offset` (0, or [`Entry::next`] of an
    /// entry), until it breaks. The first two entries are `.` and `..`. With `with_attributes`, entries have
    /// attributes if these are known or the game is among the few that are decoded now.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] if the node does not exist.
    pub fn read_dir(
        &self,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let object = self.open()?;
        let directory = object.directory()?;
        let fs: &ChessFs = &self.fs;
        // Offsets in a folder are positions, which differ between epochs, so they include the epoch.
        let epoch = self.folder().map_or(0, |_| fs.epoch << 32);
        let begin = Instant::now();
        let mut decoded = 0;
        let mut at = offset & !epoch;
        let mut shown = Vec::new();
        let is_at_end = loop {
            let (name, inode, kind) = match at {
                0 => (".".into(), self.inode, Kind::Directory),
                1 => ("..".into(), self.parent_of(&object)?, Kind::Directory),
                _ => match usize::try_from(at - 2).ok().and_then(|n| directory.entry_at(n)) {
                    Some(entry) => entry,
                    None => break true,
                },
            };
            if at > 1 {
                shown.push(inode);
            }
            let mut attributes = None;
            if with_attributes {
                let child = Handle::new(&fs, inode).ok_or(FsError::Stale)?;
                attributes = child.attributes_if_known()?;
                if attributes.is_none()
                    && inode.is_game()
                    && decoded < DECODED_WHILE_LISTING
                    && begin.elapsed() < DECODING_WHILE_LISTING
                {
                    decoded += 1;
                    attributes = child.attributes().ok();
                }
            }
            at += 1;
            let entry = Entry {
                inode,
                kind,
                name: &name,
                next: epoch | at,
                attributes,
            };
            if each(entry).is_break() {
                break false;
            }
        };
        fs.reported(directory.check((!is_at_end).then_some(&shown)))
    }

    /// The number of entries of a directory.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] if the node does not exist.
    pub fn entries(&self) -> Result<usize, FsError> {
        Ok(self.open()?.directory()?.len())
    }

    /// Up to `most` games that a directory lists after `game`, or its first games. `None` if the directory
    /// does not contain `game`, or is not a directory of games.
    pub fn next_games(&self, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        let object = self.open().ok()?;
        let games = object.node()?.games_after(game)?;
        Some(games.take(most).collect())
    }

    /// Returns `size` bytes of a file from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::WrongKind`] for a link; [`FsError::Io`] if the source cannot be
    /// read or has changed; [`FsError::Stale`] if the node does not exist.
    pub fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let read = |file: &dyn File| file.read(offset, size);
        self.fs.reported(self.open()?.with_file(read)?)
    }

    /// The target of a symbolic link, relative to its directory.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] if the node is not a link; [`FsError::Stale`] if it does not exist.
    pub fn target(&self) -> Result<String, FsError> {
        match self.open()? {
            Object::Link(_, target) => Ok(target.into_owned()),
            _ => Err(FsError::WrongKind),
        }
    }

    /// Passes whole texts of games of this database to `each`. This is cheaper than reading them one by one;
    /// decoded texts are not cached. Games known to be longer than `longest` bytes are skipped.
    ///
    /// # Errors
    /// [`FsError::Io`] if the source cannot be read or has changed; [`FsError::Stale`] if an inode is not a
    /// game of this database.
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        let object = self.open()?;
        let branch = object.node().ok_or(FsError::Stale)?.branch;
        let database = branch.own_database().ok_or(FsError::Stale)?;
        let exists = |&game: &u32| game < database.sizes().games();
        let numbers = games.iter().map(|&game| branch.number_of(game).filter(exists));
        let mut numbers: Vec<u32> = numbers.collect::<Option<_>>().ok_or(FsError::Stale)?;
        numbers.retain(|&game| database.sizes().get(game).is_none_or(|size| size <= longest));
        self.fs.reported(database.each_text(&numbers, &mut |game, text| {
            each(database.inode(Node::game(game)), text);
        }))
    }

    /// The database and the number of the game, if the node is one.
    pub(super) fn game(&self) -> Result<Option<(&DatabaseFs, u32)>, FsError> {
        Ok(match self.open()? {
            Object::File(at, tree::Content::Game(game)) => {
                let database = at.branch.own_database().map(|own| &**own);
                database.zip(Some(game))
            }
            _ => None,
        })
    }
}
