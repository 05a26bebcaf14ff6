//! Queries about the positions of a database, answered by its index, which is opened or built on first use.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chessdb_library::cancel::Underway;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::LibraryEntry;
use chessdb_library::making::Making;
use chessdb_library::positions::{BuildOptions, Damaged, Index, IndexError};

/// How long a question that can be answered without the index waits for it.
const MOST_PATIENCE: Duration = Duration::from_millis(100);

/// After so many damaged indexes none is kept any more, where others can change it.
const MOST_DAMAGED: u64 = 2;

/// The positions of a database.
pub struct Positions {
    entry: Arc<LibraryEntry>,
    options: BuildOptions,
    files: OnceLock<KeptFiles>,
    /// Locked while the index is built, so other threads wait for it.
    index: Mutex<Option<Arc<Index>>>,
    is_ready: AtomicBool,
    has_failed: AtomicBool,
    is_building: AtomicBool,
    /// Number of indexes that turned out to be damaged.
    damaged: AtomicU64,
    /// Number of games read for the index that is being built.
    read: AtomicU64,
}

/// State of an index of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// No query has needed it.
    Unused,
    /// It is being built.
    Building {
        /// Number of games that have been read.
        read: u64,
    },
    /// It answers queries.
    Ready,
    /// It can be neither opened nor built.
    Failed,
}

impl Positions {
    pub(super) fn new(entry: &Arc<LibraryEntry>, options: BuildOptions) -> Positions {
        Positions {
            entry: Arc::clone(entry),
            options,
            files: OnceLock::new(),
            index: Mutex::new(None),
            is_ready: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_building: AtomicBool::new(false),
            damaged: AtomicU64::new(0),
            read: AtomicU64::new(0),
        }
    }

    /// Makes the index load from a file and save to it.
    pub fn keep_in(&self, files: &KeptFiles) {
        self.files.get_or_init(|| files.clone());
    }

    /// Where the index is kept.
    fn files(&self) -> Option<&KeptFiles> {
        let is_sound = self.damaged.load(Ordering::Relaxed) < MOST_DAMAGED;
        self.files.get().filter(|_| is_sound)
    }

    /// Removes the file of the index, if there is one.
    pub(super) fn remove_file(&self) {
        self.files
            .get()
            .inspect(|files| Index::remove(files, &self.entry));
    }

    /// True if the index is in memory, so `Positions::ask` need not open or build it.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// True if the index can be neither opened nor built; the log says why.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Why the index cannot be built, if that shows before it is tried. Does not wait: the games need not be counted.
    pub fn obstacle(&self) -> Option<IndexError> {
        let database = &self.entry.database;
        let games = || database.as_files().uncounted().unwrap_or_else(|| database.len());
        match self.files.get() {
            Some(_) => None,
            None => self.options.obstacle(games()),
        }
    }

    /// The state of the index. Does not wait.
    pub fn state(&self) -> IndexState {
        if self.is_building.load(Ordering::Acquire) {
            IndexState::Building {
                read: self.read.load(Ordering::Relaxed),
            }
        } else if self.is_ready() {
            IndexState::Ready
        } else if self.has_failed() {
            IndexState::Failed
        } else {
            IndexState::Unused
        }
    }

    /// Opens or builds the index ahead of the first query.
    pub fn prepare(&self) {
        self.index();
    }

    /// Answers a question from the index. Replaces a damaged index by a new one. `None` if there is no index.
    pub(super) fn ask<T>(&self, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        (0..=MOST_DAMAGED).find_map(|_| {
            let index = self.index()?;
            let answer = question(&index).ok();
            if answer.is_none() {
                self.discard(&index);
            }
            answer
        })
    }

    /// Answers a question from the index, if it is in memory or kept, or without it. It is not built.
    pub(super) fn ask_without_building<T>(
        &self,
        question: impl Fn(Option<&Index>) -> Result<T, Damaged>,
    ) -> Option<T> {
        let index = self.index_if_built();
        let answer = question(index.as_deref()).ok();
        let Some(index) = index.filter(|_| answer.is_none()) else {
            return answer;
        };
        self.discard(&index);
        question(None).ok()
    }

