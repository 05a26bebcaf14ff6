//! A file system whose source changes: its state now, and earlier ones as long as somebody knows them.
//!
//! Each state is an epoch, a [`ChessFs`] of its own. A database that did not change is the same one in all of them,
//! and keeps its inodes. A changed one has new inodes; those of before go on meaning what they meant.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::ChessFs;
use super::database::DatabaseFs;
use super::failure::{Failure, Failures};
use super::handle::{Handle, Resolved};
use super::lookups::{self, Known};
use super::outdated::{Outdated, outdated};
use super::status::Status;
use super::types::{FsError, Inode, Statistics};
use crate::library::{Library, LibraryEntry};
use crate::tree::{Node, Prefix, SourceTree};

/// Most earlier epochs; the oldest one gives input/output errors.
const MOST_OLD: usize = 4;

/// Once so many prefixes were given out, those that nobody uses any more may be given out again. It is a 16th of all
/// that there are.
const MOST_GIVEN: usize = 1 << 20;

/// A [`ChessFs`] that can be replaced while it is used.
pub struct Live {
    epochs: RwLock<Epochs>,
    /// Held while one epoch is followed by the next.
    replacing: Mutex<()>,
    failures: Failures,
}

#[derive(Clone)]
struct Epochs {
    current: Arc<ChessFs>,
    /// Earlier ones, the latest first.
    old: VecDeque<Old>,
    /// Numbers and folders of the last epochs that are gone: listings that began in them go on.
    gone: VecDeque<(u64, Arc<SourceTree>)>,
    /// Prefixes that were given out. No inode ever comes to mean something else.
    given: HashSet<Prefix>,
}

/// An earlier epoch.
#[derive(Clone)]
struct Old {
    fs: Arc<ChessFs>,
    /// Databases that no later epoch has.
    known: Arc<Known>,
}

impl Live {
    /// Begins with a file system.
    pub fn new(fs: ChessFs) -> Live {
        let given = fs.databases.iter().map(|database| database.prefix()).collect();
        Live {
            epochs: RwLock::new(Epochs {
                current: Arc::new(fs),
                old: VecDeque::new(),
                gone: VecDeque::new(),
                given,
            }),
            replacing: Mutex::new(()),
            failures: Failures::new(),
        }
    }

    /// Has this called when something cannot be read: the source may have changed. Only the first call counts.
    pub fn on_error(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.current().common.on_error.set(Box::new(call));
    }

    /// What is served now.
    pub fn current(&self) -> Arc<ChessFs> {
        Arc::clone(&self.read_epochs().current)
    }

    /// All databases that are served, in earlier epochs too, but for those in which a game did not have the size that
    /// was told.
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

