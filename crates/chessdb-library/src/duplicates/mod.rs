//! Duplicates: games with the same moves whose players and occasions do not contradict each other.
//!
//! One pass over all main lines finds a hash for each game. Games with the same hash are decoded once more, in the
//! order in which they are stored: comparing their moves, players and dates gives the groups.
//!
//! Games of at least ten half-moves with the same moves are in one group if they do not contradict each other in
//! - dates: known years, months or days that differ. They do not count in games of at least 40 half-moves with two
//!   known players, unless known rounds have different first numbers, or each of two known events has a word that the
//!   other lacks (apart from numbers of four digits and ordinals such as `12th` and `XII`);
//! - players of the same colour: known surnames, or known initials, that differ. The surname is before the comma;
//!   without a comma it may be the first word, the last one, all of them, or those before words of one letter: `Garry
//!   Kasparov` and `Kasparov G` agree with `Kasparov, Garry`. `NN`, `unknown`, `anonymous` and `?` are unknown. A game
//!   with a known player shares one with the first game of its group; games without any go together.
//!
//! In games of at least 40 half-moves one player may have another spelling, if the other one agrees and no known result,
//! part of the date or first number of the round differs: other given names (`Fischer, Bobby`), or surnames that differ
//! in at most a third of their letters (`Kortschnoj` and `Korchnoi`). Names with digits belong to programs, which play
//! the same game with several versions: they have no other spelling, and different numbers are different players. They also play the same game again, so
//! known dates and rounds that differ always count in their games (`2` and `2.10` agree, `3.3` and `3.5` differ).
//!
//! If a game fits several groups, a group where no date contradicts its own is preferred.
//!
//! Then games that were cut short join the group of the longer game: `cut.rs` has the rules.

mod cut;
mod group;
mod keep;
mod line;
mod occasion;
mod player;
mod seen;
mod worth;

use std::ops::Range;

use chessdb::Database;

use crate::parallel::chunks;
use crate::positions::LineEnd;
use rustc_hash::FxHashMap;
use seen::ComparedGame;

/// A game that has fewer plies is a duplicate only of a game with exactly the same tags.
pub const FEWEST_PLIES: u32 = 10;

/// A game with at least this number of plies can be the same as a game with the same moves and another date.
pub const LONG_PLIES: u32 = 40;

/// Number of games that are in memory at the same time to be compared, unless more have the same moves. Each takes
/// about 500 bytes.
const MOST_SEEN: usize = 200_000;

/// Number of games whose main lines are followed before their hashes are collected.
const BLOCK: u32 = 1 << 20;

/// The duplicates in some databases. Games are numbered from 0, database by database.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// The games of all groups, group by group. The best game of each group comes first, the longest one.
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
    /// Why it is the same game as the best one of its group; `None` for the best game itself.
    pub reason: Option<Reason>,
}

/// Why a game is the same as another one. In any case their players do not contradict each other and, except for the
/// last reason, their moves are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All tags, in a short game.
    Tags,
    /// The dates do not contradict each other.
    Date,
    /// The dates contradict each other, but there are many moves.
    Moves,
    /// It was cut short: its moves are the first ones of the best game.
    Shorter,
}

impl Reason {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Tags => "tags",
            Reason::Date => "date",
            Reason::Moves => "moves",
            Reason::Shorter => "shorter",
        }
    }
}

