//! One state of the source: its branches and folders, and `info.txt` at the root.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_64;

use super::branch::{BranchFs, DetachedDirectory};
use super::cache::TextCache;
use super::database::DatabaseFs;
use super::files::Text;
use super::info::library_info;
use super::pass::{Pass, PassOptions};
use super::registry::Registry;
use super::status::{OpeningStatus, RefusedNames, Status};
use super::times::seconds_and_nanoseconds;
use super::types::{
    Attributes, Directory, Entry, FIRST_OFFSET, FsError, Inode, Kind, ServeOptions, Statistics,
};
use crate::tree::{GameSet, Node, Prefix, Section, SourceTree, TreeFolder, UNIQUE};
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryEntry, Opening};
use chessdb_library::made::{Made, Wait};
use chessdb_library::positions::IndexUse;
use chessdb_library::task::Cancel;

/// A library as a read-only tree of files. All methods, including the methods of a [`ResolvedInode`](super::ResolvedInode), may be called
/// from any thread.
pub struct ChessFs {
    pub(super) library: Library,
    pub(super) folders: Arc<SourceTree>,
    databases: Vec<Arc<DatabaseFs>>,
    /// The directory of each database, and `all`.
    branches: HashMap<Prefix, Arc<BranchFs>>,
    /// With several databases: `all/`, and with the option `unique` also `all/unique/`.
    all: Vec<Arc<BranchFs>>,
    pub(super) common: Arc<Common>,
    /// `info.txt` at the root.
    pub(super) info: Made<Arc<[u8]>>,
    /// Bytes of all files, for `statfs`.
    source_bytes: u64,
}

/// Shared by all states of a source.
pub(super) struct Common {
    pub(super) options: Arc<ServeOptions>,
    cache: Arc<TextCache>,
    /// The files kept for the next mount.
    kept: OnceLock<KeptFiles>,
    pass: OnceLock<Pass>,
    /// The branches of searches and of earlier states.
    pub(super) registry: Registry,
    pub(super) refused: RefusedNames,
    /// Cancels the work that requests wait for.
    pub(super) cancel: Cancel,
    /// Number of requests so far.
    pub(super) requests: Arc<AtomicU64>,
    /// Called when a request fails with an input/output error.
    pub(super) on_error: OnceLock<Box<dyn Fn() + Send + Sync>>,
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
        let places = databases.iter().map(|database| {
            let entry = database.served_entry();
            (entry.path.as_str(), database.prefix(), entry.modified())
        });
        let prefix_of_all = all.first().map(|all| all.prefix());
        let prefix_of_all = prefix_of_all.or(new.first().map(|&(_, prefix)| prefix));
        let mut folders = SourceTree::new(places, prefix_of_all, |branch| {
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
            source_bytes: library.source_bytes(),
            library,
            databases,
            branches,
            all,
            common,
            info: Made::new(),
        }
    }

    /// Keeps results that take long to compute in files, for the next mount of the same databases.
    pub fn keep_in(&self, files: &KeptFiles) {
        let files = self.common.kept.get_or_init(|| files.clone());
        for database in &self.databases {
            database.keep_in(files);
        }
    }

    /// Databases that cannot be shown in full: the name of each, and a sentence with the reason and the setting to
    /// change.
    pub fn obstacles(&self) -> impl Iterator<Item = (&str, String)> {
        let databases = self.databases.iter();
        databases.filter_map(|database| Some((database.served_entry().name(), database.lacks_positions()?)))
    }

    /// Starts determining the sizes of all games in the background, until [`ChessFs::end_pass`].
    pub fn start_pass(&self, options: PassOptions) {
        let start = || Pass::start(options, Arc::clone(&self.common.requests));
        let pass = self.common.pass.get_or_init(start);
        for database in &self.databases {
            pass.add(database.texts());
        }
    }

    /// Cancels all long work and refuses new work, without waiting for it to stop: the background pass, and work for
    /// requests, which are answered within [`CurrentState::cancel`]. What is already known can still be read.
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

    /// `all/` and `all/unique/`, as far as this source has them.
    pub(super) fn all(&self) -> &[Arc<BranchFs>] {
        &self.all
    }

    /// The branches of searches and of earlier states.
    pub(super) fn registry(&self) -> &Registry {
        &self.common.registry
    }

    /// The branch with this prefix, if the source has it now.
    pub(super) fn present_branch(&self, prefix: Prefix) -> Option<&Arc<BranchFs>> {
        self.branches.get(&prefix)
    }

    /// The branch of the database whose directory is the root.
    pub(super) fn root_branch(&self) -> Option<&Arc<BranchFs>> {
        self.present_branch(self.folders.get(0)?.branch?)
    }

