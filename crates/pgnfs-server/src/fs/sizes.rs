//! Sizes of games, and problems found while decoding them.
//!
//! `tests/interleavings/counters.rs` runs all interleavings with loom's atomics.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::PoisonError;

use super::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use super::sync::{Mutex, MutexGuard};
use crate::tree::Games;
use chessdb::Problem;
use chessdb_library::library::on_one_line;

/// Number of games that a thread takes at a time.
const SHARE: u32 = 32;

/// Sizes and problems of all games of a database. A known size never changes.
pub(super) struct Sizes {
    games: u32,
    /// Length of each game's text in bytes; 0 if unknown, because no text is empty. Empty if `stored` is set.
    bytes: Vec<AtomicU32>,
    /// Returns the length of a game's text in bytes, if the database stores these lengths.
    stored: Option<StoredLen>,
    /// True if all games have been decoded to find their problems. Only used if `stored` is set.
    has_problems: AtomicBool,
    known: AtomicU32,
    /// The first game that no thread has taken for decoding.
    untaken: AtomicU64,
    /// Games with problems: their lines of `problems.txt` without the game number and with a tab after the name of
    /// the file, separated by line feeds.
    rows: Mutex<BTreeMap<u32, Box<str>>>,
}

impl Sizes {
    /// A table without any known size.
    pub(super) fn new(games: u32) -> Sizes {
        Sizes {
            games,
            bytes: (0..games).map(|_| AtomicU32::new(0)).collect(),
            stored: None,
            has_problems: AtomicBool::new(false),
            known: AtomicU32::new(0),
            untaken: AtomicU64::new(0),
            rows: Mutex::new(BTreeMap::new()),
        }
    }

    /// A table of known sizes, which the database stores. No problem is known yet.
    pub(super) fn stored(games: u32, len: StoredLen) -> Sizes {
        Sizes {
            games,
            known: AtomicU32::new(games),
            stored: Some(len),
            ..Sizes::new(0)
        }
    }

    /// The number of games.
    pub(super) fn games(&self) -> u32 {
        self.games
    }

    /// The number of games whose size is known.
    pub(super) fn known(&self) -> u32 {
        self.known.load(Ordering::Acquire)
    }

    /// The size of a game's text.
    pub(super) fn get(&self, game: u32) -> Option<u32> {
        if let Some(len) = &self.stored {
            return Some(len(game)).filter(|_| game < self.games);
        }
        let bytes = self.bytes.get(game as usize)?.load(Ordering::Acquire);
        (bytes != 0).then_some(bytes)
    }

    /// Records size and problems of a decoded game. Returns false if a different size is known already.
    pub(super) fn record(&self, game: u32, size: usize, problems: &[Problem]) -> bool {
        let Ok(size) = u32::try_from(size) else {
            return false;
        };
        if let Some(known) = self.get(game) {
            return known == size;
        }
        if problems.is_empty() {
            return self.set(game, size).is_none_or(|known| known == size);
        }
        let rows = rows_of(problems);
        // The lock is acquired before the size is published: a thread that sees the size and then reads the
        // problems waits for it.
        let mut all = self.rows();
        let known = self.set(game, size);
        if known.is_none() {
            all.insert(game, rows);
        }
        known.is_none_or(|known| known == size)
    }

    /// Records sizes from a file, where 0 means unknown, and lines of problems. Returns false if a game is known to
    /// have a different size; then nothing is recorded, unless that size became known during this call.
    pub(super) fn fill(&self, sizes: impl Iterator<Item = u32> + Clone, rows: &[(u32, &str)]) -> bool {
        let pairs = || {
            (0..self.games())
                .zip(sizes.clone())
                .filter(|(_, size)| *size != 0)
        };
        if pairs().any(|(game, size)| self.get(game).is_some_and(|known| known != size)) {
            return false;
        }
        let mut all = self.rows();
        let others: Vec<u32> = pairs()
            .filter(|&(game, size)| self.set(game, size).is_some_and(|known| known != size))
            .map(|(game, _)| game)
            .collect();
        let rows = rows.iter().filter(|(game, _)| !others.contains(game));
        all.extend(rows.map(|&(game, rows)| (game, rows.into())));
        others.is_empty()
    }

