//! The file system without FUSE: look-up, attributes, listing and reading.
//!
//! [`crate::tree`] provides inode numbers, names and directories, and the databases of a [`Library`] provide
//! the bytes. This module adds sizes, the cache of decoded games, and files that consist of many games.

mod branch;
mod branch_texts;
mod cache;
mod database;
mod describe;
mod detached;
mod failure;
mod files;
mod folder;
mod gather;
mod handle;
mod info;
mod join;
mod live;
mod made_searches;
mod object;
mod open_node;
mod outdated;
mod own_open;
mod pass;
mod place;
mod prefixes;
mod references;
mod refused;
mod remote;
mod retired;
mod searches;
mod size_file;
mod sizes;
mod status;
mod table;
mod tags;
mod texts;
mod times;
mod types;

use std::sync::atomic::{self, AtomicU64, Ordering};
use std::sync::{self, Arc, OnceLock};

pub use crate::tree::IndexState;
pub use failure::Failure;
pub use handle::{Elsewhere, Handle, OpenedHere, Resolved};
pub use live::Live;
pub use open_node::{DirectoryEntry, Open};
pub use outdated::Outdated;
pub use own_open::OwnOpen;
pub use pass::PassOptions;
pub use refused::RefusedName;
pub use status::{CacheStatus, DatabaseStatus, OpeningStatus, PassState, Status};
pub use times::utc;
pub use types::{Attributes, Chunk, FsError, Inode, Kind, Layout, NAME_MAX, ServeOptions, Statistics};

use crate::tree::{Branch, Node, Placement, Prefix, SourceTree, UNIQUE};
use branch::BranchFs;
use cache::TextCache;
use chessdb_library::cancel::Cancel;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryEntry, Opening};
use chessdb_library::made::Made;
use database::DatabaseFs;
use detached::DetachedDirectory;
use folder::INFO;
use pass::Pass;
use prefixes::Prefixes;
use refused::RefusedNames;
use retired::RetiredBranches;
use searches::Searches;
use xxhash_rust::xxh3::xxh3_64;

/// A library as a read-only tree of files. All methods, also those of a [`Handle`], may be called from any
/// thread.
pub struct ChessFs {
    library: Library,
    folders: Arc<SourceTree>,
    databases: Vec<Arc<DatabaseFs>>,
    /// The directory of each database. Where there are several, they are followed by that of all together and, with
    /// `unique`, by the same without duplicates.
    branches: Vec<Arc<BranchFs>>,
    common: Arc<Common>,
    /// `info.txt` at the root.
    info: Made<Arc<[u8]>>,
}

