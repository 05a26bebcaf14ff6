//! Arguments and results of the file system's methods.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use log::Level;

use chessdb_library::workers::Pause;

pub use crate::tree::{Inode, Kind, Layout};
use crate::tree::{Row, SearchRefusal};
use chessdb_library::positions::{BuildOptions, IndexUse};

/// How a library is served.
#[derive(Clone, Debug, PartialEq)]
pub struct ServeOptions {
    /// Maximum size of the cache of decoded games, in bytes.
    pub cache_size: usize,
    /// Number of threads that decode together if many games are needed; at least one.
    pub threads: usize,
    /// If true, games have the time of their database's files instead of the day on which they were played.
    pub mtime_from_source: bool,
    /// User-defined views, and names of games.
    pub layout: Arc<Layout>,
    /// Sections of every directory after the built-in ones.
    pub sections: Vec<&'static Row>,
    /// If true, `all/unique/` shows one game of each group of duplicates.
    pub unique: bool,
    /// How long a request to a source that is not local may remain unanswered.
    pub source_timeout: Duration,
    /// If true, `info.txt` at the root has the path of the source, otherwise only the last part.
    pub shows_source: bool,
    /// Approximate memory for the results of all searches together, in bytes.
    pub search_memory: usize,
    /// Whether there is an index of positions, and with it `moves/` and `positions/`.
    pub index: IndexUse,
    /// Approximate memory for building an index, in bytes.
    pub index_memory: usize,
    /// Folders for indexes that are not kept, see [`BuildOptions::folders`].
    pub index_folders: &'static [PathBuf],
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            cache_size: 64 << 20,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            mtime_from_source: false,
            layout: Arc::default(),
            sections: Vec::new(),
            unique: false,
            source_timeout: Duration::from_secs(30),
            shows_source: true,
            search_memory: 256 << 20,
            index: IndexUse::default(),
            index_memory: BuildOptions::default().memory,
            index_folders: BuildOptions::default().folders,
        }
    }
}

/// A directory or file that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// The inode whose attributes, entries or bytes have changed.
    pub inode: Inode,
    /// Names in it that were added or removed, or now refer to another inode.
    pub names: Vec<String>,
}

/// The attributes shown by `stat`, except mode and owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The node.
    pub inode: Inode,
    /// Its kind.
    pub kind: Kind,
    /// Exact length in bytes; 0 for directories.
    pub size: u64,
    /// Blocks of 512 bytes.
    pub blocks: u64,
    /// Time of last modification: seconds since 1970, negative before, and nanoseconds.
    pub modified: (i64, u32),
    /// Time of last change: when the database's files changed last.
    pub changed: (i64, u32),
    /// Number of links: the directories that show a file; 1 for a directory whose subdirectories are not
    /// counted.
    pub links: u32,
}

/// Maximum length of a name in bytes.
pub const NAME_MAX: usize = 255;

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FsError {
    /// The directory has no such entry.
    NotFound,
    /// The directory has no such entry, because the name in `search/`, or the query, is not a valid search.
    Refused(Arc<SearchRefusal>),
    /// Not a directory.
    NotADirectory,
    /// A directory, where a file was expected.
    IsADirectory,
    /// A link where a file was expected, or the reverse.
    WrongKind,
    /// The node has no such extended attribute.
    NoAttribute,
    /// No node has this inode number, or none has it any more.
    Stale,
    /// The name is longer than [`NAME_MAX`] bytes.
    NameTooLong,
    /// No number is free for another node now, or very many requests are waiting.
    Again,
    /// The caller gave up.
    Interrupted,
    /// The source cannot be read or has changed.
    Io(Failure),
}

impl FsError {
    /// The error number of the operating system.
    pub fn errno(&self) -> i32 {
        match self {
            FsError::NotFound | FsError::Refused(_) => libc::ENOENT,
            FsError::NotADirectory => libc::ENOTDIR,
            FsError::IsADirectory => libc::EISDIR,
            FsError::WrongKind => libc::EINVAL,
            FsError::NoAttribute => libc::ENODATA,
            FsError::Stale => libc::ESTALE,
            FsError::NameTooLong => libc::ENAMETOOLONG,
            FsError::Again => libc::EAGAIN,
            FsError::Interrupted => libc::EINTR,
            FsError::Io(_) => libc::EIO,
        }
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FsError::NotFound => "no such file or directory",
            FsError::Refused(refusal) => return refusal.fmt(f),
            FsError::NotADirectory => "not a directory",
            FsError::IsADirectory => "is a directory",
            FsError::WrongKind => "not possible with a file of this kind",
            FsError::NoAttribute => "no such attribute",
            FsError::Stale => "no such inode, or it is no longer kept",
            FsError::NameTooLong => "the name is too long",
            FsError::Again => "too many requests or searches are in use: try again later",
            FsError::Interrupted => "the caller has left",
            FsError::Io(failure) => return failure.fmt(f),
        })
    }
}

