//! A file system whose source changes: its present state, and earlier states as long as there are references to
//! their inodes.
//!
//! Each state is an epoch, a [`ChessFs`] of its own. Epochs share the databases that did not change, which
//! keep their inodes. A changed database has new inodes; the old ones continue to refer to the old state.

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ChessFs;
use super::branch::BranchFs;
use super::database::DatabaseFs;
use super::handle::{Handle, Resolved};
use super::open_node::Open;
use super::outdated::{Outdated, outdated};
use super::references::{self, BranchReferences, InUse};
use super::status::Status;
use super::types::{FsError, Inode, Statistics};
use crate::tree::{Node, Prefix, SourceTree};
use chessdb_library::cancel::Cancel;
use chessdb_library::library::{Library, LibraryEntry};

/// Maximum number of earlier epochs. Inodes of older ones are stale.
const MOST_OLD: usize = 4;

/// After this many prefixes have been assigned, those that no epoch uses are released for reuse. This is a
/// 16th of all prefixes.
const MOST_GIVEN: usize = 1 << 20;

/// A [`ChessFs`] that can be replaced while it is used.
pub struct Live {
    epochs: RwLock<Epochs>,
    /// Held while one epoch replaces another.
    replacing: Mutex<()>,
}

#[derive(Clone)]
struct Epochs {
    current: Arc<ChessFs>,
    /// Earlier epochs, the latest first.
    old: VecDeque<Old>,
    /// Numbers and folders of the last epochs that were dropped, for listings that began in them.
    gone: VecDeque<(u64, Arc<SourceTree>)>,
    /// Prefixes that were assigned and must not be assigned to other databases.
    given: HashSet<Prefix>,
}

/// An earlier epoch.
#[derive(Clone)]
struct Old {
    fs: Arc<ChessFs>,
    /// The number of its branches that no later epoch has and that have references.
    in_use: Arc<InUse>,
}

impl Live {
    /// Starts with `fs` as the first epoch.
    pub fn new(fs: ChessFs) -> Live {
        let given = fs.references().map(|(prefix, _)| prefix).collect();
        Live {
            epochs: RwLock::new(Epochs {
                current: Arc::new(fs),
                old: VecDeque::new(),
                gone: VecDeque::new(),
                given,
            }),
            replacing: Mutex::new(()),
        }
    }

    /// Sets a function to be called when something cannot be read. Only the first one set is called.
    pub fn on_error(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.current().common.on_error.set(Box::new(call));
    }

    /// The present epoch.
    pub fn current(&self) -> Arc<ChessFs> {
        Arc::clone(&self.read_epochs().current)
    }

    /// Within this, requests are to be answered that may need long work, so that [`Live::end_work`] ends it.
    pub fn cancel(&self) -> Cancel {
        self.current().common.cancel.clone()
    }

    /// See [`ChessFs::end_work`].
    pub fn end_work(&self) {
        self.current().end_work();
    }

    /// The databases of all epochs, without those in which the text of a game did not have its reported size.
    pub fn open_databases(&self) -> Vec<Arc<LibraryEntry>> {
        let epochs = self.read_epochs();
        let databases = epochs.all().flat_map(|epoch| &epoch.databases);
        databases
            .filter(|database| !database.texts().is_doubtful())
            .map(|database| Arc::clone(database.library_entry()))
            .collect()
    }

    /// Number of earlier epochs that are kept.
    pub fn old_epochs(&self) -> usize {
        self.read_epochs().old.len()
    }