/// What the states of a source share.
struct Common {
    options: ServeOptions,
    cache: Arc<TextCache>,
    /// What is kept for the next mount.
    kept: OnceLock<KeptFiles>,
    pass: OnceLock<Pass>,
    /// Earlier states of directories.
    retired: RetiredBranches,
    searches: Searches,
    refused: RefusedNames,
    /// Ends what requests wait for.
    cancel: Cancel,
    /// Number of requests so far.
    requests: Arc<AtomicU64>,
    /// Called when something cannot be read.
    on_error: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl ChessFs {
    /// Serves a library. Decodes no game and builds no view.
    pub fn new(library: Library, options: ServeOptions) -> ChessFs {
        let common = Arc::new(Common {
            cache: Arc::new(TextCache::new(options.cache_size)),
            searches: Searches::up_to(options.search_memory),
            options,
            kept: OnceLock::new(),
            pass: OnceLock::new(),
            retired: RetiredBranches::default(),
            refused: RefusedNames::default(),
            cancel: Cancel::default(),
            requests: Arc::new(AtomicU64::new(0)),
            on_error: OnceLock::new(),
        });
        ChessFs::with(library, common, |_| None, &[])
    }

    /// Serves a library. Takes the directories of unchanged databases from `kept`. `all_before` are the previous directories of all databases.
    fn with(
        library: Library,
        common: Arc<Common>,
        kept: impl Fn(&LibraryEntry) -> Option<Arc<BranchFs>>,
        all_before: &[Arc<BranchFs>],
    ) -> ChessFs {
        let free = |hash| {
            let of_hash = |prefixes: &mut Prefixes| prefixes.of_hash(hash);
            common.searches.with_prefixes(of_hash)
        };
        let open = |entry: &Arc<LibraryEntry>| {
            let prefix = free(entry.identity_hash());
            Arc::new(BranchFs::of_one(common.open(entry, prefix)))
        };
        let entries = library.databases().iter();
        let mut branches: Vec<Arc<BranchFs>> = entries
            .map(|entry| kept(entry).unwrap_or_else(|| open(entry)))
            .collect();
        let databases = branches.iter().filter_map(|branch| branch.own_database());
        let databases: Vec<Arc<DatabaseFs>> = databases.cloned().collect();
        let placements: Vec<Placement<'_>> = databases
            .iter()
            .map(|database| Placement {
                path: &database.entry().path,
                prefix: database.prefix(),
                modified: database.entry().modified(),
            })
            .collect();
        let kept_all = all_before.iter().filter(|all| all.is_of(&databases)).cloned();
        let mut all: Vec<Arc<BranchFs>> = kept_all.collect();
        let new = if all.is_empty() {
            branches_of_all(&databases, common.options.unique)
        } else {
            Vec::new()
        };
        let hash = identity_hash(&databases);
        let prefixes = new.iter().map(|_| free(hash));
        let prefixes: Vec<Prefix> = all.iter().map(|all| all.prefix()).chain(prefixes).collect();
        let mut folders = SourceTree::new(&placements, prefixes.first().copied(), |database| match database
            .and_then(|number| branches.get(number))
        {
            Some(branch) => branch.names_in_directory(),
            None => vec![INFO.to_owned()],
        });
        for (branch, &prefix) in new.into_iter().zip(&prefixes) {
            let (databases, paths) = (databases.clone(), folders.paths());
            let timeout = common.options.source_timeout;
            let all_fs = BranchFs::of_several(branch, databases, paths, prefix, timeout);
            all.push(Arc::new(all_fs));
        }
        if let [all, unique] = all.as_slice() {
            let parent = Inode::of(all.prefix(), Node::DATABASE);
            folders.add_branch(UNIQUE, unique.prefix(), parent, &all.names_in_directory());
        }
        branches.append(&mut all);
        ChessFs {
            branches,
            folders: Arc::new(folders),
            library,
            databases,
            common,
            info: Made::new(),
        }
    }

    /// Keeps in files what takes long to find again, for the next mount of the same databases.
    pub fn keep_in(&self, files: &KeptFiles) {
        let files = self.common.kept.get_or_init(|| files.clone());
        for database in &self.databases {
            database.keep_in(files);
        }
    }

    /// What of the databases cannot be shown, and what to set: the name of the database and a sentence.
    pub fn obstacles(&self) -> impl Iterator<Item = (&str, String)> {
        let databases = self.databases.iter();
        databases.filter_map(|database| Some((database.entry().name(), database.lacks_positions()?)))
    }

    /// Starts determining the sizes of all games in the background, until [`ChessFs::end_pass`].
    pub fn start_pass(&self, options: PassOptions) {
        let start = || Pass::start(options, Arc::clone(&self.common.requests));
        let pass = self.common.pass.get_or_init(start);
        for database in &self.databases {
            pass.add(database.texts());
        }
    }

    /// Ends all long work for good, without waiting for it: the background pass, and what requests wait for that are
    /// answered within [`Live::cancel`]. What is known can still be read.
    pub fn end_work(&self) {
        self.common.cancel.cancel();
        self.common.searches.end();
        self.common.pass.get().inspect(|pass| pass.cancel());
    }

    /// Ends the background pass, waits for it, and saves the sizes known by then.
    pub fn end_pass(&self) {
        if let Some(pass) = self.common.pass.get() {
            pass.end();
        }
    }

    /// The library that is served.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Resolves an inode. The node may not exist; see [`Handle`].
    ///
    /// # Errors
    /// [`FsError::Stale`] if the inode belongs to no database and no folder.
    pub fn resolve(&self, inode: Inode) -> Result<Handle<&ChessFs>, FsError> {
        self.common.requests.fetch_add(1, Ordering::Relaxed);
        Handle::new(&self, inode).ok_or(FsError::Stale)
    }

    /// Calls `on_error` if the result is an input/output error, which may mean a changed source.
    fn reported<T>(&self, result: Result<T, FsError>) -> Result<T, FsError> {
        if matches!(result, Err(FsError::Io(_)))
            && let Some(call) = self.common.on_error.get()
        {
            call();
        }
        result
    }

    /// The database with this inode prefix.
    fn database(&self, prefix: Prefix) -> Option<&Arc<DatabaseFs>> {
        self.databases.get(self.folders.by_prefix(prefix)?)
    }

    /// The branch with this prefix, if the source has it.
    fn present_branch(&self, prefix: Prefix) -> Option<&Arc<BranchFs>> {
        match self.folders.by_prefix(prefix) {
            Some(database) => self.branches.get(database),
            None => self.all().iter().find(|all| all.prefix() == prefix),
        }
    }

    /// The branch with this prefix: of the source, of a search, or retired.
    fn branch_with(&self, prefix: Prefix) -> Option<Arc<BranchFs>> {
        let detached = || Some(Arc::clone(&self.detached(prefix)?.branch));
        self.present_branch(prefix).cloned().or_else(detached)
    }

    /// The directory with this prefix of a search, or of an earlier state.
    fn detached(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        self.common.retired.get(prefix).or_else(|| self.search(prefix))
    }

    /// True for the directory of a search that is not made.
    fn must_make(&self, directory: Inode) -> bool {
        directory.node().is_some_and(|(prefix, node)| {
            node == Node::DATABASE
                && self.present_branch(prefix).is_none()
                && self.common.searches.must_make(prefix)
        })
    }

    /// The branch whose nodes are counted for the search with this prefix.
    fn searched_branch(&self, prefix: Prefix) -> Option<&Arc<BranchFs>> {
        self.present_branch(self.common.searches.place(prefix)?.branch)
    }

    /// Adds a reference to each of these inodes of a branch. Returns those that mean nothing any more.
    fn hold(&self, prefix: Prefix, inodes: &[Inode]) -> Vec<Inode> {
        if let Some(present) = self.present_branch(prefix) {
            return present.hold(inodes);
        }
        let searches = &self.common.searches;
        if searches.hold(prefix, inodes.len() as u64) {
            let searched = self.searched_branch(prefix);
            let gone = searched.map_or_else(|| inodes.to_vec(), |searched| searched.hold_nodes(inodes));
            searches.release(prefix, gone.len() as u64);
            return gone;
        }
        let retired = self.common.retired.with(prefix, |branch| branch.hold(inodes));
        let gone = retired.unwrap_or_else(|| inodes.to_vec());
        let held = (inodes.len() - gone.len()) as u64;
        searches.with_prefixes(|prefixes| prefixes.hold_left(prefix, held));
        gone
    }

    /// Subtracts references to a node of a branch. Returns true if it is retired and these were the last.
    fn release(&self, prefix: Prefix, node: Node, times: u64) -> bool {
        if let Some(present) = self.present_branch(prefix) {
            present.release(node, times);
            return false;
        }
        let retired = &self.common.retired;
        if let Some(is_last) = retired.with(prefix, |branch| branch.release(node, times)) {
            self.common.searches.release(prefix, times);
            return is_last;
        }
        if let Some(searched) = self.searched_branch(prefix) {
            searched.branch().release(node, times);
        }
        self.common.searches.release(prefix, times);
        false
    }

    /// The inode of the directory of the branch with this prefix.
    fn directory_of(&self, prefix: Prefix) -> Inode {
        match self.detached(prefix) {
            Some(detached) => detached.folder.inode,
            None => self.folders.directory_of(prefix),
        }
    }

    /// The directories of several databases together.
    fn all(&self) -> &[Arc<BranchFs>] {
        self.branches.get(self.databases.len()..).unwrap_or_default()
    }

    /// Counts for `statfs`.
    pub fn statistics(&self) -> Statistics {
        let entries = self.library.databases().iter();
        Statistics {
            databases: entries.len() as u64,
            games: entries.clone().map(|entry| u64::from(entry.most_games())).sum(),
            source_bytes: entries.map(|entry| entry.source_bytes()).sum(),
        }
    }

    /// The current status. Returns immediately; decodes nothing.
    pub fn status(&self) -> Status {
        Status {
            databases: self.databases.iter().map(|database| database.status()).collect(),
            gone: self.library.gone(),
            opening: self.library.opening().iter().map(opening_status).collect(),
            cache: self.common.cache.status(),
            refused: self.common.refused.all(),
        }
    }
}

impl Common {
    /// Serves a database, with what is kept in files.
    fn open(&self, entry: &Arc<LibraryEntry>, prefix: Prefix) -> Arc<DatabaseFs> {
        let cache = Arc::clone(&self.cache);
        let database = DatabaseFs::new(Arc::clone(entry), prefix, cache, self.options.clone());
        self.kept.get().inspect(|files| database.keep_in(files));
        self.pass.get().inspect(|pass| pass.add(database.texts()));
        Arc::new(database)
    }
}

/// What the directory of all databases shows, where there are several; with `unique`, also that without duplicates.
fn branches_of_all(databases: &[Arc<DatabaseFs>], unique: bool) -> Vec<Branch> {
    if databases.len() < 2 {
        return Vec::new();
    }
    let indexed = databases.iter().map(|database| Arc::clone(database.indexed()));
    let all = Branch::of_all(indexed.collect());
    let without = all.as_ref().filter(|_| unique).map(Branch::unique);
    all.into_iter().chain(without).collect()
}

/// A number that is another one as soon as a database changes.
fn identity_hash(databases: &[Arc<DatabaseFs>]) -> u64 {
    let hashes = databases.iter().map(|database| database.entry().identity_hash());
    let hashes: Vec<[u8; 8]> = hashes.map(u64::to_le_bytes).collect();
    xxh3_64(hashes.as_flattened())
}

fn opening_status(opening: &Opening) -> OpeningStatus {
    let (read, all) = opening.bytes();
    let percent = u128::from(read) * 100 / u128::from(all.max(1));
    OpeningStatus {
        path: opening.path.clone(),
        elapsed: opening.elapsed(),
        percent: (all > 0).then(|| u8::try_from(percent).unwrap_or(100)),
    }
}
