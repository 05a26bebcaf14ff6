//! A node that exists, opened for one request.

use std::ffi::OsStr;
use std::ops::{ControlFlow, Deref};
use std::sync::Arc;

use super::at::At;
use super::branch::BranchFs;
use super::database::DatabaseFs;
use super::directory::ListedEntry;
use super::files::File;
use super::handle::{Elsewhere, Handle, Number, elsewhere};
use super::object::Object;
use super::place::NodePlace;
use super::state::ChessFs;
use super::types::{Attributes, Chunk, FsError, Inode, Kind};
use crate::tree::{Content, Node};
use chessdb::Decoded;
use chessdb_library::made::Wait;

/// One entry of a directory.
#[derive(Clone, Copy)]
pub struct DirectoryEntry<'a> {
    /// The node.
    pub inode: Inode,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// The offset at which a listing continues after this entry.
    pub next: u64,
    fs: &'a ChessFs,
    /// The branch of the directory, and of most entries.
    branch: Option<&'a BranchFs>,
}

impl DirectoryEntry<'_> {
    /// True for `.` and `..`.
    pub fn is_dots(&self) -> bool {
        matches!(self.name, "." | "..")
    }

    fn with_place<T>(&self, then: impl FnOnce(NodePlace<'_>) -> Option<T>) -> Option<T> {
        match (self.branch, self.inode.node()) {
            (Some(branch), Some((prefix, node))) if prefix == branch.prefix() => {
                then(NodePlace::Node(self.fs, branch, node))
            }
            _ => then(Number::of(self.fs, self.inode)?.place(self.fs)?),
        }
    }

    /// The attributes, or `None` if a game would have to be decoded for them, or games to be counted.
    pub fn attributes_if_known(&self) -> Option<Attributes> {
        if self.fs.must_make(self.inode) {
            return None;
        }
        self.with_place(|place| place.attributes_if_known())
    }

    /// True if finding its size takes so long that another thread should do it.
    pub fn must_wait(&self) -> bool {
        let wait = self.with_place(|place| Some(place.open()?.wait()));
        wait.is_some_and(|wait| wait != Wait::None)
    }

    /// The attributes. Decodes games if the size requires it.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the node does not exist; [`FsError::Io`] if a game cannot be read.
    pub fn attributes(&self) -> Result<Attributes, FsError> {
        let attributes = self.with_place(|place| {
            let object = place.open()?;
            let size = self.fs.reported(object.size());
            Some(size.map(|size| object.attributes(size)))
        });
        attributes.unwrap_or(Err(FsError::Stale))
    }
}

/// A node that exists.
pub struct OpenNode<'a, F> {
    handle: &'a Handle<F>,
    object: Object<'a>,
}

/// A node opened in a state of the source.
pub type Open<'a> = OpenNode<'a, Arc<ChessFs>>;

