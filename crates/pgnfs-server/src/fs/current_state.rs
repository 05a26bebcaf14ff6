//! A file system whose source changes: its present state, and earlier states of directories while a front end refers to
//! their inodes.
//!
//! A [`ChessFs`] is one state of the source. States share the databases that did not change, which keep their inodes.
//! A changed database has new inodes; the old ones continue to refer to the old state.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use super::branch::{BranchFs, DetachedDirectory};
use super::files::Text;
use super::node::{OpenNode, ResolvedInode};
use super::state::{ChessFs, FolderFs, RootInfo};
use super::types::{FsError, Inode, Kind, Outdated};
use crate::tree::{Node, TreeFolder};
use chessdb_library::library::{Library, LibraryEntry};
use chessdb_library::made::Wait;
use chessdb_library::task::Cancel;

/// A [`ChessFs`] that can be replaced while it is used. Order of locks: `replacing`, `current`, the registry, then the
/// counted texts of a branch.
pub struct CurrentState {
    current: RwLock<Arc<ChessFs>>,
    /// Locked while the next state is built and replaces this one. Building takes long, so `current` is not locked
    /// then, and requests go on.
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

    /// Requests that may need long work must be answered within this, so that [`ChessFs::end_work`] can cancel it.
    pub fn cancel(&self) -> Cancel {
        self.current().common.cancel.clone()
    }

    /// All databases that are served, also in earlier states, except for a database whose text of a game did not have
    /// its reported size.
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

    /// Replaces the present state and returns the directories and files that are outdated in caches. A database is
    /// unchanged if the library contains the same entry.
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
        // A database that comes back must answer requests again before it is shown.
        now.databases()
            .iter()
            .for_each(|database| database.texts().set_retired(false));
        // While this is locked for writing, no thread can count a reference to the old state.
        let mut current = self.current.write();
        // Both change under this lock, so that a request with the new state finds retired branches in the registry.
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

    /// True for a directory that the present state does not have: only requests that began in an earlier state refer to
    /// it.
    pub fn is_gone(&self, directory: &Outdated) -> bool {
        let current = self.current();
        let is_file = directory.inode == current.root_info();
        !is_file && current.folders.by_inode(directory.inode).is_none()
    }

    /// Waits until a front end keeps too many names of searches that are not used any more, and returns what to drop from
    /// its caches. `None` when work has ended.
    pub fn unused_searches(&self) -> Option<Vec<Outdated>> {
        let common = Arc::clone(&self.current().common);
        common.registry.unused_searches()
    }

    /// Adds a reference to each of these inodes before a front end hands them out: what they refer to is kept until
    /// they are [released](CurrentState::release). Returns the inodes whose state was dropped since they were resolved;
    /// these get no reference and must not be handed out.
    #[must_use]
    pub fn hold(&self, inodes: &[Inode]) -> Vec<Inode> {
        let prefix = |inode: &Inode| inode.node().map(|(prefix, _)| prefix);
        let current = self.current.read();
        // `current` stays locked until all are counted: no state can be replaced, and dropped, in between.
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
        // A branch may take long to drop, and requests wait for `current`.
        drop(current);
        drop(dropped);
    }
}

/// Inodes of any state.
impl CurrentState {
    /// Resolves an inode in the present state, or in the earlier one that it belongs to.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode of a dropped state, or an inode that never existed. If the request belongs to a
    /// path, the caller should look up the whole path again without using its cache.
    pub fn resolve(&self, inode: Inode) -> Result<ResolvedInode, FsError> {
        let current = self.current();
        current.note_request();
        current.resolve(inode)
    }

    /// Looks up `name` in a directory (see [`OpenNode::child`]) and resolves it in the present state.
    ///
    /// # Errors
    /// As for [`OpenNode::child`].
    pub fn child(&self, directory: &OpenNode, name: &OsStr) -> Result<ResolvedInode, FsError> {
        let child = directory.child(name);
        if Arc::ptr_eq(directory.fs(), &self.current.read()) {
            return child;
        }
        // The present state of a folder may have other entries.
        self.resolve(directory.resolved().inode())?.open()?.child(name)
    }

