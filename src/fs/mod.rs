//! The file system itself: look-up, attributes, listing and reading, without a word about FUSE.
//!
//! Numbers, names and directories come from [`crate::tree`], bytes from the databases of a
//! [`Library`]; what is between them is here: sizes, the cache of decoded games, files that are put together
//! from many games.

mod types;

use std::ffi::OsStr;
use std::ops::ControlFlow;

pub use types::{Attributes, Chunk, Entry, FsError, Inode, Kind, ServeOptions, Statistics};

use crate::library::Library;

/// A library as a read-only tree of files. All methods may be called from any thread.
pub struct ChessFs {
    library: Library,
    options: ServeOptions,
}

impl ChessFs {
    /// Serves a library. No game is decoded, no view built.
    pub fn new(library: Library, options: ServeOptions) -> ChessFs {
        ChessFs { library, options }
    }

    /// What is served.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The entry `name` of a directory; `.` and `..` too.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::NotADirectory`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn lookup(&self, parent: Inode, name: &OsStr) -> Result<Inode, FsError> {
        let _ = (parent, name, &self.options);
        Err(FsError::NotFound)
    }

    /// The directory that holds a directory (the root holds itself); for a game the one in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn parent(&self, inode: Inode) -> Result<Inode, FsError> {
        Ok(inode)
    }

    /// The attributes of a node; decodes what they need.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn attributes(&self, inode: Inode) -> Result<Attributes, FsError> {
        let _ = inode;
        Err(FsError::Stale)
    }

    /// The attributes of a node, or none where a game would have to be decoded for them.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn attributes_if_known(&self, inode: Inode) -> Result<Option<Attributes>, FsError> {
        let _ = inode;
        Err(FsError::Stale)
    }

    /// True where [`ChessFs::attributes`] or [`ChessFs::read`] of a file may have to decode many games first, or
    /// [`ChessFs::lookup`] and [`ChessFs::read_dir`] in a directory to build a view: better not answered by a
    /// thread that others wait for.
    pub fn may_wait(&self, inode: Inode) -> bool {
        let _ = inode;
        false
    }

    /// Gives the entries of a directory from `offset` (0, or an entry's `next`) until `each` breaks. The first
    /// two are `.` and `..`. Attributes are filled in on demand, and only those that need no decoding.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn read_dir(
        &self,
        inode: Inode,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let _ = (inode, offset, with_attributes, each);
        Err(FsError::Stale)
    }

    /// Bytes of a file: `size` of them from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::Io`] where the source does not give what it promised;
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn read(&self, inode: Inode, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let _ = (inode, offset, size);
        Err(FsError::Stale)
    }

    /// Names of a node's extended attributes: `user.pgn.<tag>` for a game, none for others.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn attribute_names(&self, inode: Inode) -> Result<Vec<String>, FsError> {
        let _ = inode;
        Err(FsError::Stale)
    }

    /// The value of an extended attribute. No move is decoded.
    ///
    /// # Errors
    /// [`FsError::NoAttribute`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn attribute_value(&self, inode: Inode, name: &OsStr) -> Result<Vec<u8>, FsError> {
        let _ = (inode, name);
        Err(FsError::Stale)
    }

    /// Counts for `statfs`.
    pub fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}
