//! Duplicates: games with the same moves whose players and occasions do not contradict each other.
//!
//! One pass over all main lines finds a hash for each game. A second one, in the order in which the games are stored,
//! reads what is compared of the games that share their hash: in any other order, each game of a compressed file might
//! have to unpack everything in front of it. Sorted by their lines, these games give the groups.
//!
//! Both passes write records of one length. The records of many games go to temporary files, in parts that are then read
//! one by one, so memory grows with the number of games only by the groups that are found.
//!
//! Games of at least ten half-moves with the same moves are in one group if they do not contradict each other in
//! - dates: known years, months or days that differ. They do not count in games of at least 40 half-moves with two
//!   known players, unless known rounds have different first numbers, or each of two known events has a word that the
//!   other lacks (apart from numbers of four digits and ordinals such as `12th` and `XII`);
//! - players of the same colour: known surnames, or known initials, that differ. The surname is before the comma;
//!   without a comma it may be the first word, the last one, all of them, or the words in front of a single letter: `Garry
//!   Kasparov` and `Kasparov G` agree with `Kasparov, Garry`. `NN`, `unknown`, `anonymous` and `?` are unknown. A game
//!   with a known player has a player in common with the first game of its group; games without known players go
//!   together.
//!
//! In games of at least 40 half-moves one player may have another spelling, if the other one agrees and no known result,
//! part of the date or first number of the round differs: other given names (`Fischer, Bobby`), or surnames that differ
//! in at most a third of their letters (`Kortschnoj` and `Korchnoi`). Names with digits belong to programs, which play
//! the same game with several versions: they have no other spelling, and different numbers are different players. They
//! also play the same game again, so known dates and rounds that differ always count in their games (`2` and `2.10`
//! agree, `3.3` and `3.5` differ).
//!
//! If a game fits several groups, a group where no date contradicts its own is preferred.
//!
//! Then games that were cut short join the group of the longer game: `cut.rs` has the rules.

mod compared;
mod cut;
mod group;
mod keep;
mod line;
mod occasion;
mod player;
mod seen;
mod worth;

use chessdb::Database;

pub use compared::ComparedDatabase;
use compared::ComparedGames;

/// A game that has fewer plies is a duplicate only of a game with exactly the same tags.
pub const FEWEST_PLIES: u32 = 10;

/// A game with at least this number of plies can be the same as a game with the same moves and another date.
pub const LONG_PLIES: u32 = 40;

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

/// Why two games are the same. In any case their players do not contradict each other and, except for the last reason,
/// their moves are the same.
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
        let databases = databases.iter().map(|&database| ComparedDatabase {
            database,
            lines: None,
            ends: None,
        });
        Duplicates::find_among(&databases.collect::<Vec<_>>(), threads, |_, _| true)
    }

    /// Like [`Duplicates::find`], but only among games for which `is_shown` is true. Its arguments are the number of
    /// the database and the number of the game in it.
    pub fn find_among(
        databases: &[ComparedDatabase<'_>],
        threads: usize,
        is_shown: impl Fn(usize, u32) -> bool + Sync,
    ) -> Duplicates {
        ComparedGames::new(databases).find(threads, &is_shown)
    }

    /// The groups of these members.
    fn of(mut members: Vec<Member>) -> Duplicates {
        members.sort_unstable_by_key(|Member { group, duplicate }| {
            (*group, duplicate.reason.is_some(), duplicate.game)
        });
        let groups = members.chunk_by(|a, b| a.group == b.group);
        let ends = groups.scan(0, |end, group| {
            *end += group.len() as u32;
            Some(*end)
        });
        Duplicates {
            starts: std::iter::once(0).chain(ends).collect(),
            duplicates: members.into_iter().map(|member| member.duplicate).collect(),
        }
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
        let mut redundant = redundant.into_iter().peekable();
        let games_of = |database: &&dyn Database| {
            let before = first;
            first = first.saturating_add(database.len());
            let games = (0..database.len()).filter(|&game| {
                let is_redundant = redundant.next_if_eq(&before.saturating_add(game)).is_some();
                !is_redundant && !database.keys(game).deleted
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

/// A game of a group.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The first game of the group.
    group: u32,
    /// The best one of the group has no reason.
    duplicate: Duplicate,
}
