//! Sizes of games, and problems found while decoding them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::formats::Problem;
use crate::library::GameText;

/// What decoding a game told, for all games of a database. A size once known never changes.
pub(super) struct Sizes {
    /// Bytes of each game's text; 0 while unknown, since no text is empty.
    bytes: Vec<AtomicU32>,
    known: AtomicU32,
    problems: Mutex<BTreeMap<u32, Vec<Problem>>>,
}

impl Sizes {
    /// A table in which nothing is known.
    pub(super) fn new(games: u32) -> Sizes {
        Sizes {
            bytes: (0..games).map(|_| AtomicU32::new(0)).collect(),
            known: AtomicU32::new(0),
            problems: Mutex::new(BTreeMap::new()),
        }
    }

    /// The size of a game's text.
    pub(super) fn get(&self, game: u32) -> Option<u32> {
        let bytes = self.bytes.get(game as usize)?.load(Ordering::Acquire);
        (bytes != 0).then_some(bytes)
    }

    /// Takes down what decoding a game told. False where its text is not as long as it was before.
    pub(super) fn record(&self, game: u32, text: &GameText) -> bool {
        let (Some(slot), Ok(size)) = (self.bytes.get(game as usize), u32::try_from(text.pgn.len())) else {
            return false;
        };
        let known = slot.load(Ordering::Acquire);
        if known != 0 {
            return known == size;
        }
        // Whoever knows the size may rely on the problems being here.
        if !text.problems.is_empty() {
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.insert(game, text.problems.clone());
        }
        match slot.compare_exchange(0, size, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                self.known.fetch_add(1, Ordering::AcqRel);
                true
            }
            Err(known) => known == size,
        }
    }

    /// True when all sizes are known, and so all problems.
    pub(super) fn are_complete(&self) -> bool {
        self.known() as usize == self.bytes.len()
    }

    /// Number of games whose size is known.
    pub(super) fn known(&self) -> u32 {
        self.known.load(Ordering::Acquire)
    }

    /// Number of problems of the games decoded so far.
    pub(super) fn problem_count(&self) -> usize {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.values().map(Vec::len).sum()
    }

    /// Bytes of all texts together; none while one is unknown.
    pub(super) fn sum(&self, games: Games<'_>) -> Option<u64> {
        games.iter().map(|game| self.get(game).map(u64::from)).sum()
    }

    /// The games whose size is unknown.
    pub(super) fn missing(&self, games: Games<'_>) -> Vec<u32> {
        games.iter().filter(|&game| self.get(game).is_none()).collect()
    }

    /// The problems of all games decoded so far, in database order.
    pub(super) fn problems(&self) -> Vec<(u32, Problem)> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        let of_game = |(&game, problems): (&u32, &Vec<Problem>)| {
            let problems = problems.iter().map(|problem| (game, problem.clone()));
            problems.collect::<Vec<_>>()
        };
        problems.iter().flat_map(of_game).collect()
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
