//! Duplicates: games with the same moves whose players and dates do not contradict each other.
//!
//! One pass over all main lines finds a hash for each game. Games with equal hashes are decoded once more: their
//! moves, players and dates are compared, which gives the groups.

mod group;
mod line;
mod player;
mod worth;

use std::ops::Range;

use chessdb::formats::Database;

use crate::parallel::chunks;
use line::{hash_of, line_of};

/// A game that has fewer plies is a duplicate only of a game with exactly the same tags.
pub const FEWEST_PLIES: u32 = 10;

/// The duplicates in some databases. Games are numbered from 0, database by database.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// The games of all groups, group by group. The best game of each group comes first.
    duplicates: Vec<Duplicate>,
    /// Index of the first game of each group, sorted by the numbers of their first games. The last entry is the number of all.
    starts: Vec<u32>,
}

/// A game that has duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The game.
    pub game: u32,
    /// Number of moves of its main line.
    pub plies: u32,
    /// Number of its comments, glyphs and variations.
    pub annotations: u32,
}

impl Duplicates {
    /// Searches these databases with up to `threads` threads. The result is incomplete if their files change
    /// meanwhile.
    pub fn find(databases: &[&dyn Database], threads: usize) -> Duplicates {
        let games = Games::new(databases);
        let equal = equal_hashes(&games, threads);
        let groups = chunks(equal.runs.len() as u32, threads, &|_| (), |runs| {
            let runs = equal.runs.get(runs.start as usize..runs.end as usize);
            let runs = runs.unwrap_or_default().iter();
            let groups = runs.flat_map(|run| groups_of(&games, equal.games_of(run)));
            groups.collect::<Vec<Vec<Duplicate>>>()
        });
        let mut groups = groups.concat();
        groups.sort_unstable_by_key(|group| group.iter().map(|duplicate| duplicate.game).min());
        let mut found = Duplicates {
            starts: vec![0],
            ..Duplicates::default()
        };
        for group in groups {
            found.duplicates.extend(group);
            found.starts.push(found.duplicates.len() as u32);
        }
        found
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of games in all groups together.
    pub fn len(&self) -> usize {
        self.duplicates.len()
    }

    /// True if no game has a duplicate.
    pub fn is_empty(&self) -> bool {
        self.duplicates.is_empty()
    }

    /// The nth game, counted over all groups: its group, the best game of this group, and the game itself.
    pub fn get(&self, n: usize) -> Option<(usize, Duplicate, Duplicate)> {
        let duplicate = *self.duplicates.get(n)?;
        let group = self.starts.partition_point(|&start| start as usize <= n) - 1;
        let best = *self.duplicates.get(*self.starts.get(group)? as usize)?;
        Some((group, best, duplicate))
    }

    /// The games that are not the best of their group, sorted.
    pub fn lesser(&self) -> Vec<u32> {
        let groups = self.starts.windows(2);
        let lesser = groups.flat_map(|bounds| {
            let lesser = self.duplicates.get(bounds[0] as usize + 1..bounds[1] as usize);
            lesser.unwrap_or_default().iter().map(|duplicate| duplicate.game)
        });
        let mut lesser: Vec<u32> = lesser.collect();
        lesser.sort_unstable();
        lesser
    }
}

/// The games of several databases, numbered consecutively.
struct Games<'a> {
    databases: &'a [&'a dyn Database],
    /// The number of the first game of each database.
    firsts: Vec<u32>,
}

impl<'a> Games<'a> {
    fn new(databases: &'a [&'a dyn Database]) -> Games<'a> {
        let mut next = 0u32;
        let firsts = databases.iter().map(|database| {
            let first = next;
            next = next.saturating_add(database.len());
            first
        });
        Games {
            firsts: firsts.collect(),
            databases,
        }
    }

    /// The database of a game, and the number of the game in it.
    fn get(&self, game: u32) -> Option<(&'a dyn Database, u32)> {
        let place = self
            .firsts
            .partition_point(|&first| first <= game)
            .checked_sub(1)?;
        Some((*self.databases.get(place)?, game - self.firsts.get(place)?))
    }
}

/// A game and a hash of its main line.
#[derive(Clone, Copy)]
struct Hashed {
    hash: u64,
    game: u32,
}

/// The games that share their hash with others.
struct EqualHashes {
    games: Vec<Hashed>,
    runs: Vec<Range<u32>>,
}

impl EqualHashes {
    fn games_of(&self, run: &Range<u32>) -> impl Iterator<Item = u32> {
        let run = self.games.get(run.start as usize..run.end as usize);
        run.unwrap_or_default().iter().map(|hashed| hashed.game)
    }
}

/// Finds the games that share their hash with others. Games marked as deleted are left out.
fn equal_hashes(games: &Games<'_>, threads: usize) -> EqualHashes {
    let mut hashed: Vec<Hashed> = Vec::new();
    for (database, &first) in games.databases.iter().zip(&games.firsts) {
        let found = chunks(database.len(), threads, &|_| (), |range| {
            let kept = range.filter(|&game| !database.keys(game).deleted);
            let hashed = kept.map(|game| Hashed {
                hash: hash_of(*database, game),
                game: first.saturating_add(game),
            });
            hashed.collect::<Vec<_>>()
        });
        hashed.reserve(found.iter().map(Vec::len).sum());
        found.into_iter().for_each(|chunk| hashed.extend(chunk));
    }
    hashed.sort_unstable_by_key(|hashed| (hashed.hash, hashed.game));
    let mut equal = Vec::new();
    let mut runs = Vec::new();
    for run in hashed
        .chunk_by(|a, b| a.hash == b.hash)
        .filter(|run| run.len() > 1)
    {
        let start = equal.len() as u32;
        equal.extend_from_slice(run);
        runs.push(start..equal.len() as u32);
    }
    EqualHashes { games: equal, runs }
}

/// The groups among games with equal hashes.
fn groups_of(games: &Games<'_>, run: impl Iterator<Item = u32>) -> Vec<Vec<Duplicate>> {
    // Different lines have equal hashes once in billions of games.
    let mut lines: Vec<(line::Line, Vec<u32>)> = Vec::new();
    for game in run {
        let Some((database, own)) = games.get(game) else {
            continue;
        };
        let line = line_of(database, own);
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, same)) => same.push(game),
            None => lines.push((line, vec![game])),
        }
    }
    let mut groups = Vec::new();
    for (line, same) in lines {
        let plies = line.plies();
        for group in group::groups(games, &same, plies) {
            groups.push(worth::best_first(games, &group, plies));
        }
    }
    groups
}