    /// Records a name that `user` looked up for the status, if `error` says that the name is not a valid search.
    pub fn note_refused(&self, directory: &OpenNode, name: &OsStr, user: u32, error: &FsError) {
        if let (FsError::Refused(refusal), Some(branch), Some(name)) =
            (error, directory.searched_branch(), name.to_str())
        {
            let common = &self.current().common;
            common.refused.add(branch.path(), name, refusal, user);
        }
    }
}

/// Compares `after` with the present state `before`. `retired` are earlier states of directories.
pub(super) fn outdated(
    before: &ChessFs,
    retired: &[Arc<DetachedDirectory>],
    after: &ChessFs,
) -> Vec<Outdated> {
    let mut outdated: Vec<Outdated> = after
        .folders
        .all()
        .filter_map(|folder| {
            let names = match before.folders.by_inode(folder.inode) {
                Some(same) => {
                    let names = changed(entries(before, same), entries(after, folder));
                    if names.is_empty()
                        && FolderFs::new(before, same).attributes()
                            == FolderFs::new(after, folder).attributes()
                    {
                        return None;
                    }
                    names
                }
                // The folder may have existed before and still be open or a current directory.
                None => entries(after, folder).into_keys().collect(),
            };
            Some(Outdated {
                inode: folder.inode,
                names,
            })
        })
        .collect();
    let is_gone = |folder: &&TreeFolder| after.folders.by_inode(folder.inode).is_none();
    let gone = before.folders.all().filter(is_gone);
    outdated.extend(gone.map(|folder| Outdated {
        inode: folder.inode,
        names: entries(before, folder).into_keys().collect(),
    }));
    outdated.extend(retired.iter().filter_map(|retired| left_over(retired, after)));
    let (before, after) = (RootInfo(before), RootInfo(after));
    if Text::wait_to_read(&after) != Wait::None || !before.is_same(&after) {
        outdated.push(Outdated {
            inode: after.0.root_info(),
            names: Vec::new(),
        });
    }
    outdated
}

/// The top entries of a removed database that still have references. The previous invalidation dropped only the
/// dentries that were not in use at that moment, so these are invalidated again.
fn left_over(retired: &DetachedDirectory, after: &ChessFs) -> Option<Outdated> {
    let DetachedDirectory { branch, folder, .. } = retired;
    let is_gone = folder.inode != Inode::ROOT
        && branch.references.exist()
        && after.present_branch(branch.prefix()).is_none();
    is_gone.then(|| Outdated {
        inode: folder.inode,
        names: branch.names_in_directory(),
    })
}

fn entries(fs: &ChessFs, folder: &TreeFolder) -> BTreeMap<String, Inode> {
    FolderFs::new(fs, folder).entries().into_iter().collect()
}

/// The names whose inodes differ.
fn changed(before: BTreeMap<String, Inode>, mut after: BTreeMap<String, Inode>) -> Vec<String> {
    let gone = before.into_iter().filter_map(|(name, inode)| {
        let is_same = after.remove(&name) == Some(inode);
        (!is_same).then_some(name)
    });
    let mut names: Vec<String> = gone.collect();
    names.extend(after.into_keys());
    names
}

impl CurrentState {
    /// Describes an inode by its number and the names of the databases. Does not access the source.
    pub fn describe(&self, inode: Inode) -> String {
        if inode == Inode::ROOT {
            return "the root".to_owned();
        }
        let Ok(found) = self.resolve(inode) else {
            return "nothing".to_owned();
        };
        let Some((prefix, node)) = inode.node() else {
            return match found.kind() {
                Kind::Directory => "a folder".to_owned(),
                Kind::File | Kind::Link => "info.txt".to_owned(),
            };
        };
        let database = found.fs().database(prefix);
        let name = database.map_or("", |database| database.library_entry().name());
        match node.as_game() {
            _ if node == Node::DATABASE => name.to_owned(),
            Some(game) => format!("{name}: game {}", u64::from(game) + 1),
            None => format!("{name}: {node:?}"),
        }
    }
}