impl Duplicates {
    /// The memory that they take, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.duplicates) + size_of_val(&*self.starts)
    }

    /// Searches these databases with up to `threads` threads. The result is incomplete if their files change
    /// meanwhile.
    pub fn find(databases: &[&dyn Database], threads: usize) -> Duplicates {
        Duplicates::find_among(databases, threads, |_, _| true, |_| None)
    }

    /// Like [`Duplicates::find`], but only among games for which `is_shown` is true. Its arguments are the number of
    /// the database and the number of the game in it. `ends` returns the ends of a database's main lines if they are
    /// known.
    pub fn find_among<'a>(
        databases: &[&dyn Database],
        threads: usize,
        is_shown: impl Fn(usize, u32) -> bool + Sync,
        ends: impl Fn(usize) -> Option<&'a [LineEnd]>,
    ) -> Duplicates {
        let mut games = ComparedGames::new(databases);
        let hashed = hashed_games(&games, threads, is_shown, ends);
        let similar = cut::similar_games(&games, &hashed);
        let equal = equal_hashes(hashed);
        // If there is room for all these games, one pass reads everything that is compared.
        let all = equal.games.iter().map(|hashed| hashed.game);
        let all: Vec<u32> = all.chain(similar.iter().flatten().copied()).collect();
        if all.len() <= MOST_SEEN {
            games.see(all, threads);
        }
        let mut groups: Vec<Vec<Duplicate>> = Vec::new();
        for batch in equal.batches(MOST_SEEN) {
            games.see(
                batch.iter().flat_map(|run| equal.games_of(run)).collect(),
                threads,
            );
            let found = chunks(batch.len() as u32, threads, &|_| (), |runs| {
                let runs = batch.get(runs.start as usize..runs.end as usize);
                let runs = runs.unwrap_or_default().iter();
                let groups = runs.flat_map(|run| groups_of(&games, equal.games_of(run)));
                groups.collect::<Vec<Vec<Duplicate>>>()
            });
            groups.extend(found.into_iter().flatten());
        }
        drop(equal);
        cut::join(&mut games, &similar, &mut groups, threads);
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

    /// The games of each of the databases that are not deleted, and of each group only the best one, sorted.
    pub fn unique(&self, databases: &[&dyn Database]) -> Vec<Box<[u32]>> {
        let (redundant, mut first) = (self.redundant(), 0u32);
        let games_of = |database: &&dyn Database| {
            let before = first;
            first = first.saturating_add(database.len());
            let games = (0..database.len()).filter(|&game| {
                !database.keys(game).deleted && redundant.binary_search(&(before + game)).is_err()
            });
            games.collect()
        };
        databases.iter().map(games_of).collect()
    }

    /// The games that are not the best of their group, sorted.
    fn redundant(&self) -> Vec<u32> {
        let groups = self.starts.windows(2);
        let redundant = groups.flat_map(|bounds| {
            let redundant = self.duplicates.get(bounds[0] as usize + 1..bounds[1] as usize);
            redundant
                .unwrap_or_default()
                .iter()
                .map(|duplicate| duplicate.game)
        });
        let mut redundant: Vec<u32> = redundant.collect();
        redundant.sort_unstable();
        redundant
    }
}

/// The games of several databases, numbered consecutively.
struct ComparedGames<'a> {
    databases: &'a [&'a dyn Database],
    /// The number of the first game of each database.
    firsts: Vec<u32>,
    /// The games that are compared at present.
    seen: FxHashMap<u32, ComparedGame>,
}

impl<'a> ComparedGames<'a> {
    fn new(databases: &'a [&'a dyn Database]) -> ComparedGames<'a> {
        let mut next = 0u32;
        let firsts = databases.iter().map(|database| {
            let first = next;
            next = next.saturating_add(database.len());
            first
        });
        ComparedGames {
            firsts: firsts.collect(),
            databases,
            seen: FxHashMap::default(),
        }
    }

    /// Reads these games, unless all have been read, and drops the others.
    fn see(&mut self, mut wanted: Vec<u32>, threads: usize) {
        if !wanted.iter().all(|game| self.seen.contains_key(game)) {
            wanted.sort_unstable();
            wanted.dedup();
            self.seen = seen::read(self, &wanted, threads);
        }
    }

    /// The database of a game, and the number of the game in it.
    fn get(&self, game: u32) -> Option<(&'a dyn Database, u32)> {
        self.place(game).map(|(_, database, game)| (database, game))
    }

    /// The number of the database of a game, the database, and the number of the game in it.
    fn place(&self, game: u32) -> Option<(usize, &'a dyn Database, u32)> {
        let numbers = self.firsts.partition_point(|&first| first <= game);
        let number = numbers.checked_sub(1)?;
        Some((
            number,
            *self.databases.get(number)?,
            game - self.firsts.get(number)?,
        ))
    }
}