impl<'a, F: Deref<Target = ChessFs> + Clone> OpenNode<'a, F> {
    pub(super) fn new(handle: &'a Handle<F>, object: Object<'a>) -> OpenNode<'a, F> {
        OpenNode { handle, object }
    }

    /// The node as it was resolved.
    pub fn handle(&self) -> &'a Handle<F> {
        self.handle
    }

    /// The threads that must answer a request for it, if this one, which belongs to no database, must not.
    pub fn elsewhere(&self) -> Option<Elsewhere> {
        let wait = self.object.wait();
        let remote = self.object.node().and_then(|at| at.branch.remote());
        // Answered from memory.
        let may_answer = wait == Wait::None && (remote.is_none() || self.is_info());
        (!may_answer).then(|| elsewhere(remote, wait))
    }

    /// True for an `info.txt`.
    pub(super) fn is_info(&self) -> bool {
        matches!(self.object, Object::RootInfo(_) | Object::File(_, Content::Info))
    }

    pub(super) fn fs(&self) -> &'a F {
        self.handle.fs()
    }

    /// The branch that it belongs to.
    pub(super) fn branch(&self) -> Option<&'a BranchFs> {
        self.object.node().map(|at| at.branch)
    }

    fn resolved(&self, inode: Inode) -> Result<Handle<F>, FsError> {
        Handle::new(self.fs(), inode).ok_or(FsError::Stale)
    }

    /// Looks up `name` in a directory. `.` and `..` also work for files, as NFS servers need them.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::NotADirectory`].
    pub fn child(&self, name: &OsStr) -> Result<Handle<F>, FsError> {
        match name.as_encoded_bytes() {
            b"." => return Ok(self.handle.clone()),
            b".." => return self.parent(),
            _ => {}
        }
        let directory = self.object.directory()?;
        let child = directory.child(name.to_str().ok_or(FsError::NotFound)?);
        self.update_memory_use();
        self.resolved(self.fs().reported(child)?)
    }

    /// The branch in whose `search/` names are looked up here.
    pub(super) fn searched_branch(&self) -> Option<&BranchFs> {
        match &self.object {
            Object::Searches(searches) => Some(searches.at.branch),
            _ => None,
        }
    }

    /// The parent directory (the root is its own parent); for a game its directory in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn parent(&self) -> Result<Handle<F>, FsError> {
        self.resolved(self.parent_inode()?)
    }

    fn parent_inode(&self) -> Result<Inode, FsError> {
        let Some(at) = self.object.node() else {
            return Ok(match &self.object {
                Object::Folder(folder) => folder.parent(),
                _ => Inode::ROOT,
            });
        };
        Ok(match at.section.parent(at.node) {
            Node::DATABASE => self.fs().directory_of(at.branch.prefix()),
            parent => at.branch.inode(parent),
        })
    }

    /// The attributes. Decodes games if the size requires it.
    ///
    /// # Errors
    /// [`FsError::Io`] if a game cannot be read.
    pub fn attributes(&self) -> Result<Attributes, FsError> {
        let size = self.fs().reported(self.object.size());
        self.update_memory_use();
        Ok(self.object.attributes(size?))
    }

    /// The attributes, or `None` if a game would have to be decoded for them.
    pub fn attributes_if_known(&self) -> Option<Attributes> {
        self.object.attributes_if_known()
    }

    /// The number of entries of a directory.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`].
    pub fn entries(&self) -> Result<usize, FsError> {
        Ok(self.object.directory()?.len())
    }

    /// Calls `each` with the entries of a directory, starting at `offset` (0, or [`DirectoryEntry::next`] of an
    /// entry), until it breaks. The first two entries are `.` and `..`.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Io`] if the source has changed, so that entries may be wrong.
    pub fn read_dir(
        &self,
        offset: u64,
        each: &mut dyn FnMut(DirectoryEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let directory = self.object.directory()?;
        let fs: &ChessFs = self.fs();
        let branch = self.branch();
        let mut at = offset;
        let mut shown = Vec::new();
        let is_at_end = loop {
            let directory_itself = |name: &'static str, inode| ListedEntry {
                name: name.into(),
                inode,
                kind: Kind::Directory,
                next: at + 1,
            };
            let listed = match at {
                0 => directory_itself(".", self.handle.inode()),
                1 => directory_itself("..", self.parent_inode()?),
                _ => match directory.entry_after(at) {
                    Some(listed) => {
                        shown.push(listed.inode);
                        listed
                    }
                    None => break true,
                },
            };
            at = listed.next;
            let entry = DirectoryEntry {
                inode: listed.inode,
                kind: listed.kind,
                name: &listed.name,
                next: at,
                fs,
                branch,
            };
            if each(entry).is_break() {
                break false;
            }
        };
        self.update_memory_use();
        fs.reported(directory.check((!is_at_end).then_some(&shown)))
    }

    fn update_memory_use(&self) {
        self.branch()
            .inspect(|branch| self.fs().update_memory_use(branch));
    }

    /// Up to `most` games that a directory lists after `game`, or its first games. `None` if the directory
    /// does not contain `game`, or is not a directory of games.
    pub fn next_games(&self, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        let games = self.object.node()?.games_after(game)?;
        Some(games.take(most).collect())
    }

    /// Returns `size` bytes of a file from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::WrongKind`] for a link; [`FsError::Io`] if the source cannot be
    /// read or has changed.
    pub fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let read = |file: &dyn File| file.read(offset, size);
        let bytes = self.object.with_file(read);
        self.update_memory_use();
        self.fs().reported(bytes?)
    }

    /// The target of a symbolic link, relative to its directory.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] if the node is not a link.
    pub fn target(&self) -> Result<&str, FsError> {
        match &self.object {
            Object::Link(_, target) => Ok(target),
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
        let branch = self.object.node().ok_or(FsError::Stale)?.branch;
        let database = branch.own_database().ok_or(FsError::Stale)?;
        let exists = |&game: &u32| game < database.sizes().games();
        let numbers = games.iter().map(|&game| branch.number_of(game).filter(exists));
        let mut numbers: Vec<u32> = numbers.collect::<Option<_>>().ok_or(FsError::Stale)?;
        numbers.retain(|&game| database.sizes().get(game).is_none_or(|size| size <= longest));
        self.fs()
            .reported(database.each_text(&numbers, &mut |game, text| {
                each(database.inode(Node::game(game)), text);
            }))
    }

    /// The threads that must decode the game that a file is, if this one must not.
    pub fn for_decoding(&self) -> Option<Elsewhere> {
        let (database, game) = self.game()?;
        let remote = self.object.node().and_then(|at| at.branch.remote());
        database.decodes_long(game).then(|| elsewhere(remote, Wait::Own))
    }

    /// The game that a file is, decoded.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] if it is none; [`FsError::Io`] if the source cannot be read or has changed.
    pub fn decoded(&self) -> Result<Decoded, FsError> {
        let (database, game) = self.game().ok_or(FsError::WrongKind)?;
        let decoded = database.entry().database.game(game);
        self.fs().reported(database.texts().check())?;
        Ok(decoded)
    }

    /// The database and the number of the game, if the node is one.
    pub(super) fn game(&self) -> Option<(&DatabaseFs, u32)> {
        match self.object {
            Object::File(At { branch, .. }, Content::Game(game)) => {
                let database = branch.own_database()?;
                Some((database, game))
            }
            _ => None,
        }
    }
}
