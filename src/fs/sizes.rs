//! Sizes of games, and problems found while decoding them.
//!
//! `tests/counters.rs` plays every order of the steps with loom's atomics.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::PoisonError;

use super::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use super::sync::{Mutex, MutexGuard};
use crate::library::on_one_line;
use chessdb::formats::Problem;

/// Games that a thread takes at a time.
const SHARE: u32 = 32;

/// What decoding a game told, for all games of a database. A size once known never changes.
pub(super) struct Sizes {
    /// Bytes of each game's text; 0 while unknown, since no text is empty.
    bytes: Vec<AtomicU32>,
    known: AtomicU32,
    /// The first game that nobody has taken to decode it.
    untaken: AtomicU64,
    /// Games with problems: their rows of `problems.txt` without the number, with line feeds between them.
    rows: Mutex<BTreeMap<u32, Box<str>>>,
}

impl Sizes {
    /// A table in which nothing is known.
    pub(super) fn new(games: u32) -> Sizes {
        Sizes {
            bytes: (0..games).map(|_| AtomicU32::new(0)).collect(),
            known: AtomicU32::new(0),
            untaken: AtomicU64::new(0),
            rows: Mutex::new(BTreeMap::new()),
        }
    }

    /// The number of games.
    pub(super) fn games(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// The number of games whose size is known.
    pub(super) fn known(&self) -> u32 {
        self.known.load(Ordering::Acquire)
    }

    /// The size of a game's text.
    pub(super) fn get(&self, game: u32) -> Option<u32> {
        let bytes = self.bytes.get(game as usize)?.load(Ordering::Acquire);
        (bytes != 0).then_some(bytes)
    }

    /// Takes down what decoding a game told. False where its text is not as long as it was before.
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
        let rows: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let rows: Vec<_> = rows.iter().map(|row| on_one_line(row)).collect();
        let rows = rows.join("\n").into();
        // A thread that finds the size waits for this lock, and so finds the problems that belong to it.
        let mut all = self.rows();
        let known = self.set(game, size);
        if known.is_none() {
            all.insert(game, rows);
        }
        known.is_none_or(|known| known == size)
    }

    /// Takes down sizes that are known from elsewhere, 0 standing for an unknown one, and rows of problems. False where
    /// a game is known to have another size: nothing is taken down then, unless that size became known in the middle of
    /// this.
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

    /// Sets a size that is unknown. Gives the size that is known already, if any, and 0 for a game that is none.
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

    /// True when all sizes are known, and so all problems.
    pub(super) fn are_complete(&self) -> bool {
        self.known() == self.games()
    }

    /// Number of problems of the games decoded so far.
    pub(super) fn problem_count(&self) -> usize {
        self.rows().values().map(|rows| rows.lines().count()).sum()
    }

    /// Bytes of all texts together; none while one is unknown.
    pub(super) fn sum(&self, games: Games<'_>) -> Option<u64> {
        games.iter().map(|game| self.get(game).map(u64::from)).sum()
    }

    /// The games whose size is unknown.
    pub(super) fn missing(&self, games: Games<'_>) -> Vec<u32> {
        games.iter().filter(|&game| self.get(game).is_none()).collect()
    }

    /// How many shares [`Sizes::take_share`] gives in all.
    pub(super) fn shares(&self) -> usize {
        self.games().div_ceil(SHARE) as usize
    }

    /// The next games for a thread that decodes all; each game is given once. None when all were given.
    pub(super) fn take_share(&self) -> Option<Range<u32>> {
        let games = self.games();
        let start = self.untaken.fetch_add(SHARE.into(), Ordering::Relaxed);
        let start = u32::try_from(start).ok().filter(|&start| start < games)?;
        Some(start..start.saturating_add(SHARE).min(games))
    }

    /// Gives the rows of `problems.txt` of each game with problems that was decoded so far, in database order, with
    /// line feeds between them.
    pub(super) fn each_row(&self, mut each: impl FnMut(u32, &str)) {
        for (&game, rows) in self.rows().iter() {
            each(game, rows);
        }
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<u32, Box<str>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Games whose texts stand one behind the other in a file.
#[derive(Clone, Copy)]
pub(super) enum Games<'a> {
    /// All games of a database of so many.
    All(u32),
    /// Some of them.
    Listed(&'a [u32]),
}

impl<'a> Games<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            Games::All(games) => games as usize,
            Games::Listed(games) => games.len(),
        }
    }

    pub(super) fn get(self, n: usize) -> Option<u32> {
        match self {
            Games::All(games) => u32::try_from(n).ok().filter(|&game| game < games),
            Games::Listed(games) => games.get(n).copied(),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.len()).map_while(move |n| self.get(n))
    }
}