    /// The inode of `info.txt` at the root, which belongs to the database whose directory is the root.
    pub(super) fn root_info(&self) -> Inode {
        let own = self.root_branch().map(|branch| branch.inode(Node::INFO));
        own.unwrap_or(Inode::LIBRARY_INFO)
    }

    /// The directory with this prefix of a search, or of an earlier state. The directory of a search is created again
    /// if it was dropped.
    pub(super) fn detached(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        self.registry()
            .directory(prefix, |place| self.search_again(place, prefix))
    }

    /// True for the directory of a search that would have to be created again.
    pub(super) fn must_make(&self, directory: Inode) -> bool {
        directory.node().is_some_and(|(prefix, node)| {
            node == Node::DATABASE
                && self.present_branch(prefix).is_none()
                && self.registry().must_make(prefix)
        })
    }

    /// Adds a reference to each of these inodes of a branch. Returns those whose nodes were dropped in the meantime.
    pub(super) fn hold(&self, prefix: Prefix, inodes: &[Inode]) -> Vec<Inode> {
        match self.present_branch(prefix) {
            Some(present) => present.hold(inodes),
            None => self
                .registry()
                .hold(prefix, inodes, |branch| self.present_branch(branch)),
        }
    }

    /// Subtracts references to a node of a branch. Returns the directories that nothing refers to any more, so that the
    /// caller can drop them where that may take long.
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

    /// True if there is a database at this path.
    pub fn has_database(&self, path: &str) -> bool {
        self.branch_at(path).is_some()
    }

    /// The database at a path.
    pub(super) fn branch_at(&self, path: &str) -> Option<&Arc<BranchFs>> {
        let database = self
            .databases
            .iter()
            .find(|database| database.served_entry().path == path)?;
        self.present_branch(database.prefix())
    }

    /// The path of the directory that has all games.
    pub fn path_of_all(&self) -> Option<String> {
        let prefix = self.all_games()?.prefix();
        self.folders.paths().remove(&prefix)
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
            games: entries.map(|entry| u64::from(entry.most_games())).sum(),
            source_bytes: self.source_bytes,
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
    /// Serves a database, and connects it to the kept files and the background pass.
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

/// The games of `all/` if there are several databases; with `unique`, also the games of `all/unique/`.
fn branches_of_all(databases: &[Arc<DatabaseFs>], unique: bool) -> Vec<GameSet> {
    if databases.len() < 2 {
        return Vec::new();
    }
    let indexed = databases.iter().map(|database| Arc::clone(database.indexed()));
    let all = GameSet::of_all(indexed.collect());
    let without = all.as_ref().filter(|_| unique).map(GameSet::unique);
    all.into_iter().chain(without).collect()
}

/// A hash that changes with any database.
fn identity_hash(databases: &[Arc<DatabaseFs>]) -> u64 {
    let hashes = databases
        .iter()
        .map(|database| database.served_entry().identity_hash());
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

pub(super) const INFO: &str = "info.txt";

/// A folder of the source, or a directory of a branch. Entries of the branch come before the folders.
#[derive(Clone, Copy)]
pub(super) struct FolderFs<'a> {
    fs: &'a ChessFs,
    folder: &'a TreeFolder,
    parent: Inode,
    /// The branch whose directory this is.
    branch: Option<&'a BranchFs>,
}

impl<'a> FolderFs<'a> {
    pub(super) fn new(fs: &'a ChessFs, folder: &'a TreeFolder) -> FolderFs<'a> {
        let parent = fs.folders.get(folder.parent);
        FolderFs {
            fs,
            folder,
            parent: parent.map_or(Inode::ROOT, |parent| parent.inode),
            branch: folder
                .branch
                .and_then(|branch| fs.present_branch(branch))
                .map(Arc::as_ref),
        }
    }

    /// The directory of a search, or an earlier state of the directory of a branch.
    pub(super) fn detached(fs: &'a Arc<ChessFs>, detached: &'a DetachedDirectory) -> FolderFs<'a> {
        let exists = fs.resolve(detached.parent).is_ok();
        FolderFs {
            fs,
            folder: &detached.folder,
            parent: if exists { detached.parent } else { Inode::ROOT },
            branch: Some(&detached.branch),
        }
    }

    /// The parent folder; the root is its own parent.
    pub(super) fn parent(&self) -> Inode {
        self.parent
    }

    pub(super) fn attributes(&self) -> Attributes {
        let own = self.own().map_or(2, |own| own.links(Node::DATABASE));
        let modified = seconds_and_nanoseconds(self.folder.modified);
        Attributes {
            inode: self.folder.inode,
            kind: Kind::Directory,
            size: 0,
            blocks: 0,
            modified,
            changed: modified,
            links: own.saturating_add(self.folder.children.len() as u32),
        }
    }