impl std::error::Error for FsError {}

impl From<SearchRefusal> for FsError {
    fn from(refusal: SearchRefusal) -> FsError {
        FsError::Refused(Arc::new(refusal))
    }
}

/// Bytes read from a file: a range of a cached text, or a copy.
#[derive(Clone, Debug)]
pub struct Chunk(ChunkBytes);

#[derive(Clone, Debug)]
enum ChunkBytes {
    Shared(Arc<[u8]>, Range<usize>),
    Own(Vec<u8>, Range<usize>),
}

impl Chunk {
    /// At most `size` bytes of a text from `offset`, without copying them.
    pub(super) fn of(text: Arc<[u8]>, offset: u64, size: u32) -> Chunk {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        let end = start.saturating_add(size as usize).min(text.len());
        Chunk(ChunkBytes::Shared(text, start..end))
    }

    /// At most `size` of `bytes` from `offset`.
    pub(super) fn of_joined(bytes: Vec<u8>, offset: u64, size: u32) -> Chunk {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(size as usize).min(bytes.len());
        Chunk(ChunkBytes::Own(bytes, start..end))
    }
}

impl From<Vec<u8>> for Chunk {
    fn from(bytes: Vec<u8>) -> Chunk {
        let all = 0..bytes.len();
        Chunk(ChunkBytes::Own(bytes, all))
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            ChunkBytes::Shared(text, range) => text.get(range.clone()).unwrap_or_default(),
            ChunkBytes::Own(bytes, range) => bytes.get(range.clone()).unwrap_or_default(),
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

/// The offset of the first entry of a directory after `.` and `..`.
pub(super) const FIRST_OFFSET: u64 = 2;

/// One entry of a directory.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its node.
    pub inode: Inode,
    /// What the name refers to.
    pub kind: Kind,
    /// The offset at which a listing continues after this entry.
    pub next: u64,
    /// The attributes, if the caller wants them and they are known.
    pub attributes: Option<Attributes>,
}

impl<'a> Entry<'a> {
    /// An entry without attributes.
    pub(super) fn new(name: impl Into<Cow<'a, str>>, inode: Inode, kind: Kind, next: u64) -> Entry<'a> {
        Entry {
            name: name.into(),
            inode,
            kind,
            next,
            attributes: None,
        }
    }

    /// True for `.` and `..`.
    pub fn is_dots(&self) -> bool {
        matches!(&*self.name, "." | "..")
    }
}

/// An existing directory.
pub(super) trait Directory {
    /// The number of entries, without `.` and `..`.
    fn len(&self) -> usize;

    /// The first entry after an offset, which is [`FIRST_OFFSET`] or the offset of another entry. `.` and `..` are left
    /// out.
    fn entry_after(&self, offset: u64) -> Option<Entry<'_>>;

    /// The inode of the entry with this name.
    ///
    /// # Errors
    /// [`FsError::NotFound`]; [`FsError::Io`] if the source changed, so that the entry may have existed
    /// before.
    fn child(&self, name: &str) -> Result<Inode, FsError>;

    /// An error if the source changed, so that these entries may be wrong. `None` means that the listing is complete,
    /// so that no entry may be missing either.
    fn check(&self, _shown: Option<&[Inode]>) -> Result<(), FsError> {
        Ok(())
    }
}

/// Why a request ends with an input/output error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file was changed after it was opened.
    Changed,
    /// The text of this game does not have the length that was reported before.
    Length(u32),
    /// The size of at least one game cannot be determined.
    Sizes,
    /// The database was replaced by a newer state while its sizes were being determined.
    Replaced,
    /// The tags that a table consists of have changed.
    Tags,
    /// A raw file, given by its number, cannot be read at this byte.
    Member(u32, u64),
    /// The index of positions cannot be built.
    Index,
    /// There is no space for a table.
    NoRoom,
    /// The source does not answer.
    Silent,
    /// Serving has ended.
    Ended,
    /// Something unexpected; the log says more.
    Unexpected,
}

/// Number of values of [`Failure::reason`].
const REASONS: usize = 11;

/// When each reason was last logged.
pub(super) struct Failures([Pause; REASONS]);

impl Failures {
    pub(super) fn new() -> Failures {
        Failures([(); REASONS].map(|()| Pause::new(Level::Error)))
    }

