//! Queries about the positions of a database, answered by its index, which is opened or built on first use.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use lru::LruCache;

use super::names::game_path;
use super::ply::AtPly;
use crate::library::LibraryEntry;
use crate::positions::{
    BuildOptions, Damaged, Found, Index, IndexError, IndexFiles, Pattern, Rights, Wanted, novelties_csv,
};
use chessdb::board::{Move, Position};

/// Maximum number of games of all kept positions together; each takes four bytes.
const MOST_KEPT: usize = 16 << 20;

/// Maximum number of positions that are kept.
const MOST_POSITIONS: usize = 1024;

/// The positions of a database.
pub struct Positions {
    entry: Arc<LibraryEntry>,
    options: BuildOptions,
    files: OnceLock<IndexFiles>,
    /// Locked while the index is built, so other threads wait for it.
    index: Mutex<Option<Arc<Index>>>,
    is_ready: AtomicBool,
    has_failed: AtomicBool,
    is_building: AtomicBool,
    /// Number of games read for the index that is being built.
    read: AtomicU64,
    kept: Mutex<Kept>,
}

/// Sets a flag until it is dropped, also by a panic.
struct Building<'a>(&'a AtomicBool);

impl<'a> Building<'a> {
    fn new(flag: &'a AtomicBool) -> Building<'a> {
        flag.store(true, Ordering::Release);
        Building(flag)
    }
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
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

/// A position that some game has.
pub(super) struct FoundPosition {
    pub(super) pattern: Pattern,
    /// The ply at which the first of the games has it.
    pub(super) at: AtPly,
    /// All games that have it, in database order.
    pub(super) games: Arc<[u32]>,
    /// Each move played in the position, with the ply after it in the first game that has the move.
    pub(super) next: Vec<(Move, AtPly)>,
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
            read: AtomicU64::new(0),
            kept: Mutex::new(Kept::new()),
        }
    }

    /// Makes the index load from a file and save to it.
    pub fn keep_in(&self, files: &IndexFiles) {
        self.files.get_or_init(|| files.clone());
    }

    /// True if the index is in memory, so `Positions::ask` need not open or build it.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// True if the index can be neither opened nor built; the log says why.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// The state of the index. Does not wait.
    pub fn state(&self) -> IndexState {
        match self.is_building.load(Ordering::Acquire) {
            true => IndexState::Building {
                read: self.read.load(Ordering::Relaxed),
            },
            false if self.is_ready() => IndexState::Ready,
            false if self.has_failed() => IndexState::Failed,
            false => IndexState::Unused,
        }
    }

    /// Opens or builds the index ahead of the first query.
    pub fn prepare(&self) {
        self.index();
    }

    /// Answers a question from the index. Replaces a damaged index by a new one. `None` if there is no index.
    pub(super) fn ask<T>(&self, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        let index = self.index()?;
        question(&index).ok().or_else(|| {
            self.discard(&index);
            question(&*self.index()?).ok()
        })
    }

