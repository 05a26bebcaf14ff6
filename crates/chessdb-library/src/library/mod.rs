//! The databases of a source, which is a folder or a single database.

mod entry;
mod error;
mod found_name;
mod game_path;
mod guarded;
mod holds;
mod join;
mod move_places;
mod names;
mod open;
mod opener;
mod openings;
mod options;
mod pattern;
mod places;
mod remedy;
mod root;
mod scan;
mod search;
mod selection;
mod states;
mod task;
mod text;
mod unread;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

pub use entry::LibraryEntry;
pub use error::{LeftOut, LibraryError};
pub use found_name::legible_file_name;
pub use game_path::{BLOCK, append_game_path, block_name, digits, game_path, numbered_game_name};
pub use guarded::{GuardedDatabase, MainLines};
pub use holds::belongs_to;
pub use move_places::{ILLEGAL, problems_by_move};
pub use names::{
    LONGEST_NAME, TakenNames, abridged, cut, is_unprintable, numbered, on_one_line, safe_name, shown,
};
pub use openings::ProgressReport;
pub use options::LibraryOptions;
pub use pattern::{DatabasePattern, PatternError};
pub use remedy::advised;
pub use selection::DatabaseSelection;
pub use text::{GameText, REMARK, append_text, document_text, problems_of, text_of, to_pgn};

use chessdb::Options;
use openings::{Job, Openings};
use places::LocatedEntry;
use task::OpeningTask;

/// The open databases of a source.
#[derive(Clone)]
pub struct Library {
    /// The source as the user named it.
    named: PathBuf,
    source: PathBuf,
    options: Options,
    selection: DatabaseSelection,
    /// How long to wait for databases that open slowly; `None` for no limit.
    patience: Option<Duration>,
    openings: Arc<Openings>,
    found: Vec<LocatedEntry>,
    databases: Vec<Arc<LibraryEntry>>,
    left_out: Vec<LeftOut>,
    opening: Vec<Opening>,
    /// The source is a file.
    is_file: bool,
    is_unsettled: bool,
    gone: Option<SystemTime>,
}

/// A database that is being opened.
#[derive(Clone)]
pub struct Opening {
    /// Its path, relative to the source.
    pub path: String,
    /// Another path may lead to the same files, so both have the same job.
    task: Arc<OpeningTask>,
    job: Arc<Job>,
}

impl Opening {
    /// Time since opening began.
    pub fn elapsed(&self) -> Duration {
        self.job.since.elapsed()
    }

    /// How many bytes have to be read, and how many of them have been read; 0 of 0 for a format that reads headers
    /// only.
    pub fn bytes(&self) -> (u64, u64) {
        self.job.progress.bytes()
    }
}

/// Waits for databases that a library left [being opened](Library::opening). Clones wait for the same and
/// [stop](Endings::stop) together.
#[derive(Clone)]
pub struct Endings {
    openings: Arc<Openings>,
    seen: u64,
    is_over: Arc<AtomicBool>,
}

impl Endings {
    /// Waits until at least one more database is open than at the last call; [`Library::go_on`] then adds it. Returns false
    /// when it was stopped.
    pub fn wait(&mut self) -> bool {
        let late = self.openings.wait_for_late(self.seen, &self.is_over);
        self.seen = late.unwrap_or(self.seen);
        late.is_some()
    }

    /// Ends all waiting, now and later.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
        self.openings.wake();
    }
}

impl Library {
    /// Opens a folder with everything below it, or the database that a file belongs to, as [`LibraryOptions`] do.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open(source: &Path, formats: &Options) -> Result<Library, LibraryError> {
        let options = LibraryOptions {
            formats: formats.clone(),
            ..LibraryOptions::default()
        };
        options.open(source)
    }

    /// A library of open databases; one with an empty path is the root of the tree.
    pub fn from_databases(databases: Vec<LibraryEntry>) -> Library {
        Library::from_shared(databases.into_iter().map(Arc::new).collect())
    }

    /// Like [`Library::from_databases`], for shared databases.
    pub fn from_shared(mut databases: Vec<Arc<LibraryEntry>>) -> Library {
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            named: PathBuf::new(),
            source: PathBuf::new(),
            options: Options::default(),
            selection: DatabaseSelection::default(),
            patience: None,
            openings: Arc::default(),
            found: Vec::new(),
            databases,
            left_out: Vec::new(),
            opening: Vec::new(),
            is_file: false,
            is_unsettled: false,
            gone: None,
        }
    }

    /// When a source with open databases disappeared, or lost its last database; `None` otherwise.
    pub fn gone(&self) -> Option<SystemTime> {
        self.gone
    }

    /// True if a database is shown in an older state because its files were changing during the search.
    pub fn is_unsettled(&self) -> bool {
        self.is_unsettled
    }

    /// True if both have the same source and share the same databases and openings.
    pub fn is_same(&self, other: &Library) -> bool {
        let mut pairs = self.databases.iter().zip(&other.databases);
        let mut jobs = self.opening.iter().zip(&other.opening);
        self.source == other.source
            && self.left_out == other.left_out
            && self.gone == other.gone
            && self.databases.len() == other.databases.len()
            && self.opening.len() == other.opening.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            && jobs.all(|(one, other)| Arc::ptr_eq(&one.job, &other.job))
    }

    /// Gives up all databases that are being opened.
    pub fn give_up_openings(&self) {
        self.openings.keep(|_| false);
    }

    /// The options for reading databases.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The source as the user named it.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The source, as an absolute path without symbolic links.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// True if the root of the tree is a database's own directory.
    pub fn is_single(&self) -> bool {
        self.databases.iter().any(|entry| entry.path.is_empty())
    }

    /// The databases, sorted by path.
    pub fn databases(&self) -> &[Arc<LibraryEntry>] {
        &self.databases
    }

    /// Bytes of the files of all databases. A file counts once, even if it is an archive of several databases, or links
    /// lead to it.
    pub fn source_bytes(&self) -> u64 {
        let files = self.databases.iter().flat_map(|entry| &entry.files);
        let mut seen = HashSet::new();
        let files = files.filter(|(_, identity)| seen.insert((identity.device, identity.inode)));
        files.map(|(_, identity)| identity.size).sum()
    }

    /// What was left out: it looked like a database, or might have contained one.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Databases that are still being opened.
    pub fn opening(&self) -> &[Opening] {
        &self.opening
    }

    /// How long the library waited for databases that are still [being opened](Library::opening).
    pub fn patience(&self) -> Duration {
        self.patience.unwrap_or_default()
    }

    /// Waits for databases that this library, or one derived from it, is opening.
    pub fn endings(&self) -> Endings {
        Endings {
            openings: Arc::clone(&self.openings),
            seen: 0,
            is_over: Arc::default(),
        }
    }
}