    /// Replaces the present epoch and returns what is outdated in caches. A database is
    /// unchanged if the library contains the same entry.
    pub fn replace(&self, library: Library) -> Vec<Outdated> {
        let _turn = self.replacing.lock();
        // The slow part works on a copy, without a lock that requests need.
        let Epochs {
            current,
            old,
            mut given,
            ..
        } = self.read_epochs().clone();
        if library.is_same(current.library()) {
            return Vec::new();
        }
        let earlier: Vec<&ChessFs> = old.iter().map(|epoch| &*epoch.fs).collect();
        let living = || {
            let epochs = [&*current].into_iter().chain(earlier.iter().copied());
            epochs.flat_map(|epoch| &epoch.branches)
        };
        if given.len() > MOST_GIVEN {
            let epochs = [&*current].into_iter().chain(earlier.iter().copied());
            given = epochs
                .flat_map(ChessFs::references)
                .map(|(prefix, _)| prefix)
                .collect();
        }
        let by_entry: HashMap<*const LibraryEntry, &Arc<BranchFs>> = living()
            .filter_map(|branch| Some((Arc::as_ptr(branch.own_database()?.library_entry()), branch)))
            .collect();
        let kept = |entry: &LibraryEntry| {
            by_entry
                .get(&std::ptr::from_ref(entry))
                .map(|&same| Arc::clone(same))
        };
        let (common, all) = (Arc::clone(&current.common), current.all());
        let mut next = ChessFs::with(library, common, &mut given, kept, all);
        next.epoch = current.epoch + 1;
        let outdated = outdated(&current, &earlier, &next);
        let (before, now) = (Arc::clone(&current), Arc::new(next));
        let mut epochs = self.write_epochs();
        epochs.old.push_front(Old {
            fs: current,
            in_use: Arc::new(InUse::new()),
        });
        epochs.current = Arc::clone(&now);
        epochs.given = given;
        let dropped = epochs.drop_old();
        drop(epochs);
        drop(dropped);
        // This includes databases of dropped epochs: a request that is still waiting has its database but
        // is not counted yet.
        let is_gone = |database: &&Arc<DatabaseFs>| now.database(database.prefix()).is_none();
        for gone in before.databases.iter().filter(is_gone) {
            gone.texts().retire();
        }
        outdated
    }

    /// Adds a reference to each of these inodes: a front end gives them away, and what they refer to is kept until they are
    /// [released](Live::release). Returns the inodes whose epoch was dropped since they were resolved. They have no
    /// reference and must not be given away.
    #[must_use]
    pub fn hold(&self, inodes: &[Inode]) -> Vec<Inode> {
        let prefix = |inode: &Inode| inode.node().map(|(prefix, _)| prefix);
        let epochs = self.read_epochs();
        let mut gone = Vec::new();
        for inodes in inodes.chunk_by(|a, b| prefix(a) == prefix(b)) {
            // Folders of the source are not counted.
            let Some(prefix) = inodes.first().and_then(prefix) else {
                continue;
            };
            match epochs.references(prefix) {
                Some((in_use, own)) => references::hold(in_use, own, inodes.len() as u64),
                None => gone.extend(inodes),
            }
        }
        gone
    }

    /// Subtracts references to an inode.
    pub fn release(&self, inode: Inode, times: u64) {
        let Some((prefix, _)) = inode.node() else { return };
        let is_last = match self.read_epochs().references(prefix) {
            Some((in_use, own)) => references::release(in_use, own, times),
            None => false,
        };
        if is_last {
            let dropped = self.write_epochs().drop_old();
            drop(dropped);
        }
    }
}

/// Inodes of any epoch.
impl Live {
    /// Resolves an inode in the latest epoch that has it.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode of a dropped epoch, or one that never existed. If the request belongs
    /// to a path, this should be resolved again, without what is cached of it.
    pub fn resolve(&self, inode: Inode) -> Result<Resolved, FsError> {
        let epochs = self.read_epochs();
        epochs.current.common.requests.fetch_add(1, Ordering::Relaxed);
        let mut all = epochs.all();
        all.find_map(|epoch| Handle::new(epoch, inode))
            .ok_or(FsError::Stale)
    }

    /// Looks up `name` in a directory (see [`Open::child`]) and resolves it in the latest epoch that has
    /// it.
    ///
    /// # Errors
    /// Those of [`Open::child`].
    pub fn child(&self, directory: &Open<'_>, name: &OsStr) -> Result<Resolved, FsError> {
        let child = directory.child(name)?;
        // The read lock is released before `resolve` acquires it again. If it were held and a writer were
        // waiting, the second acquisition would deadlock.
        let is_current = Arc::ptr_eq(directory.fs(), &self.read_epochs().current);
        if is_current {
            Ok(child)
        } else {
            // A later epoch may have other attributes for the same folder.
            match self.resolve(child.inode()) {
                // The epoch of the directory was dropped after it was resolved.
                Err(_) => self.resolve(directory.handle().inode())?.open()?.child(name),
                child => child,
            }
        }
    }