    /// The index, opened or built.
    fn index(&self) -> Option<Arc<Index>> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if index.is_none() && !self.has_failed() {
            *index = self.open().map(Arc::new);
            self.is_ready.store(index.is_some(), Ordering::Release);
            self.has_failed.store(index.is_none(), Ordering::Release);
        }
        index.clone()
    }

    fn open(&self) -> Option<Index> {
        let loaded = self.files.get().and_then(|files| files.load(&self.entry));
        loaded.or_else(|| {
            self.read.store(0, Ordering::Relaxed);
            let _building = Building::new(&self.is_building);
            self.build()
        })
    }

    fn build(&self) -> Option<Index> {
        let entry = &self.entry;
        let done = |games| {
            self.read.fetch_add(games, Ordering::Relaxed);
        };
        let built = self
            .files
            .get()
            .map(|files| files.build(entry, self.options, &done));
        let built = match built {
            Some(Err(error)) if !matches!(error, IndexError::Changed) => {
                log::warn!("{}: {error}", entry.name());
                self.read.store(0, Ordering::Relaxed);
                None
            }
            built => built,
        };
        let in_memory = || Index::in_memory(&entry.database, self.options, &done);
        let built = built.unwrap_or_else(in_memory);
        built
            .inspect_err(|error| log::error!("{}: {error}", entry.name()))
            .ok()
    }

    /// Drops a damaged index, unless another thread has replaced it already.
    fn discard(&self, damaged: &Arc<Index>) {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if index.as_ref().is_some_and(|index| Arc::ptr_eq(index, damaged)) {
            log::warn!(
                "{}: its index of positions is damaged: built again",
                self.entry.name()
            );
            self.files.get().inspect(|files| files.remove(&self.entry));
            self.is_ready.store(false, Ordering::Release);
            *index = None;
        }
    }

    /// A position; `None` if no game has it.
    pub(super) fn find(&self, pattern: Pattern) -> Option<Arc<FoundPosition>> {
        let games = self.ask(|index| index.find(&Wanted::Position(pattern)))?;
        let first = games.first()?;
        let at = AtPly {
            game: first.game,
            ply: first.ply,
        };
        let found = Arc::new(FoundPosition {
            pattern,
            at,
            next: next_moves(&games),
            games: games.iter().map(|found| found.game).collect(),
        });
        self.kept().put(&found);
        Some(found)
    }

    /// True if some game has a position; `None` if there is no index.
    pub(super) fn has(&self, pattern: Pattern) -> Option<bool> {
        self.ask(|index| Ok(index.count(&Wanted::Position(pattern))? > 0))
    }

    /// The position of a game after some moves; `None` if the game has fewer moves.
    pub(super) fn position(&self, AtPly { game, ply }: AtPly) -> Option<Position> {
        let (position, _) = self.ask(|index| Ok(index.at(game, ply)))??;
        Some(position)
    }

    /// The position whose first occurrence, in its first game, is at this ply, if these rights count. `None` if the
    /// position there occurs earlier in this game, or in an earlier game.
    pub(super) fn at(&self, at: AtPly, rights: Rights) -> Option<Arc<FoundPosition>> {
        if let Some(found) = self.kept().positions.get(&(at, rights)) {
            return Some(Arc::clone(found));
        }
        let pattern = Pattern::new(self.position(at)?).with_rights(rights);
        self.find(pattern).filter(|found| found.at == at)
    }

    /// True if [`Positions::at`] need not search for the position.
    pub(super) fn is_kept(&self, place: (AtPly, Rights)) -> bool {
        self.kept().positions.contains(&place)
    }

    /// `moves.csv` of a position.
    pub(super) fn moves_table(&self, pattern: &Pattern) -> Option<String> {
        let table = self.ask(|index| index.moves(pattern))?;
        let games = self.entry.database.len();
        Some(table.csv(|row| row.game.map(|game| game_path(game, games))))
    }

    /// `novelties.csv`
    pub(super) fn novelties(&self) -> Option<String> {
        let novelties = self.ask(|index| index.novelties(&|_| ()))?;
        let database = &*self.entry.database;
        Some(novelties_csv(database, &novelties, |game| {
            game_path(game, database.len())
        }))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The moves played in a position, each once with the ply after it.
fn next_moves(games: &[Found]) -> Vec<(Move, AtPly)> {
    let mut moves: Vec<(Move, AtPly)> = Vec::new();
    for found in games {
        if let Some(mv) = found
            .next
            .filter(|&mv| moves.iter().all(|&(known, _)| known != mv))
        {
            let after = AtPly {
                game: found.game,
                ply: found.ply + 1,
            };
            moves.push((mv, after));
        }
    }
    moves
}

/// The most recently used positions.
struct Kept {
    positions: LruCache<(AtPly, Rights), Arc<FoundPosition>>,
    /// Number of games of all positions together.
    games: usize,
}

impl Kept {
    fn new() -> Kept {
        Kept {
            positions: LruCache::unbounded(),
            games: 0,
        }
    }

    fn put(&mut self, found: &Arc<FoundPosition>) {
        let place = (found.at, found.pattern.rights());
        self.games += found.games.len();
        if let Some(before) = self.positions.put(place, Arc::clone(found)) {
            self.games -= before.games.len();
        }
        while self.games > MOST_KEPT || self.positions.len() > MOST_POSITIONS {
            let Some((_, oldest)) = self.positions.pop_lru() else {
                break;
            };
            self.games -= oldest.games.len();
        }
    }
}