    /// The section with the branch's own entries, which come before the folders.
    fn own(&self) -> Option<&'a dyn Section> {
        self.branch?.section(Node::DATABASE)
    }

    /// Inode and kind of a node among the entries before the folders.
    fn inode_of(&self, node: Node) -> Option<(Inode, Kind)> {
        let branch = self.branch?;
        Some((branch.inode(node), branch.kind(node)))
    }

    /// All entries.
    pub(super) fn entries(&self) -> Vec<(String, Inode)> {
        let mut offset = FIRST_OFFSET;
        let mut entries = Vec::new();
        while let Some(entry) = self.entry_after(offset) {
            offset = entry.next;
            entries.push((entry.name.into_owned(), entry.inode));
        }
        entries
    }

    /// Number of entries before the folders.
    fn own_entries(&self) -> usize {
        match self.own() {
            Some(own) => own.len(Node::DATABASE),
            None => usize::from(self.folder.inode == Inode::ROOT),
        }
    }
}

impl Directory for FolderFs<'_> {
    fn len(&self) -> usize {
        self.own_entries() + self.folder.children.len()
    }

    /// The offset of an entry of the branch is its place; the offset of a folder is its cookie.
    fn entry_after(&self, offset: u64) -> Option<Entry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok();
        let Some(place) = place.filter(|&place| place < self.own_entries()) else {
            let (next, name, child) = self.folder.child_after(offset)?;
            let inode = self.fs.folders.get(child)?.inode;
            return Some(Entry::new(name, inode, Kind::Directory, next));
        };
        let (name, (inode, kind)) = match self.own() {
            Some(own) => {
                let (name, node) = own.entry_at(Node::DATABASE, place)?;
                (name, self.inode_of(node)?)
            }
            None => (INFO.into(), (Inode::LIBRARY_INFO, Kind::File)),
        };
        Some(Entry::new(name, inode, kind, offset + 1))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let own = match self.own() {
            Some(own) => {
                let node = own.child(Node::DATABASE, name);
                node.and_then(|node| Some(self.inode_of(node)?.0))
            }
            None => (self.folder.inode == Inode::ROOT && name == INFO).then_some(Inode::LIBRARY_INFO),
        };
        let folder = || {
            let child = self.fs.folders.get(self.folder.child(name)?)?;
            Some(child.inode)
        };
        own.or_else(folder).ok_or(FsError::NotFound)
    }
}

/// `info.txt` at the root: describes the database there, and lists all databases if there are others.
#[derive(Clone, Copy)]
pub(super) struct RootInfo<'a>(pub(super) &'a ChessFs);

impl RootInfo<'_> {
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let modified = self.0.folders.get(0).map_or(0, |root| root.modified);
        let modified = seconds_and_nanoseconds(modified);
        Attributes {
            inode: self.0.root_info(),
            kind: Kind::File,
            size,
            blocks: size.div_ceil(512),
            modified,
            changed: modified,
            links: 1,
        }
    }

    /// True if text and times are the same in another state. False if the text was never read.
    pub(super) fn is_same(&self, other: &RootInfo<'_>) -> bool {
        let (Some(text), Ok(others)) = (self.0.info.get(), other.text()) else {
            return false;
        };
        *text == others && self.attributes(0) == other.attributes(0)
    }

    /// The branch of the database whose directory is the root.
    fn branch(&self) -> Option<&BranchFs> {
        self.0.root_branch().map(Arc::as_ref)
    }
}

impl Text for RootInfo<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        (Text::wait_to_read(self) == Wait::None).then(|| self.text().ok())?
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info.get_or_make(|| self.make()).cloned()
    }

    /// Games may have to be counted.
    fn wait_to_read(&self) -> Wait {
        let mut databases = self.0.databases().iter();
        let are_counted = databases.all(|database| database.served_entry().is_counted());
        self.0.info.wait().min(Wait::Common.unless(are_counted))
    }
}

impl RootInfo<'_> {
    fn make(&self) -> Result<Arc<[u8]>, FsError> {
        let library = &self.0.library;
        let info = || library_info(library, self.0.common.options.shows_source);
        let others = library.left_out().len() + library.opening().len();
        let is_alone = self.0.databases().len() == 1 && others == 0;
        let own = self.branch().map(BranchFs::info).transpose()?;
        Ok(match own {
            Some(own) if is_alone => own,
            Some(own) => [&own, &b"\n"[..], info().as_bytes()].concat().into(),
            None => info().into_bytes().into(),
        })
    }
}
