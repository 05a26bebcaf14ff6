//! The file system itself: look-up, attributes, listing and reading, without a word about FUSE.
//!
//! Numbers, names and directories come from [`crate::tree`], bytes from the databases of a
//! [`Library`]; what is between them is here: sizes, the cache of decoded games, files that are put together
//! from many games.

mod cache;
mod database;
mod describe;
mod failure;
mod files;
mod folder;
mod gather;
mod handle;
mod info;
mod join;
mod listing;
mod live;
mod lookups;
mod object;
mod outdated;
mod pass;
mod pool;
mod progress;
mod remote;
mod silence;
mod size_file;
mod sizes;
mod status;
mod table;
mod tags;
mod texts;
mod times;
mod types;
mod walk;

use std::collections::HashSet;
use std::sync::atomic::{self, AtomicU64, Ordering};
use std::sync::{self, Arc, OnceLock};

pub use handle::{Handle, Resolved};
pub use live::Live;
pub use outdated::Outdated;
pub use pass::PassOptions;
pub use pool::Pool;
pub use size_file::SizeFiles;
pub use status::{CacheStatus, DatabaseStatus, OpeningStatus, PassState, Status};
pub use types::{Attributes, Chunk, Entry, FsError, Inode, Kind, Layout, ServeOptions, Statistics, Where};
pub use walk::{Task, Walks};

use crate::library::{Library, LibraryEntry, Opening};
use crate::tree::{Branch, Prefix, SourceTree};
use cache::TextCache;
use database::DatabaseFs;
use folder::INFO;
use pass::Pass;

/// A library as a read-only tree of files. All methods, and those of a [`Handle`], may be called from any thread.
pub struct ChessFs {
    library: Library,
    folders: Arc<SourceTree>,
    databases: Vec<Arc<DatabaseFs>>,
    common: Arc<Common>,
    /// How many came before it.
    epoch: u64,
    /// `info.txt` at the root.
    info: OnceLock<Arc<[u8]>>,
}

/// What a file system has in common with the one that follows it when the source changes.
struct Common {
    options: ServeOptions,
    cache: Arc<TextCache>,
    size_files: OnceLock<SizeFiles>,
    pass: OnceLock<Pass>,
    /// Counts what is asked for.
    requests: Arc<AtomicU64>,
    /// Called when something cannot be read.
    on_error: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl ChessFs {
    /// Serves a library. No game is decoded, no view built.
    pub fn new(library: Library, options: ServeOptions) -> ChessFs {
        let common = Arc::new(Common {
            cache: Arc::new(TextCache::new(options.cache_size)),
            options,
            size_files: OnceLock::new(),
            pass: OnceLock::new(),
            requests: Arc::new(AtomicU64::new(0)),
            on_error: OnceLock::new(),
        });
        ChessFs::with(library, common, &mut HashSet::new(), |_| None)
    }

    /// Serves a library with the databases that are `kept` from before, and others whose inodes are not among
    /// those `given` already.
    fn with(
        library: Library,
        common: Arc<Common>,
        given: &mut HashSet<Prefix>,
        kept: impl Fn(&LibraryEntry) -> Option<Arc<DatabaseFs>>,
    ) -> ChessFs {
        let mut open = |entry: &Arc<LibraryEntry>| {
            let prefix = Prefix::free(entry.identity_hash(), given);
            let cache = Arc::clone(&common.cache);
            let database = DatabaseFs::new(Arc::clone(entry), prefix, cache, common.options.clone());
            let texts = database.texts();
            common.size_files.get().inspect(|files| texts.keep_in(files));
            common.pass.get().inspect(|pass| pass.add(texts));
            Arc::new(database)
        };
        let entries = library.databases().iter();
        let databases: Vec<Arc<DatabaseFs>> = entries
            .map(|entry| kept(entry).unwrap_or_else(|| open(entry)))
            .collect();
        let branches: Vec<Branch<'_>> = databases
            .iter()
            .map(|database| Branch {
                path: &database.entry().path,
                prefix: database.prefix(),
                modified: database.entry().modified(),
            })
            .collect();
        let folders = SourceTree::new(&branches, |database| {
            match database.and_then(|number| databases.get(number)) {
                Some(database) => database.tree.top_names().map(str::to_owned).collect(),
                None => vec![INFO.to_owned()],
            }
        });
        ChessFs {
            folders: Arc::new(folders),
            library,
            databases,
            common,
            epoch: 0,
            info: OnceLock::new(),
        }
    }

    /// Has sizes kept in files, for this mount and from it for the next one.
    pub fn keep_sizes(&self, files: SizeFiles) {
        let files = self.common.size_files.get_or_init(|| files);
        for database in &self.databases {
            database.texts().keep_in(files);
        }
    }

    /// Has the sizes of all games made known in the background, until [`ChessFs::end_pass`].
    pub fn start_pass(&self, options: PassOptions) {
        let start = || {
            let files = self.common.size_files.get().cloned();
            Pass::start(options, files, Arc::clone(&self.common.requests))
        };
        let pass = self.common.pass.get_or_init(start);
        for database in &self.databases {
            pass.add(database.texts());
        }
    }

    /// Ends what [`ChessFs::start_pass`] began, and waits for it. What is known by then is kept.
    pub fn end_pass(&self) {
        if let Some(pass) = self.common.pass.get() {
            pass.end();
        }
    }

    /// What is served.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The node of an inode. It need not exist: that shows when it is asked for something.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode of no database and no folder.
    pub fn resolve(&self, inode: Inode) -> Result<Handle<&ChessFs>, FsError> {
        self.common.requests.fetch_add(1, Ordering::Relaxed);
        Handle::new(&self, inode).ok_or(FsError::Stale)
    }

    /// Passes a result on, and reports an error that may mean a changed source.
    fn reported<T>(&self, result: Result<T, FsError>) -> Result<T, FsError> {
        if matches!(result, Err(FsError::Io))
            && let Some(call) = self.common.on_error.get()
        {
            call();
        }
        result
    }

    /// The database with a prefix.
    fn database(&self, prefix: Prefix) -> Option<&Arc<DatabaseFs>> {
        self.databases.get(self.folders.by_prefix(prefix)?)
    }

    /// Counts for `statfs`.
    pub fn statistics(&self) -> Statistics {
        let entries = self.library.databases().iter();
        Statistics {
            databases: entries.len() as u64,
            games: entries.clone().map(|entry| u64::from(entry.database.len())).sum(),
            source_bytes: entries.map(|entry| entry.source_bytes()).sum(),
        }
    }

    /// What is known by now. Nobody waits for it, and nothing is decoded.
    pub fn status(&self) -> Status {
        Status {
            databases: self.databases.iter().map(|database| database.status()).collect(),
            opening: self.library.opening().iter().map(opening_status).collect(),
            cache: self.common.cache.status(),
        }
    }
}

fn opening_status(opening: &Opening) -> OpeningStatus {
    OpeningStatus {
        path: opening.path.clone(),
        elapsed: opening.elapsed(),
    }
}
