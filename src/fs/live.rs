//! A file system whose source changes: its state now, and earlier ones as long as somebody knows them.
//!
//! Each state is an epoch, a [`ChessFs`] of its own. A database that did not change is the same one in all of them,
//! and keeps its inodes. A changed one has new inodes; those of before go on meaning what they meant.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::ChessFs;
use super::database::DatabaseFs;
use super::failure::{Failure, Failures};
use super::lookups::{self, Known};
use super::outdated::{Outdated, outdated};
use super::status::Status;
use super::types::{Attributes, Chunk, Entry, FsError, Inode, Statistics, Where};
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
    on_error: OnceLock<Box<dyn Fn() + Send + Sync>>,
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
            on_error: OnceLock::new(),
            failures: Failures::new(),
        }
    }

    /// Has this called when something cannot be read: the source may have changed. Only the first call counts.
    pub fn on_error(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_error.set(Box::new(call));
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

/// The methods of [`ChessFs`], for an inode of any epoch. What gives errors there gives the same here, and
/// [`FsError::Io`] for an inode of an epoch that is gone.
impl Live {
    /// See [`ChessFs::lookup`].
    pub fn lookup(&self, parent: Inode, name: &OsStr) -> Result<Inode, FsError> {
        self.told(self.of(parent)?.lookup(parent, name))
    }

    /// See [`ChessFs::parent`].
    pub fn parent(&self, inode: Inode) -> Result<Inode, FsError> {
        self.of(inode)?.parent(inode)
    }

    /// See [`ChessFs::attributes`].
    pub fn attributes(&self, inode: Inode) -> Result<Attributes, FsError> {
        self.told(self.of(inode)?.attributes(inode))
    }

    /// See [`ChessFs::attributes_if_known`].
    pub fn attributes_if_known(&self, inode: Inode) -> Result<Option<Attributes>, FsError> {
        self.of(inode)?.attributes_if_known(inode)
    }

    /// See [`ChessFs::may_wait`].
    pub fn may_wait(&self, inode: Inode) -> bool {
        self.serving(inode).is_some_and(|fs| fs.may_wait(inode))
    }

    /// See [`ChessFs::where_to_answer`].
    pub fn where_to_answer(&self, inode: Inode) -> Where {
        self.serving(inode)
            .map_or(Where::Here, |fs| fs.where_to_answer(inode))
    }

    /// See [`ChessFs::read_dir`].
    pub fn read_dir(
        &self,
        inode: Inode,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        // Folders list what is in them by place, which is another one in another epoch.
        let is_folder = inode.node().is_none_or(|(_, node)| node == Node::Database);
        if !is_folder {
            return self.told(self.of(inode)?.read_dir(inode, offset, with_attributes, each));
        }
        let (epoch, offset) = (offset >> 32, offset & u64::from(u32::MAX));
        let (fs, offset) = match offset {
            0 => (self.of(inode)?, 0),
            _ => self.resumed(inode, epoch, offset)?,
        };
        let epoch = fs.epoch << 32;
        self.told(fs.read_dir(inode, offset, with_attributes, &mut |entry| {
            each(Entry {
                next: epoch | entry.next,
                ..entry
            })
        }))
    }

    /// See [`ChessFs::next_games`].
    pub fn next_games(&self, directory: Inode, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        self.serving(directory)?.next_games(directory, game, most)
    }

    /// See [`ChessFs::entries`].
    pub fn entries(&self, directory: Inode) -> Result<usize, FsError> {
        self.of(directory)?.entries(directory)
    }

    /// See [`ChessFs::read`].
    pub fn read(&self, inode: Inode, offset: u64, size: u32) -> Result<Chunk, FsError> {
        self.told(self.of(inode)?.read(inode, offset, size))
    }

    /// See [`ChessFs::read_games`].
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        match games.first() {
            Some(&first) => self.told(self.of(first)?.read_games(games, longest, each)),
            None => Ok(()),
        }
    }

    /// See [`ChessFs::attribute_names`].
    pub fn attribute_names(&self, inode: Inode) -> Result<Vec<String>, FsError> {
        self.told(self.of(inode)?.attribute_names(inode))
    }

    /// See [`ChessFs::attribute_value`].
    pub fn attribute_value(&self, inode: Inode, name: &OsStr) -> Result<Vec<u8>, FsError> {
        self.told(self.of(inode)?.attribute_value(inode, name))
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

impl Live {
    /// Passes a result on, and tells of an error that may mean a changed source.
    fn told<T>(&self, result: Result<T, FsError>) -> Result<T, FsError> {
        if matches!(result, Err(FsError::Io))
            && let Some(call) = self.on_error.get()
        {
            call();
        }
        result
    }

    /// The epoch that serves an inode: the latest that has it.
    pub(super) fn serving(&self, inode: Inode) -> Option<Arc<ChessFs>> {
        let epochs = self.read_epochs();
        epochs.all().find(|epoch| epoch.serves(inode)).cloned()
    }

    fn of(&self, inode: Inode) -> Result<Arc<ChessFs>, FsError> {
        self.serving(inode).ok_or_else(|| match inode.node() {
            Some((prefix, _)) if self.read_epochs().given.contains(&prefix) => {
                self.fail(inode, Failure::Gone)
            }
            _ => FsError::Stale,
        })
    }

    /// The epoch in which a listing of a folder goes on, and its offset there. Where the one that it began in is gone,
    /// that is the present one, and the offset behind the name that was given last.
    fn resumed(&self, folder: Inode, epoch: u64, offset: u64) -> Result<(Arc<ChessFs>, u64), FsError> {
        let epochs = self.read_epochs();
        if let Some(fs) = epochs.all().find(|fs| fs.epoch == epoch) {
            return Ok((Arc::clone(fs), offset));
        }
        let gone = epochs.gone.iter().find(|(number, _)| *number == epoch);
        let then = gone.and_then(|(_, folders)| folders.by_inode(folder));
        let offset = then.and_then(|then| epochs.current.resumed(then, offset));
        let offset = offset.ok_or_else(|| self.fail(folder, Failure::Listing))?;
        Ok((Arc::clone(&epochs.current), offset))
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
