//! What the file system's methods take and give.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::time::Duration;

use super::pool::Pool;
pub use crate::tree::{Inode, Kind, Layout};

/// How a library is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeOptions {
    /// Most bytes of decoded games that are kept.
    pub cache_size: usize,
    /// Threads that decode together where many games are needed at once; at least one works.
    pub threads: usize,
    /// Games have the time of their database's files instead of the day on which they were played.
    pub mtime_from_source: bool,
    /// Views beside the built-in ones, and names of games.
    pub layout: Layout,
    /// How long a source that is not local may leave a request unanswered.
    pub source_timeout: Duration,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            cache_size: 64 << 20,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            mtime_from_source: false,
            layout: Layout::default(),
            source_timeout: Duration::from_secs(30),
        }
    }
}

/// Where requests for an inode are to be answered.
#[derive(Clone)]
pub enum Where {
    /// In the thread that has the request.
    Here,
    /// In a thread that nobody else waits for: many games may have to be decoded, or a view be built.
    Aside,
    /// By this pool and nowhere else: the source may not answer.
    Pool(Arc<Pool>),
}

/// What `stat` shows; mode and owner are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The node.
    pub inode: Inode,
    /// What it is.
    pub kind: Kind,
    /// Exact length in bytes; 0 for directories.
    pub size: u64,
    /// Blocks of 512 bytes.
    pub blocks: u64,
    /// Time of last modification: seconds since 1970, negative before, and nanoseconds.
    pub modified: (i64, u32),
    /// Time of the last change: the database's own.
    pub changed: (i64, u32),
    /// Number of links: directories that show a file; 1 for a directory whose subdirectories are not counted.
    pub links: u32,
}

/// One entry of a directory.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The node.
    pub inode: Inode,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// The offset to go on from.
    pub next: u64,
    /// Its attributes where they were asked for and are known.
    pub attributes: Option<Attributes>,
}

/// Why an operation did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FsError {
    /// The directory has no such entry.
    NotFound,
    /// Not a directory.
    NotADirectory,
    /// A directory, where a file was expected.
    IsADirectory,
    /// A link, where a file was expected, or no link where one was.
    WrongKind,
    /// The node has no such extended attribute.
    NoAttribute,
    /// No node has this inode number, or none any more.
    Stale,
    /// The source does not give what it promised.
    Io,
}

impl FsError {
    /// The error number of the operating system.
    pub fn errno(self) -> i32 {
        match self {
            FsError::NotFound => libc::ENOENT,
            FsError::NotADirectory => libc::ENOTDIR,
            FsError::IsADirectory => libc::EISDIR,
            FsError::WrongKind => libc::EINVAL,
            FsError::NoAttribute => libc::ENODATA,
            FsError::Stale => libc::ESTALE,
            FsError::Io => libc::EIO,
        }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FsError::NotFound => "no such file or directory",
            FsError::NotADirectory => "not a directory",
            FsError::IsADirectory => "is a directory",
            FsError::WrongKind => "not possible with a file of this kind",
            FsError::NoAttribute => "no such attribute",
            FsError::Stale => "no such inode",
            FsError::Io => "the database cannot be read",
        })
    }
}

impl std::error::Error for FsError {}

/// Bytes read from a file: a part of a cached text, or bytes put together.
#[derive(Clone, Debug)]
pub struct Chunk(Bytes);

#[derive(Clone, Debug)]
enum Bytes {
    Shared(Arc<[u8]>, Range<usize>),
    Own(Vec<u8>, Range<usize>),
}

impl Chunk {
    /// At most `size` bytes of a text from `offset`, without copying them.
    pub(super) fn of(text: Arc<[u8]>, offset: u64, size: u32) -> Chunk {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        let end = start.saturating_add(size as usize).min(text.len());
        Chunk(Bytes::Shared(text, start..end))
    }

    /// The same of bytes that nobody else has.
    pub(super) fn of_joined(bytes: Vec<u8>, offset: u64, size: u32) -> Chunk {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(size as usize).min(bytes.len());
        Chunk(Bytes::Own(bytes, start..end))
    }
}

impl From<Vec<u8>> for Chunk {
    fn from(bytes: Vec<u8>) -> Chunk {
        let all = 0..bytes.len();
        Chunk(Bytes::Own(bytes, all))
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Shared(text, range) => text.get(range.clone()).unwrap_or_default(),
            Bytes::Own(bytes, range) => bytes.get(range.clone()).unwrap_or_default(),
        }
    }
}

/// Counts for `statfs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Databases served.
    pub databases: u64,
    /// Games in them.
    pub games: u64,
    /// Bytes of their files.
    pub source_bytes: u64,
}
