//! The positions of a database, answered by its index, which is opened or built when it is first needed.

use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{BuildOptions, Damaged, Index, IndexError, IndexUse};
use crate::kept::KeptFiles;
use crate::library::LibraryEntry;
use crate::lines::KeptLines;
use crate::made::{Made, Wait};
use crate::making::Making;
use crate::task::Underway;

/// How long a question that can be answered without the index waits for it.
const MOST_PATIENCE: Duration = Duration::from_millis(100);

/// After this number of damaged indexes no index is kept any more where other programs can change it.
const MOST_DAMAGED: u64 = 2;

/// A database and its index of positions.
///
/// One thread opens or builds the index, and others that need it wait. A damaged index is removed, and the next question
/// that needs one has it built again.
pub struct Positions {
    /// Reads the lines of games from the kept ones.
    entry: Arc<LibraryEntry>,
    lines: Arc<KeptLines>,
    options: BuildOptions,
    files: OnceLock<KeptFiles>,
    /// Replaced when the index turns out to be damaged, since a `Made` value never changes. Not locked while an index
    /// is opened or built.
    index: RwLock<Arc<Made<OpenedIndex>>>,
    is_building: AtomicBool,
    /// The database may have changed without a sign, so nothing computed from it is kept.
    is_distrusted: AtomicBool,
    /// Number of indexes that turned out to be damaged.
    damaged: AtomicU64,
    /// Number of games read for the index that is being built.
    read: AtomicU64,
}