    /// Sets an unknown size. Returns the size if it is known already, and 0 if the game does not exist.
    fn set(&self, game: u32, size: u32) -> Option<u32> {
        let Some(slot) = self.bytes.get(game as usize) else {
            return Some(0);
        };
        let set = slot.compare_exchange(0, size, Ordering::AcqRel, Ordering::Acquire);
        if set.is_ok() {
            self.known.fetch_add(1, Ordering::AcqRel);
        }
        set.err()
    }

    /// True if all sizes are known.
    pub(super) fn are_complete(&self) -> bool {
        self.known() == self.games()
    }

    /// True if all problems are known. Decoding determines sizes and problems together, unless the database
    /// stores the sizes.
    pub(super) fn have_problems(&self) -> bool {
        match self.stored {
            None => self.are_complete(),
            Some(_) => self.has_problems.load(Ordering::Acquire),
        }
    }

    /// True if the database stores the sizes, so that no game is decoded for them.
    pub(super) fn are_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Records the problems of a game whose size the database stores.
    pub(super) fn record_problems(&self, game: u32, problems: &[Problem]) {
        if !problems.is_empty() {
            self.rows().insert(game, rows_of(problems));
        }
    }

    /// Marks the problems of all games as known.
    pub(super) fn complete_problems(&self) {
        self.has_problems.store(true, Ordering::Release);
    }

    /// Number of problems of the games decoded so far.
    pub(super) fn problem_count(&self) -> usize {
        self.rows().values().map(|rows| rows.lines().count()).sum()
    }

    /// Sum of the sizes of `games` in bytes; `None` if one is unknown.
    pub(super) fn sum(&self, games: &Games<'_>) -> Option<u64> {
        games.iter().map(|game| self.get(game).map(u64::from)).sum()
    }

    /// The games whose size is unknown.
    pub(super) fn missing(&self, games: &Games<'_>) -> Vec<u32> {
        games.iter().filter(|&game| self.get(game).is_none()).collect()
    }

    /// Number of shares that [`Sizes::take_share`] returns in total.
    pub(super) fn shares(&self) -> usize {
        self.games().div_ceil(SHARE) as usize
    }

    /// The next games for a thread that helps to decode all games. Each game is returned once; `None` at the
    /// end.
    pub(super) fn take_share(&self) -> Option<Range<u32>> {
        self.share_from(&self.untaken)
    }

    /// The next games after those that the counter has passed; `None` at the end.
    pub(super) fn share_from(&self, untaken: &AtomicU64) -> Option<Range<u32>> {
        let games = self.games();
        let start = untaken.fetch_add(SHARE.into(), Ordering::Relaxed);
        let start = u32::try_from(start).ok().filter(|&start| start < games)?;
        Some(start..start.saturating_add(SHARE).min(games))
    }

    /// Calls `each` with each problem of the games decoded so far, in database order: the game, the file, and the rest
    /// of the line in `problems.txt`.
    pub(super) fn each_problem(&self, mut each: impl FnMut(u32, &str, &str)) {
        self.each_row(|game, rows| {
            for row in rows.lines() {
                let (file, rest) = row.split_once('\t').unwrap_or((row, ""));
                each(game, file, rest);
            }
        });
    }

    /// Calls `each` for each game with known problems, in database order, with its rows as a size file has them.
    pub(super) fn each_row(&self, mut each: impl FnMut(u32, &str)) {
        for (&game, rows) in self.rows().iter() {
            each(game, rows);
        }
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<u32, Box<str>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the length of a game's text in bytes.
pub(super) type StoredLen = Box<dyn Fn(u32) -> u32 + Send + Sync>;

/// The lines of `problems.txt` for one game, without its number and with a tab after the name of the file.
fn rows_of(problems: &[Problem]) -> Box<str> {
    let rows = problems.iter().map(|problem| {
        let row = problem.to_string();
        let rest = row.strip_prefix(&problem.file).unwrap_or(&row);
        format!("{}\t{}", on_one_line(&problem.file), on_one_line(rest))
    });
    rows.collect::<Vec<_>>().join("\n").into()
}
