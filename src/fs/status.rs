//! What is known by now: for whoever asks how the work goes.

use std::time::Duration;

/// What a file system knows of its databases. Nothing is decoded to tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Every database, in the order of their paths.
    pub databases: Vec<DatabaseStatus>,
    /// What is still being opened.
    pub opening: Vec<OpeningStatus>,
    /// The decoded games that are kept.
    pub cache: CacheStatus,
}

/// What is known of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// Path of its directory in the tree; empty where it is the root.
    pub path: String,
    /// What people call it.
    pub name: String,
    /// Short name of its format.
    pub format: &'static str,
    /// Name of its format for people.
    pub title: &'static str,
    /// Number of its games.
    pub games: u32,
    /// Games whose size is known.
    pub sizes_known: u32,
    /// Where the background pass is.
    pub pass: PassState,
    /// Problems of the database itself, and of the games whose size is known.
    pub problems: usize,
    /// For how long its source has not answered, where that is longer than a second.
    pub silence: Option<Duration>,
}

/// A database that is being opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningStatus {
    /// Its path, relative to the source.
    pub path: String,
    /// For how long.
    pub elapsed: Duration,
}

/// Where the background pass is in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassState {
    /// It has not come to it.
    Waiting,
    /// It is decoding its games.
    Running,
    /// All sizes are known.
    Done,
    /// The files are not what they were.
    GivenUp,
}

/// How the cache of decoded games does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStatus {
    /// Games in it.
    pub games: usize,
    /// Bytes that they take.
    pub bytes: usize,
    /// Most bytes that they may take.
    pub capacity: usize,
    /// Games that were wanted and there.
    pub hits: u64,
    /// Games that were wanted and had to be decoded.
    pub misses: u64,
}