    /// Resolves the directory of a listing and the offset at which it continues. A folder is resolved in the
    /// epoch in which the listing began. If that epoch was dropped, the present one is used, with the offset
    /// after the last name returned.
    ///
    /// # Errors
    /// Those of [`Live::resolve`], and [`FsError::Stale`] if the position cannot be determined.
    pub fn resolve_listing(&self, directory: Inode, offset: u64) -> Result<(Resolved, u64), FsError> {
        if directory.node().is_some_and(|(_, node)| node != Node::DATABASE) {
            return Ok((self.resolve(directory)?, offset));
        }
        let (epoch, place) = (offset >> 32, offset & u64::from(u32::MAX));
        if place == 0 {
            return Ok((self.resolve(directory)?, 0));
        }
        let epochs = self.read_epochs();
        if let Some(fs) = epochs.all().find(|fs| fs.epoch == epoch) {
            let then = Handle::new(fs, directory).ok_or(FsError::Stale)?;
            return Ok((then, offset));
        }
        let gone = epochs.gone.iter().find(|(number, _)| *number == epoch);
        let then = gone.and_then(|(_, folders)| folders.by_inode(directory));
        let now = Handle::new(&epochs.current, directory);
        let resumed = now.and_then(|now| {
            let place = now.folder()?.resumed(then?, place)?;
            Some((now, place))
        });
        resumed.ok_or(FsError::Stale)
    }

    /// See [`ChessFs::status`].
    pub fn status(&self) -> Status {
        self.current().status()
    }

    /// See [`ChessFs::statistics`].
    pub fn statistics(&self) -> Statistics {
        self.current().statistics()
    }

    fn read_epochs(&self) -> RwLockReadGuard<'_, Epochs> {
        self.epochs.read()
    }

    fn write_epochs(&self) -> RwLockWriteGuard<'_, Epochs> {
        self.epochs.write()
    }
}

impl Epochs {
    /// All epochs, the latest first.
    fn all(&self) -> impl Iterator<Item = &Arc<ChessFs>> {
        [&self.current]
            .into_iter()
            .chain(self.old.iter().map(|old| &old.fs))
    }

    /// The references to the branch with this prefix, and what counts the branch if its epoch is an earlier one.
    fn references(&self, prefix: Prefix) -> Option<(Option<&InUse>, &BranchReferences)> {
        if let Some(references) = self.current.references_of(prefix) {
            return Some((None, references));
        }
        let mut old = self.old.iter();
        old.find_map(|old| Some((Some(&*old.in_use), old.fs.references_of(prefix)?)))
    }

    /// Removes earlier epochs that exceed the limit, and those of which every branch with references is in a later
    /// epoch, too. Updates [`Old::in_use`] of the remaining ones.
    fn drop_old(&mut self) -> Vec<Old> {
        let prefixes =
            |epoch: &ChessFs| -> Vec<Prefix> { epoch.references().map(|(prefix, _)| prefix).collect() };
        let mut later: HashSet<Prefix> = prefixes(&self.current).into_iter().collect();
        let mut dropped = Vec::new();
        let mut kept = VecDeque::new();
        for epoch in self.old.drain(..) {
            let own = epoch.fs.references();
            let own = own.filter(|(prefix, _)| !later.contains(prefix));
            let in_use = own.filter(|(_, references)| references.exist()).count();
            if kept.len() < MOST_OLD && in_use > 0 {
                epoch.in_use.set(in_use);
                later.extend(prefixes(&epoch.fs));
                kept.push_back(epoch);
            } else {
                dropped.push(epoch);
            }
        }
        self.old = kept;
        for epoch in dropped.iter().rev() {
            let folders = Arc::clone(&epoch.fs.folders);
            self.gone.push_front((epoch.fs.epoch, folders));
        }
        self.gone.truncate(MOST_OLD);
        dropped
    }
}
