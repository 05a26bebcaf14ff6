//! Status of the databases.

use std::time::{Duration, SystemTime};

use super::refused::RefusedName;
use chessdb_library::positions::IndexState;

/// Status of a file system. Determining it decodes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// All databases, sorted by path.
    pub databases: Vec<DatabaseStatus>,
    /// Since when the source is gone.
    pub gone: Option<SystemTime>,
    /// Databases that are still being opened.
    pub opening: Vec<OpeningStatus>,
    /// The cache of decoded games.
    pub cache: CacheStatus,
    /// The last names in `search/` that were no queries, of all users.
    pub refused: Vec<RefusedName>,
}

/// Status of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// Path of its directory in the tree; empty if it is the root.
    pub path: String,
    /// Display name.
    pub name: String,
    /// Short name of its format.
    pub format: &'static str,
    /// Display name of its format.
    pub title: &'static str,
    /// Number of its games; the most that there can be, as long as they are not counted.
    pub games: u32,
    /// True if its games are counted.
    pub is_counted: bool,
    /// Number of games whose size is known.
    pub sizes_known: u32,
    /// State of the background pass.
    pub pass: PassState,
    /// State of its index of positions.
    pub index: IndexState,
    /// True if the lines of its games are read from the cache folder.
    pub has_lines: bool,
    /// Problems of the database itself, and of the games whose size is known.
    pub problems: usize,
    /// For how long its source has not answered, if that is longer than a second.
    pub silence: Option<Duration>,
}

/// A database that is being opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningStatus {
    /// Its path, relative to the source.
    pub path: String,
    /// Time since opening began.
    pub elapsed: Duration,
    /// How many of the bytes that have to be read have been read, in percent; `None` for a format that reads
    /// headers only, and for an opening that has not begun.
    pub percent: Option<u8>,
}

/// State of the background pass for a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassState {
    /// The pass has not reached the database.
    Waiting,
    /// The pass is decoding its games.
    Running,
    /// All sizes are known.
    Done,
    /// The pass stopped because the files have changed.
    GivenUp,
}

/// Status of the cache of decoded games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStatus {
    /// Number of games in the cache.
    pub games: usize,
    /// Bytes in use.
    pub bytes: usize,
    /// Maximum number of bytes.
    pub capacity: usize,
    /// Number of texts found in the cache.
    pub hits: u64,
    /// Number of texts that had to be decoded.
    pub misses: u64,
}
