//! One state of the source.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::branch::BranchFs;
use super::cache::TextCache;
use super::database::DatabaseFs;
use super::detached::DetachedDirectory;
use super::folder::INFO;
use super::pass::{Pass, PassOptions};
use super::refused::RefusedNames;
use super::registry::Registry;
use super::status::{OpeningStatus, Status};
use super::types::{FsError, Inode, ServeOptions, Statistics};
use crate::tree::{GameSet, Node, Placement, Prefix, SourceTree, UNIQUE};
use chessdb_library::cancel::Cancel;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryEntry, Opening};
use chessdb_library::made::Made;
use chessdb_library::positions::IndexUse;
use xxhash_rust::xxh3::xxh3_64;

/// A library as a read-only tree of files. All methods, also those of a [`Node`](super::Node), may be called from any
/// thread.
pub struct ChessFs {
    pub(super) library: Library,
    pub(super) folders: Arc<SourceTree>,
    databases: Vec<Arc<DatabaseFs>>,
    /// The directory of each database, and `all`.
    branches: HashMap<Prefix, Arc<BranchFs>>,
    /// Where there are several databases, the directory of all together and, with `unique`, the same without duplicates.
    all: Vec<Arc<BranchFs>>,
    pub(super) common: Arc<Common>,
    /// `info.txt` at the root.
    pub(super) info: Made<Arc<[u8]>>,
}

/// What the states of a source share.
pub(super) struct Common {
    pub(super) options: Arc<ServeOptions>,
    cache: Arc<TextCache>,
    /// What is kept for the next mount.
    kept: OnceLock<KeptFiles>,
    pass: OnceLock<Pass>,
    /// The branches of searches and of earlier states.
    pub(super) registry: Registry,
    pub(super) refused: RefusedNames,
    /// Ends what requests wait for.
    pub(super) cancel: Cancel,
    /// Number of requests so far.
    pub(super) requests: Arc<AtomicU64>,
    /// Called when something cannot be read.
    pub(super) on_error: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// What an inode number means.
#[derive(Clone)]
pub(super) enum Meaning {
    /// A folder of the source, or the directory of a branch.
    Folder(usize),
    /// The directory of a search, or an earlier state of the directory of a branch.
    Detached(Arc<DetachedDirectory>),
    /// `info.txt` at the root.
    RootInfo,
    /// A node below the directory of a branch.
    InBranch(Arc<BranchFs>, Node),
}

impl ChessFs {
    /// Serves a library. Decodes no game and builds no view.
    pub fn new(library: Library, mut options: ServeOptions) -> Arc<ChessFs> {
        if options.index == IndexUse::No {
            Arc::make_mut(&mut options.layout).leave_out_positions();
        }
        let common = Arc::new(Common {
            cache: Arc::new(TextCache::new(options.cache_size)),
            registry: Registry::up_to(options.search_memory),
            options: Arc::new(options),
            kept: OnceLock::new(),
            pass: OnceLock::new(),
            refused: RefusedNames::default(),
            cancel: Cancel::default(),
            requests: Arc::new(AtomicU64::new(0)),
            on_error: OnceLock::new(),
        });
        Arc::new(ChessFs::with(library, common, |_| None, &[]))
    }

