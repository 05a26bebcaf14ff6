//! A file system whose source changes: its present state, and earlier states as long as the kernel knows
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
use super::lookups::{self, Known, Lookups};
use super::outdated::{Outdated, outdated};
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
    /// The number of its databases that no later epoch has and whose inodes the kernel knows.
    known: Arc<Known>,
}

impl Live {
    /// Starts with `fs` as the first epoch.
    pub fn new(fs: ChessFs) -> Live {
        let given = fs.lookups().map(|(prefix, _)| prefix).collect();
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

    /// Replaces the present epoch and returns what is outdated in the kernel's caches. A database is
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
                .flat_map(ChessFs::lookups)
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
            known: Arc::new(Known::new()),
        });
        epochs.current = Arc::clone(&now);
        epochs.given = given;
        let dropped = epochs.drop_old();
        drop(epochs);
        drop(dropped);
        // This includes databases of dropped epochs: a look-up that is still waiting holds its database but
        // is not counted yet.
        let is_gone = |database: &&Arc<DatabaseFs>| now.database(database.prefix()).is_none();
        for gone in before.databases.iter().filter(is_gone) {
            gone.texts().retire();
        }
        outdated
    }

    /// Counts a look-up: the kernel is about to receive this inode. Returns false and counts nothing if the
    /// epoch of the inode was dropped since it was resolved; the kernel must not receive it then.
    #[must_use]
    pub fn remember(&self, inode: Inode) -> bool {
        let epochs = self.read_epochs();
        match epochs.lookups(inode) {
            Some((old, known)) => {
                lookups::remember(old.map(|old| &*old.known), known);
                true
            }
            // Folders of the source are not counted.
            None => inode.node().is_none(),
        }
    }

    /// Subtracts look-ups that the kernel returned with FORGET.
    pub fn forget(&self, inode: Inode, times: u64) {
        let is_last = match self.read_epochs().lookups(inode) {
            Some((old, own)) => {
                let known = old.map(|old| &*old.known);
                lookups::forget(known, own, times)
            }
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
    /// to a path, the kernel then resolves the path again, without what it has cached.
    pub fn resolve(&self, inode: Inode) -> Result<Resolved, FsError> {
        let epochs = self.read_epochs();
        epochs.current.common.requests.fetch_add(1, Ordering::Relaxed);
        let mut all = epochs.all();
        all.find_map(|epoch| Handle::new(epoch, inode))
            .ok_or(FsError::Stale)
    }

    /// Looks up `name` in a directory (see [`Handle::child`]) and resolves it in the latest epoch that has
    /// it.
    ///
    /// # Errors
    /// Those of [`Handle::child`].
    pub fn child(&self, directory: &Resolved, name: &OsStr) -> Result<Resolved, FsError> {
        let child = directory.child(name)?;
        // The read lock is released before `resolve` acquires it again. If it were held and a writer were
        // waiting, the second acquisition would deadlock.
        let is_current = Arc::ptr_eq(directory.fs(), &self.read_epochs().current);
        match is_current {
            true => Ok(child),
            // A later epoch may have other attributes for the same folder.
            false => match self.resolve(child.inode()) {
                // The epoch of the directory was dropped after it was resolved.
                Err(_) => self.resolve(directory.inode())?.child(name),
                child => child,
            },
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

    /// The look-up counts of an inode's database, and its epoch unless that is the present one.
    fn lookups(&self, inode: Inode) -> Option<(Option<&Old>, &Lookups)> {
        let (prefix, _) = inode.node()?;
        if let Some(known) = self.current.lookups_of(prefix) {
            return Some((None, known));
        }
        let mut old = self.old.iter();
        old.find_map(|old| Some((Some(old), old.fs.lookups_of(prefix)?)))
    }

    /// Removes earlier epochs that exceed the limit, and those without inodes that the kernel knows and no
    /// later epoch has. Updates [`Old::known`] of the remaining ones.
    fn drop_old(&mut self) -> Vec<Old> {
        let prefixes =
            |epoch: &ChessFs| -> Vec<Prefix> { epoch.lookups().map(|(prefix, _)| prefix).collect() };
        let mut later: HashSet<Prefix> = prefixes(&self.current).into_iter().collect();
        let mut dropped = Vec::new();
        let mut kept = VecDeque::new();
        for epoch in self.old.drain(..) {
            let own = epoch.fs.lookups().filter(|(prefix, _)| !later.contains(prefix));
            let known = own.filter(|(_, lookups)| lookups.is_known()).count();
            if kept.len() < MOST_OLD && known > 0 {
                epoch.known.set(known);
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