/// An index, or why it can be neither opened nor built.
type OpenedIndex = Result<Arc<Index>, Arc<IndexError>>;

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
    /// A database whose index is built in this way when it is needed.
    pub fn new(entry: &Arc<LibraryEntry>, options: BuildOptions) -> Positions {
        let lines = Arc::new(KeptLines::new(entry));
        Positions {
            entry: Arc::new(entry.with_lines(&lines)),
            lines,
            options,
            files: OnceLock::new(),
            index: RwLock::default(),
            is_building: AtomicBool::new(false),
            is_distrusted: AtomicBool::new(false),
            damaged: AtomicU64::new(0),
            read: AtomicU64::new(0),
        }
    }

    /// The same database with its index.
    pub fn with_index(self, index: Index) -> Positions {
        Positions {
            index: RwLock::new(Arc::new(Ok(Arc::new(index)).into())),
            ..self
        }
    }

    /// The database and its files.
    pub fn entry(&self) -> &Arc<LibraryEntry> {
        &self.entry
    }

    /// The lines of its games.
    pub fn lines(&self) -> &Arc<KeptLines> {
        &self.lines
    }

    /// Removes all files, and keeps nothing from now on: the database may have changed without a sign.
    pub fn forget_kept(&self) {
        self.is_distrusted.store(true, Ordering::Relaxed);
        self.remove_file();
        self.lines.forget();
    }

    /// Makes the index and the lines load from files and save to them.
    pub fn keep_in(&self, files: &KeptFiles) {
        self.files.get_or_init(|| files.clone());
        self.lines.keep_in(files);
    }

    /// Where the index is kept.
    fn files(&self) -> Option<&KeptFiles> {
        let is_sound = self.damaged.load(Ordering::Relaxed) < MOST_DAMAGED;
        let is_trusted = !self.is_distrusted.load(Ordering::Relaxed);
        self.files.get().filter(|_| is_sound && is_trusted)
    }

    /// Removes the file of the index, if there is one, but not the lines.
    pub fn remove_file(&self) {
        self.files
            .get()
            .inspect(|files| Index::remove(files, &self.entry));
    }

    fn made(&self) -> Arc<Made<OpenedIndex>> {
        Arc::clone(&self.index.read())
    }

    /// What [`Positions::ask`] has to wait for: the index, if it is not in memory.
    pub fn wait(&self) -> Wait {
        Wait::Common.unless(self.made().get().is_some_and(Result::is_ok))
    }

    /// True if the index can be neither opened nor built.
    pub fn has_failed(&self) -> bool {
        self.made().get().is_some_and(Result::is_err)
    }

    /// Why the index cannot be built, if that shows before it is tried. Does not wait: the games need not be counted.
    pub fn obstacle(&self) -> Option<IndexError> {
        let database = &self.entry.database;
        let games = || database.as_files().uncounted().unwrap_or_else(|| database.len());
        match self.files() {
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
        } else if self.wait() == Wait::None {
            IndexState::Ready
        } else if self.has_failed() {
            IndexState::Failed
        } else {
            IndexState::Unused
        }
    }

    /// Opens the index if it is kept. It is not built. Returns false if no index is kept.
    pub fn open(&self) -> bool {
        self.opened().is_some()
    }

    /// Opens or builds the index ahead of the first question. Returns false if that fails; the log says why.
    pub fn prepare(&self) -> bool {
        self.opened_or_built().is_some()
    }

    /// Opens the index, or builds it if none is kept. `done` is called with numbers of games that have been read.
    ///
    /// # Errors
    /// If the index can be neither opened nor built, which is tried once. The log does not say why.
    pub fn build(&self, done: &(dyn Fn(u64) + Sync)) -> Result<(), Arc<IndexError>> {
        let made = self.made();
        made.get_or(|| self.load_or_build(done)).clone().map(drop)
    }

    /// Answers a question from the index; `None` without an index. With [`IndexUse::Yes`] a missing index is built,
    /// and a damaged one is built again, and other threads wait for it. With [`IndexUse::Auto`] it has to be in memory
    /// or kept.
    pub fn ask<T>(&self, uses: IndexUse, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        let attempts = match uses {
            IndexUse::No => 0,
            IndexUse::Auto => 1,
            IndexUse::Yes => 1 + MOST_DAMAGED,
        };
        (0..attempts).find_map(|_| {
            let index = match uses {
                IndexUse::Yes => self.opened_or_built()?,
                IndexUse::Auto | IndexUse::No => self.opened()?,
            };
            let answer = question(&index);
            answer
                .inspect_err(|damaged| self.discard(&index, damaged, attempts > 1))
                .ok()
        })
    }

    /// The index, if it is in memory or kept, and is not being built.
    fn opened(&self) -> Option<Arc<Index>> {
        if self.is_building.load(Ordering::Acquire) {
            return None;
        }
        let made = self.made();
        let load = || self.load().map(Ok).ok_or(());
        // Another thread may have just started to build it: do not wait for that thread.
        made.get_or_make_within(MOST_PATIENCE, load)?
            .ok()?
            .as_ref()
            .ok()
            .cloned()
    }

    /// The index, opened or built. The log says why that failed.
    fn opened_or_built(&self) -> Option<Arc<Index>> {
        let made = self.made();
        let make = || {
            self.load_or_build(&|_| ())
                .inspect_err(|error| log::error!("{}: {error}", self.entry.name()))
        };
        made.get_or(make).as_ref().ok().cloned()
    }

    fn load(&self) -> Option<Arc<Index>> {
        Index::load(self.files()?, &self.entry).map(Arc::new)
    }

    fn load_or_build(&self, done: &(dyn Fn(u64) + Sync)) -> OpenedIndex {
        if let Some(loaded) = self.load() {
            return Ok(loaded);
        }
        let entry = &self.entry;
        self.read.store(0, Ordering::Relaxed);
        let _building = Underway::new(&self.is_building);
        let making = Making::begin("index of positions", entry.name(), entry.database.len().into());
        let done = |games| {
            self.read.fetch_add(games, Ordering::Relaxed);
            making.done(games);
            done(games);
        };
        // Its two passes over the games then read little more than the moves.
        {
            let making = Making::begin("lines of the games", entry.name(), entry.database.len().into());
            self.lines.make(self.options.threads, &|games| making.done(games));
        }
        let kept = self
            .files()
            .map(|files| Index::build(files, entry, self.options, &done));
        if self.is_distrusted.load(Ordering::Relaxed) {
            // If the index was forgotten while its file had no name, the file is still there.
            self.remove_file();
        }
        let kept = match kept {
            Some(Err(error)) if !matches!(error, IndexError::Changed) => {
                log::warn!("{}: {error}", entry.name());
                self.read.store(0, Ordering::Relaxed);
                None
            }
            kept => kept,
        };
        let not_kept = || Index::temporary(&entry.database.shared(), self.options, &done);
        kept.unwrap_or_else(not_kept).map(Arc::new).map_err(Arc::new)
    }

    /// Drops a damaged index and removes its file, unless another thread has done so already. Both happen under the
    /// lock, so that no thread loads the damaged file again.
    fn discard(&self, index: &Arc<Index>, damaged: &Damaged, is_built_again: bool) {
        let mut made = self.index.write();
        let is_own = |opened: &OpenedIndex| opened.as_ref().is_ok_and(|own| Arc::ptr_eq(own, index));
        if made.get().is_some_and(is_own) {
            let name = self.entry.name();
            if is_built_again {
                log::warn!("{name}: its index of positions is damaged: built again");
            } else {
                log::info!("{name}: {damaged}");
            }
            self.remove_file();
            self.damaged.fetch_add(1, Ordering::Relaxed);
            *made = Arc::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::Space;
    use crate::library::Library;
    use crate::lines::Occurrence;
    use crate::positions::Pattern;
    use std::cell::Cell;
    use std::fs;
    use std::path::Path;

    #[test]
    fn nothing_is_kept_of_a_database_that_is_distrusted_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.pgn");
        fs::write(&source, "1. e4 e5 *\n\n1. d4 d5 *\n\n1. e4 c5 *\n").unwrap();
        let library = Library::open(&source, &chessdb::Options::default()).unwrap();
        let cache = folder.path().join("cache");
        let kept = || {
            fs::read_dir(&cache)
                .unwrap()
                .flatten()
                .map(|file| file.file_name())
        };
        let keeping = || {
            let positions = Positions::new(&library.databases()[0], BuildOptions::default());
            positions.keep_in(&KeptFiles::open(&cache, "", Space::default()).unwrap());
            positions
        };
        let has = |kind: &str| {
            let is_of_kind = |name: std::ffi::OsString| Path::new(&name).extension() == Some(kind.as_ref());
            kept().any(is_of_kind)
        };
        // While the lines are written.
        let positions = keeping();
        positions.lines().make(1, &|_| positions.forget_kept());
        assert!(!has("lines"), "{:?}", kept().collect::<Vec<_>>());
        // While the index is built, and before it is.
        let positions = keeping();
        positions.build(&|_| positions.forget_kept()).unwrap();
        assert!(
            !has("positions") && !has("lines"),
            "{:?}",
            kept().collect::<Vec<_>>()
        );
        let positions = keeping();
        positions.forget_kept();
        positions.build(&|_| ()).unwrap();
        assert!(!has("positions"), "{:?}", kept().collect::<Vec<_>>());
        // Otherwise both are kept.
        keeping().build(&|_| ()).unwrap();
        assert!(
            has("positions") && has("lines"),
            "{:?}",
            kept().collect::<Vec<_>>()
        );
    }

    #[test]
    fn an_index_that_is_damaged_again_and_again_is_no_longer_kept() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.pgn");
        fs::write(&source, "1. e4 e5 *\n\n1. d4 d5 *\n\n1. e4 c5 *\n").unwrap();
        let library = Library::open(&source, &chessdb::Options::default()).unwrap();
        let cache = folder.path().join("cache");
        let positions = Positions::new(&library.databases()[0], BuildOptions::default());
        positions.keep_in(&KeptFiles::open(&cache, "", Space::default()).unwrap());
        let wanted = Pattern::of_moves("e4").unwrap();
        let is_index = |file: &fs::DirEntry| file.path().extension().is_some_and(|kind| kind == "positions");
        let kept = || fs::read_dir(&cache).unwrap().flatten().filter(is_index).count();
        let asked = Cell::new(0);
        let games = |found: Option<Vec<Occurrence>>| -> Vec<u32> {
            found.unwrap().iter().map(|occurrence| occurrence.game).collect()
        };
        let found = positions.ask(IndexUse::Yes, |index| {
            asked.set(asked.get() + 1);
            // Someone with write access to the folder damages every file that is kept in it.
            match kept() {
                0 => index.find(&wanted),
                _ => Err(Damaged),
            }
        });
        assert_eq!(games(found), [0, 2]);
        assert_eq!((asked.get(), kept()), (3, 0));
        // From now on, the index in memory answers.
        assert_eq!(
            games(positions.ask(IndexUse::Yes, |index| index.find(&wanted))),
            [0, 2]
        );
        assert_eq!(kept(), 0);
    }
}