    /// The index, if it is in memory or kept, and is not being built.
    fn index_if_built(&self) -> Option<Arc<Index>> {
        if self.is_building.load(Ordering::Acquire) {
            return None;
        }
        // It may just have begun to be built.
        let mut index = self.index.try_lock_for(MOST_PATIENCE)?;
        if index.is_none() && !self.has_failed() {
            let loaded = self.files().and_then(|files| Index::load(files, &self.entry));
            *index = loaded.map(Arc::new);
            self.is_ready.store(index.is_some(), Ordering::Release);
        }
        index.clone()
    }

    /// The index, opened or built.
    fn index(&self) -> Option<Arc<Index>> {
        let mut index = self.index.lock();
        if index.is_none() && !self.has_failed() {
            *index = self.open().map(Arc::new);
            self.is_ready.store(index.is_some(), Ordering::Release);
            self.has_failed.store(index.is_none(), Ordering::Release);
        }
        index.clone()
    }

    fn open(&self) -> Option<Index> {
        let loaded = self.files().and_then(|files| Index::load(files, &self.entry));
        loaded.or_else(|| {
            self.read.store(0, Ordering::Relaxed);
            let _building = Underway::new(&self.is_building);
            self.build()
        })
    }

    fn build(&self) -> Option<Index> {
        let entry = &self.entry;
        let making = Making::begin("index of positions", entry.name(), entry.database.len().into());
        let done = |games| {
            self.read.fetch_add(games, Ordering::Relaxed);
            making.done(games);
        };
        let built = self
            .files()
            .map(|files| Index::build(files, entry, self.options, &done));
        let built = match built {
            Some(Err(error)) if !matches!(error, IndexError::Changed) => {
                log::warn!("{}: {error}", entry.name());
                self.read.store(0, Ordering::Relaxed);
                None
            }
            built => built,
        };
        let not_kept = || Index::temporary(&entry.database, self.options, &done);
        let built = built.unwrap_or_else(not_kept);
        built
            .inspect_err(|error| log::error!("{}: {error}", entry.name()))
            .ok()
    }

    /// Drops a damaged index, unless another thread has replaced it already.
    fn discard(&self, damaged: &Arc<Index>) {
        let mut index = self.index.lock();
        if index.as_ref().is_some_and(|index| Arc::ptr_eq(index, damaged)) {
            log::warn!(
                "{}: its index of positions is damaged: built again",
                self.entry.name()
            );
            self.remove_file();
            self.damaged.fetch_add(1, Ordering::Relaxed);
            self.is_ready.store(false, Ordering::Release);
            *index = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::kept::Space;
    use chessdb_library::library::Library;
    use chessdb_library::positions::{Occurrence, Pattern, Wanted};
    use std::cell::Cell;
    use std::fs;

    #[test]
    fn an_index_that_is_damaged_again_and_again_is_no_longer_kept() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.pgn");
        fs::write(&source, "1. e4 e5 *\n\n1. d4 d5 *\n\n1. e4 c5 *\n").unwrap();
        let library = Library::open(&source, &chessdb::Options::default()).unwrap();
        let cache = folder.path().join("cache");
        let positions = Positions::new(&library.databases()[0], BuildOptions::default());
        positions.keep_in(&KeptFiles::open(&cache, "", Space::default()).unwrap());
        let wanted = Wanted::Position(Pattern::of_moves("e4").unwrap());
        let kept = || fs::read_dir(&cache).unwrap().count();
        let asked = Cell::new(0);
        let games = |found: Option<Vec<Occurrence>>| -> Vec<u32> {
            found.unwrap().iter().map(|occurrence| occurrence.game).collect()
        };
        let found = positions.ask(|index| {
            asked.set(asked.get() + 1);
            // Whoever can write to the folder damages every file that is kept in it.
            match kept() {
                0 => index.find(&wanted),
                _ => Err(Damaged),
            }
        });
        assert_eq!(games(found), [0, 2]);
        assert_eq!((asked.get(), kept()), (3, 0));
        // The one in memory answers from now on.
        assert_eq!(games(positions.ask(|index| index.find(&wanted))), [0, 2]);
        assert_eq!(kept(), 0);
    }
}