/// A game and hashes of its main line, as in [`LineEnd`].
#[derive(Clone, Copy)]
struct Hashed {
    hash: u64,
    game: u32,
    opening: u32,
}

/// The games that share their hash with others.
struct EqualHashes {
    games: Vec<Hashed>,
    runs: Vec<Range<u32>>,
}

impl EqualHashes {
    /// The runs in batches of at most `most` games, or of one run that has more.
    fn batches(&self, most: usize) -> Vec<&[Range<u32>]> {
        let (mut batches, mut rest) = (Vec::new(), self.runs.as_slice());
        while let Some(first) = rest.first() {
            let len = rest.partition_point(|run| (run.end - first.start) as usize <= most);
            let (batch, after) = rest.split_at(len.max(1));
            batches.push(batch);
            rest = after;
        }
        batches
    }

    fn games_of(&self, run: &Range<u32>) -> impl Iterator<Item = u32> {
        let run = self.games.get(run.start as usize..run.end as usize);
        run.unwrap_or_default().iter().map(|hashed| hashed.game)
    }
}

/// Follows all main lines. Games that are hidden or marked as deleted are left out. Sorted by hash, then by game.
fn hashed_games<'a>(
    games: &ComparedGames<'_>,
    threads: usize,
    is_shown: impl Fn(usize, u32) -> bool + Sync,
    ends: impl Fn(usize) -> Option<&'a [LineEnd]>,
) -> Vec<Hashed> {
    let mut hashed: Vec<Hashed> = Vec::new();
    for (number, (database, &first)) in games.databases.iter().zip(&games.firsts).enumerate() {
        let known = ends(number);
        let end_of = |game: u32| {
            let known = known.and_then(|known| known.get(game as usize));
            known.copied().unwrap_or_else(|| LineEnd::of(*database, game))
        };
        for start in (0..database.len()).step_by(BLOCK as usize) {
            let games = database.len().min(start.saturating_add(BLOCK)) - start;
            let found = chunks(games, threads, &|_| (), |range| {
                let games = range.map(|n| start + n);
                let kept = games.filter(|&game| is_shown(number, game) && !database.keys(game).deleted);
                let hashed = kept.map(|game| {
                    let LineEnd { hash, opening, .. } = end_of(game);
                    let game = first.saturating_add(game);
                    Hashed { hash, game, opening }
                });
                hashed.collect::<Vec<_>>()
            });
            hashed.reserve_exact(found.iter().map(Vec::len).sum());
            found.into_iter().for_each(|chunk| hashed.extend(chunk));
        }
    }
    hashed.sort_unstable_by_key(|hashed| (hashed.hash, hashed.game));
    hashed
}

/// The games that share their hash with others. Reuses the memory of the list of all games.
fn equal_hashes(mut hashed: Vec<Hashed>) -> EqualHashes {
    let mut runs = Vec::new();
    let (mut start, mut kept) = (0, 0);
    while let Some(first) = hashed.get(start) {
        let rest = hashed.get(start..).unwrap_or_default();
        let len = rest.iter().take_while(|other| other.hash == first.hash).count();
        if len > 1 {
            hashed.copy_within(start..start + len, kept);
            runs.push(kept as u32..(kept + len) as u32);
            kept += len;
        }
        start += len;
    }
    hashed.truncate(kept);
    hashed.shrink_to_fit();
    EqualHashes { games: hashed, runs }
}

/// The groups among games with the same hash.
fn groups_of(games: &ComparedGames<'_>, run: impl Iterator<Item = u32>) -> Vec<Vec<Duplicate>> {
    // Different lines have the same hash once in billions of games.
    let mut lines: Vec<(&line::ComparedLine, Vec<u32>)> = Vec::new();
    for game in run {
        let Some(ComparedGame { line, .. }) = games.seen.get(&game) else {
            continue;
        };
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