    /// Logs a failure and returns the error for the request.
    pub(super) fn report(&self, name: impl fmt::Display, failure: Failure) -> FsError {
        let level = self.0.get(failure.reason()).map_or(Level::Error, Pause::level);
        log::log!(level, "{name}: {failure}");
        FsError::Io(failure)
    }
}

impl Failure {
    fn reason(self) -> usize {
        match self {
            Failure::Length(_) => 0,
            Failure::Sizes => 1,
            Failure::Replaced => 2,
            Failure::Tags => 3,
            Failure::Member(..) => 4,
            Failure::Index => 5,
            Failure::NoRoom => 6,
            Failure::Changed => 7,
            Failure::Silent => 8,
            Failure::Ended => 9,
            Failure::Unexpected => 10,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Length(game) => {
                let number = u64::from(*game) + 1;
                write!(f, "the length of game {number} has changed: was a file changed?")
            }
            Failure::Index => f.write_str(
                "no index of positions could be built; mount with index=no to hide moves/ and positions/",
            ),
            Failure::NoRoom => {
                f.write_str("a table cannot be written: set cache-dir, or TMPDIR, to a folder with room")
            }
            Failure::Changed => f.write_str("a file was changed: it is opened again soon"),
            Failure::Silent => f.write_str("the source does not answer"),
            Failure::Ended => f.write_str("serving has ended"),
            Failure::Unexpected => f.write_str("the database cannot be read: the log says why"),
            Failure::Sizes => f.write_str("the sizes of some games cannot be found"),
            Failure::Replaced => f.write_str("a newer state of the database has replaced it"),
            Failure::Tags => f.write_str("tags have changed: was a file changed?"),
            Failure::Member(member, at) => write!(f, "file {member} in it cannot be read at byte {at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_words() {
        for error in [
            FsError::NotFound,
            FsError::from(SearchRefusal::NoField),
            FsError::NotADirectory,
            FsError::IsADirectory,
            FsError::WrongKind,
            FsError::NoAttribute,
            FsError::Stale,
            FsError::NameTooLong,
            FsError::Again,
            FsError::Interrupted,
            FsError::Io(Failure::Index),
        ] {
            let words = match error {
                FsError::NotFound => "no such file or directory",
                FsError::Refused(_) => "a search needs a field",
                FsError::NotADirectory => "not a directory",
                FsError::IsADirectory => "is a directory",
                FsError::WrongKind => "not possible with a file of this kind",
                FsError::NoAttribute => "no such attribute",
                FsError::Stale => "no such inode, or it is no longer kept",
                FsError::NameTooLong => "the name is too long",
                FsError::Again => "too many requests or searches are in use: try again later",
                FsError::Interrupted => "the caller has left",
                FsError::Io(_) => "no index of positions could be built",
            };
            assert!(error.to_string().starts_with(words), "{error}");
        }
    }

    /// Each error is also logged by itself: no error is hidden because another one was logged.
    #[test]
    fn each_failure_has_its_words() {
        let all = [
            Failure::Changed,
            Failure::Length(2),
            Failure::Sizes,
            Failure::Replaced,
            Failure::Tags,
            Failure::Member(2, 7),
            Failure::Index,
            Failure::NoRoom,
            Failure::Silent,
            Failure::Ended,
            Failure::Unexpected,
        ];
        let mut reasons: Vec<usize> = all.iter().map(|failure| failure.reason()).collect();
        reasons.sort_unstable();
        assert!(reasons.into_iter().eq(0..REASONS));
        for failure in all {
            let words = match failure {
                Failure::Changed => "a file was changed: it is opened again soon",
                Failure::Length(_) => "the length of game 3 has changed: was a file changed?",
                Failure::Sizes => "the sizes of some games cannot be found",
                Failure::Replaced => "a newer state of the database has replaced it",
                Failure::Tags => "tags have changed: was a file changed?",
                Failure::Member(..) => "file 2 in it cannot be read at byte 7",
                Failure::Index => "no index of positions could be built; mount with index=no",
                Failure::NoRoom => {
                    "a table cannot be written: set cache-dir, or TMPDIR, to a folder with room"
                }
                Failure::Silent => "the source does not answer",
                Failure::Ended => "serving has ended",
                Failure::Unexpected => "the database cannot be read: the log says why",
            };
            assert!(failure.to_string().contains(words), "{failure}");
            assert_eq!(FsError::Io(failure).to_string(), failure.to_string());
        }
    }
}