    /// Serves a library. Takes the directories of unchanged databases from `kept`. `all_before` are the previous
    /// directories of all databases.
    pub(super) fn with(
        library: Library,
        common: Arc<Common>,
        kept: impl Fn(&LibraryEntry) -> Option<Arc<BranchFs>>,
        all_before: &[Arc<BranchFs>],
    ) -> ChessFs {
        let new_prefix = |hash| common.registry.prefix_of_hash(hash);
        let open = |entry: &Arc<LibraryEntry>| {
            let prefix = new_prefix(entry.identity_hash());
            Arc::new(BranchFs::of_one(common.open(entry, prefix)))
        };
        let entries = library.databases().iter();
        let own = entries.map(|entry| kept(entry).unwrap_or_else(|| open(entry)));
        let own: Vec<Arc<BranchFs>> = own.collect();
        let databases = own.iter().filter_map(|branch| branch.own_database());
        let databases: Vec<Arc<DatabaseFs>> = databases.cloned().collect();
        let mut branches = by_prefix(own);
        let kept_all = all_before.iter().filter(|all| all.is_of(&databases)).cloned();
        let mut all: Vec<Arc<BranchFs>> = kept_all.collect();
        let new = if all.is_empty() {
            branches_of_all(&databases, common.options.unique)
        } else {
            Vec::new()
        };
        let hash = identity_hash(&databases);
        let new: Vec<(GameSet, Prefix)> = new.into_iter().map(|branch| (branch, new_prefix(hash))).collect();
        let placements = databases.iter().map(|database| Placement {
            path: &database.entry().path,
            prefix: database.prefix(),
            modified: database.entry().modified(),
        });
        let placements: Vec<Placement<'_>> = placements.collect();
        let prefix_of_all = all.first().map(|all| all.prefix());
        let prefix_of_all = prefix_of_all.or(new.first().map(|&(_, prefix)| prefix));
        let mut folders = SourceTree::new(&placements, prefix_of_all, |branch| {
            match branch.and_then(|branch| branches.get(&branch)) {
                Some(branch) => branch.names_in_directory(),
                None => vec![INFO.to_owned()],
            }
        });
        let mut paths = folders.paths();
        let path_of = |database: &Arc<DatabaseFs>| paths.remove(&database.prefix()).unwrap_or_default();
        let paths: Vec<String> = databases.iter().map(path_of).collect();
        all.extend(new.into_iter().map(|(branch, prefix)| {
            let timeout = common.options.source_timeout;
            let all = BranchFs::of_several(branch, databases.clone(), paths.clone(), prefix, timeout);
            Arc::new(all)
        }));
        if let [all, unique] = all.as_slice() {
            let parent = Inode::of(all.prefix(), Node::DATABASE);
            folders.add_branch(UNIQUE, unique.prefix(), parent, &all.names_in_directory());
        }
        branches.extend(by_prefix(all.clone()));
        ChessFs {
            folders: Arc::new(folders),
            library,
            databases,
            branches,
            all,
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
    /// answered within [`CurrentState::cancel`]. What is known can still be read.
    pub fn end_work(&self) {
        self.common.cancel.cancel();
        self.common.registry.end();
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

    /// Counts a request: the background pass leaves the processors to requests.
    pub fn note_request(&self) {
        self.common.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls `on_error` if the result is an input/output error, which may mean a changed source.
    pub(super) fn reported<T>(&self, result: Result<T, FsError>) -> Result<T, FsError> {
        if matches!(result, Err(FsError::Io(_)))
            && let Some(call) = self.common.on_error.get()
        {
            call();
        }
        result
    }

    /// The databases, in the order of the library.
    pub(super) fn databases(&self) -> &[Arc<DatabaseFs>] {
        &self.databases
    }

    /// The database with this inode prefix.
    pub(super) fn database(&self, prefix: Prefix) -> Option<&Arc<DatabaseFs>> {
        self.present_branch(prefix)?.own_database()
    }

    /// The branches of the source.
    pub(super) fn branches(&self) -> impl Iterator<Item = &Arc<BranchFs>> {
        self.branches.values()
    }

    /// The directories of all databases together: none, or one, or also the one without duplicates.
    pub(super) fn all(&self) -> &[Arc<BranchFs>] {
        &self.all
    }

    /// The branches of searches and of earlier states.
    pub(super) fn registry(&self) -> &Registry {
        &self.common.registry
    }

    /// The branch with this prefix, if the source has it.
    pub(super) fn present_branch(&self, prefix: Prefix) -> Option<&Arc<BranchFs>> {
        self.branches.get(&prefix)
    }

    /// What an inode means here. The node may not exist.
    pub(super) fn meaning(&self, inode: Inode) -> Option<Meaning> {
        if inode == self.root_info() {
            return Some(Meaning::RootInfo);
        }
        if let Some((prefix, node)) = inode.node().filter(|&(_, node)| node != Node::DATABASE) {
            return Some(Meaning::InBranch(self.branch_with(prefix)?, node));
        }
        if let Some(folder) = self.folders.number_of(inode) {
            return Some(Meaning::Folder(folder));
        }
        let detached = self.detached(inode.node()?.0)?;
        (detached.folder.inode == inode).then_some(Meaning::Detached(detached))
    }

    /// The branch of the database whose directory is the root.
    pub(super) fn root_branch(&self) -> Option<&Arc<BranchFs>> {
        self.present_branch(self.folders.get(0)?.branch?)
    }

    /// The inode of `info.txt` at the root: that of the database whose directory is the root.
    pub(super) fn root_info(&self) -> Inode {
        let own = self.root_branch().map(|branch| branch.inode(Node::INFO));
        own.unwrap_or(Inode::LIBRARY_INFO)
    }

    /// The branch with this prefix: of the source, of a search, or retired.
    pub(super) fn branch_with(&self, prefix: Prefix) -> Option<Arc<BranchFs>> {
        let detached = || Some(Arc::clone(&self.detached(prefix)?.branch));
        self.present_branch(prefix).cloned().or_else(detached)
    }

    /// The directory with this prefix of a search, or of an earlier state. That of a search is made if it is not there.
    pub(super) fn detached(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        self.registry()
            .directory(prefix, |place| self.search_again(place, prefix))
    }

    /// True for the directory of a search that is not made.
    pub(super) fn must_make(&self, directory: Inode) -> bool {
        directory.node().is_some_and(|(prefix, node)| {
            node == Node::DATABASE
                && self.present_branch(prefix).is_none()
                && self.registry().must_make(prefix)
        })
    }

    /// Adds a reference to each of these inodes of a branch. Returns those that mean nothing any more.
    pub(super) fn hold(&self, prefix: Prefix, inodes: &[Inode]) -> Vec<Inode> {
        match self.present_branch(prefix) {
            Some(present) => present.hold(inodes),
            None => self
                .registry()
                .hold(prefix, inodes, |branch| self.present_branch(branch)),
        }
    }

    /// Subtracts references to a node of a branch. Returns what is no longer needed, because it may take long to drop.
    pub(super) fn release(&self, prefix: Prefix, node: Node, times: u64) -> Vec<Arc<DetachedDirectory>> {
        let Some(present) = self.present_branch(prefix) else {
            let present = |branch| self.present_branch(branch);
            return self.registry().release(prefix, node, times, present);
        };
        present.release(node, times);
        Vec::new()
    }

    /// The directory that has all games: of the only database, or of all together. `None` without databases.
    pub(super) fn all_games(&self) -> Option<&Arc<BranchFs>> {
        let own = || self.present_branch(self.databases.first()?.prefix());
        self.all.first().or_else(own)
    }

    /// The inode of the directory of the branch with this prefix.
    pub(super) fn directory_of(&self, prefix: Prefix) -> Inode {
        match self.detached(prefix) {
            Some(detached) => detached.folder.inode,
            None => self.folders.directory_of(prefix),
        }
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
        let database = DatabaseFs::new(Arc::clone(entry), prefix, cache, Arc::clone(&self.options));
        self.kept.get().inspect(|files| database.keep_in(files));
        self.pass.get().inspect(|pass| pass.add(database.texts()));
        Arc::new(database)
    }
}

fn by_prefix(branches: Vec<Arc<BranchFs>>) -> HashMap<Prefix, Arc<BranchFs>> {
    let branches = branches.into_iter();
    branches.map(|branch| (branch.prefix(), branch)).collect()
}

/// What the directory of all databases shows, where there are several; with `unique`, also that without duplicates.
fn branches_of_all(databases: &[Arc<DatabaseFs>], unique: bool) -> Vec<GameSet> {
    if databases.len() < 2 {
        return Vec::new();
    }
    let indexed = databases.iter().map(|database| Arc::clone(database.indexed()));
    let all = GameSet::of_all(indexed.collect());
    let without = all.as_ref().filter(|_| unique).map(GameSet::unique);
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
