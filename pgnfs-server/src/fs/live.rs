//! A file system whose source changes: its present state, and earlier states of directories as long as there are
//! references to their inodes.
//!
//! A [`ChessFs`] is one state of the source. States share the databases that did not change, which keep their inodes.
//! A changed database has new inodes; the old ones continue to refer to the old state.

use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Arc;

use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::node::{Node, OpenNode};
use super::outdated::outdated;
use super::state::ChessFs;
use super::status::Status;
use super::types::{FsError, Inode, Outdated, Statistics};
use chessdb_library::cancel::Cancel;
use chessdb_library::library::{Library, LibraryEntry};

/// A [`ChessFs`] that can be replaced while it is used.
pub struct CurrentState {
    current: RwLock<Arc<ChessFs>>,
    /// Locked while one state replaces another.
    replacing: Mutex<()>,
}

impl CurrentState {
    /// Starts with `fs` as the first state.
    pub fn new(fs: Arc<ChessFs>) -> CurrentState {
        CurrentState {
            current: RwLock::new(fs),
            replacing: Mutex::default(),
        }
    }

    /// Sets a function to be called when something cannot be read. Only the first one set is called.
    pub fn on_error(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.current().common.on_error.set(Box::new(call));
    }

    /// The present state.
    pub fn current(&self) -> Arc<ChessFs> {
        Arc::clone(&self.current.read())
    }

    /// Within this, requests are to be answered that may need long work, so that [`CurrentState::end_work`] ends it.
    pub fn cancel(&self) -> Cancel {
        self.current().common.cancel.clone()
    }

    /// See [`ChessFs::end_work`].
    pub fn end_work(&self) {
        self.current().end_work();
    }

    /// All databases that are served, in earlier states, too, without those in which the text of a game did not have its
    /// reported size.
    pub fn open_databases(&self) -> Vec<Arc<LibraryEntry>> {
        let current = self.current();
        let retired = current.registry().retired();
        let retired = retired.iter().flat_map(|retired| retired.branch.databases());
        let mut seen = HashSet::new();
        let databases = current.databases().iter().chain(retired);
        databases
            .filter(|database| seen.insert(database.prefix()) && !database.texts().is_doubtful())
            .map(|database| Arc::clone(database.library_entry()))
            .collect()
    }

    /// Number of earlier states of directories that are kept.
    pub fn retired(&self) -> usize {
        self.current().registry().retired().len()
    }

    /// Replaces the present state and returns what is outdated in caches. A database is unchanged if the library
    /// contains the same entry.
    pub fn replace(&self, library: Library) -> Vec<Outdated> {
        let _turn = self.replacing.lock();
        let before = self.current();
        if library.is_same(before.library()) {
            return Vec::new();
        }
        let registry = before.registry();
        let retired = registry.retired();
        let living = || {
            let retired = retired.iter().map(|retired| &retired.branch);
            before.branches().chain(retired)
        };
        registry.release_hashed(living().map(|branch| branch.prefix()));
        let by_entry: HashMap<*const LibraryEntry, &Arc<BranchFs>> = living()
            .filter_map(|branch| Some((Arc::as_ptr(branch.own_database()?.library_entry()), branch)))
            .collect();
        let kept = |entry: &LibraryEntry| {
            by_entry
                .get(&std::ptr::from_ref(entry))
                .map(|&same| Arc::clone(same))
        };
        let now = ChessFs::with(library, Arc::clone(&before.common), kept, before.all());
        let now = Arc::new(now);
        let outdated = outdated(&before, &retired, &now);
        let is_gone = |branch: &&Arc<BranchFs>| now.present_branch(branch.prefix()).is_none();
        let gone: Vec<&Arc<BranchFs>> = before.branches().filter(is_gone).collect();
        let with_directory = |&branch: &&Arc<BranchFs>| {
            let inode = before.folders.directory_of(branch.prefix());
            let folder = before.folders.by_inode(inode)?;
            let parent = before.folders.get(folder.parent)?;
            Some(DetachedDirectory::retired(branch, folder, parent.inode))
        };
        // Some may have been retired before.
        now.databases()
            .iter()
            .for_each(|database| database.texts().set_retired(false));
        // References are not counted meanwhile.
        let mut current = self.current.write();
        let directories = gone.iter().filter_map(with_directory).collect();
        let dropped = registry.replace(directories, now.branches());
        *current = Arc::clone(&now);
        drop(current);
        drop(dropped);
        // This includes databases that are not kept: a request that is still waiting has its database but is not
        // counted yet.
        for database in gone.iter().filter_map(|branch| branch.own_database()) {
            database.texts().set_retired(true);
        }
        outdated
    }

    /// Waits until a front end keeps too many names of searches that are not used any more, and returns what to drop from
    /// its caches. `None` when work has ended.
    pub fn unused_searches(&self) -> Option<Vec<Outdated>> {
        let common = Arc::clone(&self.current().common);
        common.registry.unused_searches()
    }

    /// Adds a reference to each of these inodes: a front end gives them away, and what they refer to is kept until they are
    /// [released](CurrentState::release). Returns the inodes whose state was dropped since they were resolved. They have no
    /// reference and must not be given away.
    #[must_use]
    pub fn hold(&self, inodes: &[Inode]) -> Vec<Inode> {
        let prefix = |inode: &Inode| inode.node().map(|(prefix, _)| prefix);
        let current = self.current.read();
        let mut gone = Vec::new();
        for inodes in inodes.chunk_by(|a, b| prefix(a) == prefix(b)) {
            // Folders of the source are not counted.
            let Some(prefix) = inodes.first().and_then(prefix) else {
                continue;
            };
            gone.extend(current.hold(prefix, inodes));
        }
        gone
    }

    /// Subtracts references to an inode.
    pub fn release(&self, inode: Inode, times: u64) {
        let Some((prefix, node)) = inode.node() else {
            return;
        };
        let current = self.current.read();
        let dropped = current.release(prefix, node, times);
        // A branch may take long to drop.
        drop(current);
        drop(dropped);
    }
}

/// Inodes of any state.
impl CurrentState {
    /// Resolves an inode in the present state, or in the earlier one that it belongs to.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode of a dropped state, or one that never existed. If the request belongs
    /// to a path, this should be resolved again, without what is cached of it.
    pub fn resolve(&self, inode: Inode) -> Result<Node, FsError> {
        self.current().resolve(inode)
    }

    /// Looks up `name` in a directory (see [`OpenNode::child`]) and resolves it in the present state.
    ///
    /// # Errors
    /// Those of [`OpenNode::child`].
    pub fn child(&self, directory: &OpenNode, name: &OsStr) -> Result<Node, FsError> {
        let child = directory.child(name);
        if Arc::ptr_eq(directory.fs(), &self.current.read()) {
            return child;
        }
        // The present state of a folder may have other entries.
        self.resolve(directory.node().inode())?.open()?.child(name)
    }

    /// Remembers a name that `user` looked up, for the status, if `error` says that it is no search.
    pub fn note_refused(&self, directory: &OpenNode, name: &OsStr, user: u32, error: &FsError) {
        if let (FsError::Refused(refusal), Some(branch), Some(name)) =
            (error, directory.searched_branch(), name.to_str())
        {
            let common = &self.current().common;
            common.refused.add(branch.path(), name, refusal, user);
        }
    }

    /// See [`ChessFs::status`].
    pub fn status(&self) -> Status {
        self.current().status()
    }

    /// See [`ChessFs::statistics`].
    pub fn statistics(&self) -> Statistics {
        self.current().statistics()
    }
}