    /// Serves this from now on, and says what is not as it was. A database is the same as before where its entry is.
    pub fn replace(&self, library: Library) -> Vec<Outdated> {
        let _turn = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        // What takes time happens while nobody waits.
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
            epochs.flat_map(|epoch| &epoch.databases)
        };
        if given.len() > MOST_GIVEN {
            given = living().map(|database| database.prefix()).collect();
        }
        let by_entry: HashMap<*const LibraryEntry, &Arc<DatabaseFs>> = living()
            .map(|database| (Arc::as_ptr(database.library_entry()), database))
            .collect();
        let kept = |entry: &LibraryEntry| {
            by_entry
                .get(&std::ptr::from_ref(entry))
                .map(|&same| Arc::clone(same))
        };
        let mut next = ChessFs::with(library, Arc::clone(&current.common), &mut given, kept);
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
        // Also where the epoch is dropped: a look-up that waits holds its database and is not counted yet.
        let is_gone = |database: &&Arc<DatabaseFs>| now.database(database.prefix()).is_none();
        for gone in before.databases.iter().filter(is_gone) {
            gone.texts().retire();
        }
        outdated
    }

    /// Says that the kernel is told of an inode.
    pub fn remember(&self, inode: Inode) {
        let epochs = self.read_epochs();
        if let Some((old, database)) = epochs.database(inode) {
            lookups::remember(old.map(|old| &*old.known), &database.lookups);
        }
    }

    /// Takes down that the kernel forgets so many of the times that it was told of an inode.
    pub fn forget(&self, inode: Inode, times: u64) {
        let is_last = match self.read_epochs().database(inode) {
            Some((old, database)) => {
                let known = old.map(|old| &*old.known);
                lookups::forget(known, &database.lookups, times)
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
    /// The node of an inode, in the latest epoch that has it.
    ///
    /// # Errors
    /// [`FsError::Io`] for an inode of an epoch that is gone; [`FsError::Stale`] for one that never was.
    pub fn resolve(&self, inode: Inode) -> Result<Resolved, FsError> {
        self.find(inode).ok_or_else(|| match inode.node() {
            Some((prefix, _)) if self.read_epochs().given.contains(&prefix) => {
                self.fail(inode, Failure::Gone)
            }
            _ => FsError::Stale,
        })
    }

    /// The same without an error in the log.
    pub(super) fn find(&self, inode: Inode) -> Option<Resolved> {
        let epochs = self.read_epochs();
        epochs.current.common.requests.fetch_add(1, Ordering::Relaxed);
        epochs.all().find_map(|epoch| Handle::new(epoch, inode))
    }

    /// The entry `name` of a directory, see [`Handle::child`], in the latest epoch that has it.
    ///
    /// # Errors
    /// Those of [`Handle::child`].
    pub fn child(&self, directory: &Resolved, name: &OsStr) -> Result<Resolved, FsError> {
        let child = directory.child(name)?;
        // The lock is free again before it is taken once more: a writer that waits in between would wait for this
        // reader, and this reader for the writer.
        let is_current = Arc::ptr_eq(directory.fs(), &self.read_epochs().current);
        match is_current {
            true => Ok(child),
            // A later epoch may show other attributes of the same folder.
            false => self.resolve(child.inode()),
        }
    }

    /// The directory that a listing goes on in, and its offset there. A folder is that of the epoch in which the
    /// listing began. Where that one is gone, it is the present one, and the offset behind the name that was given last.
    ///
    /// # Errors
    /// Those of [`Live::resolve`], and [`FsError::Io`] where it cannot be told how the listing goes on.
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
        resumed.ok_or_else(|| self.fail(directory, Failure::Listing))
    }

    /// See [`ChessFs::status`].
    pub fn status(&self) -> Status {
        self.current().status()
    }

    /// See [`ChessFs::statistics`].
    pub fn statistics(&self) -> Statistics {
        self.current().statistics()
    }

    fn fail(&self, inode: Inode, failure: Failure) -> FsError {
        let inode = format_args!("inode {:#x}", inode.0);
        self.failures.report(inode, failure)
    }

    fn read_epochs(&self) -> RwLockReadGuard<'_, Epochs> {
        self.epochs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_epochs(&self) -> RwLockWriteGuard<'_, Epochs> {
        self.epochs.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Epochs {
    /// All epochs, the latest first.
    fn all(&self) -> impl Iterator<Item = &Arc<ChessFs>> {
        [&self.current]
            .into_iter()
            .chain(self.old.iter().map(|old| &old.fs))
    }

    /// The database of an inode, and the epoch where it is one of before.
    fn database(&self, inode: Inode) -> Option<(Option<&Old>, &Arc<DatabaseFs>)> {
        let (prefix, _) = inode.node()?;
        if let Some(database) = self.current.database(prefix) {
            return Some((None, database));
        }
        let mut old = self.old.iter();
        old.find_map(|old| Some((Some(old), old.fs.database(prefix)?)))
    }

    /// Takes out earlier epochs: those that are too many, and those of which the kernel knows nothing that a later
    /// epoch does not have as well. Counts what it knows of the others.
    fn drop_old(&mut self) -> Vec<Old> {
        let prefixes = |epoch: &ChessFs| -> Vec<Prefix> {
            let databases = epoch.databases.iter();
            databases.map(|database| database.prefix()).collect()
        };
        let mut later: HashSet<Prefix> = prefixes(&self.current).into_iter().collect();
        let mut dropped = Vec::new();
        let mut kept = VecDeque::new();
        for epoch in self.old.drain(..) {
            let databases = epoch.fs.databases.iter();
            let own = databases.filter(|database| !later.contains(&database.prefix()));
            let known = own.filter(|database| database.lookups.is_known()).count();
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
