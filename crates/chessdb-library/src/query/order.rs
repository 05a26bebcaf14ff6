//! The order of games that answer a query.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{ControlFlow, Range};

use crate::parallel::chunks_of;
use crate::positions::Facts;
use chessdb::Database;

/// Number of games that a thread takes at a time.
const FEW: u32 = 256;

/// What games are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// The date; the earliest comes first.
    Date,
    /// The sum of the known ratings; the highest comes first.
    Elo,
    /// The number of half-moves of the main line; the fewest come first.
    Length,
}

/// The order in which games are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListOrder {
    /// The sort key; `None` for the order of the databases.
    pub key: Option<SortKey>,
    /// True for the other end first. Unknown values come last in any case.
    pub is_reversed: bool,
}

impl From<SortKey> for ListOrder {
    /// By the key, not reversed.
    fn from(key: SortKey) -> ListOrder {
        ListOrder {
            key: Some(key),
            is_reversed: false,
        }
    }
}

/// Number of games whose values are in memory at the same time. Of earlier blocks, only the games up to the nearer end
/// of the list are kept.
const BLOCK: u32 = 1 << 20;

/// More than any sum of two ratings. Sums are subtracted from it, because the lowest value comes first.
const HIGHEST: u32 = 1 << 17;

/// Replaces an unknown value, which always comes last.
const UNKNOWN: u32 = u32::MAX;

impl ListOrder {
    /// Puts games in this order. They must be in the order of the databases; `game` finds each in its database.
    pub fn arrange<'a, T: Clone + Sync>(
        self,
        games: &mut Vec<T>,
        game: impl Fn(&T) -> (&'a dyn Database, u32) + Sync,
        threads: usize,
    ) {
        self.arrange_first(usize::MAX, games, game, threads);
    }

    /// The same as [`ListOrder::arrange`], and leaves out all but the first `most` games.
    pub fn arrange_first<'a, T: Clone + Sync>(
        self,
        most: usize,
        games: &mut Vec<T>,
        game: impl Fn(&T) -> (&'a dyn Database, u32) + Sync,
        threads: usize,
    ) {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let len = games.len() as u32;
        if self == ListOrder::default() {
            games.truncate(most as usize);
            return;
        }
        let places = 0..len.min(most);
        let page = self.page(len, |n| game(&games[n as usize]), places, threads);
        let arranged = page.iter().filter_map(|&n| games.get(n as usize).cloned());
        *games = arranged.collect();
    }

    /// The games at some places of this order, of `len` games that `game` finds in their databases. Needs memory only
    /// for the games up to the nearer end of the list.
    pub fn page<'a>(
        self,
        len: u32,
        game: impl Fn(u32) -> (&'a dyn Database, u32) + Sync,
        places: Range<u32>,
        threads: usize,
    ) -> Vec<u32> {
        let places = places.start.min(len)..places.end.min(len);
        if places.is_empty() {
            return Vec::new();
        }
        let Some(key) = self.key else {
            return if self.is_reversed {
                places.map(|place| len - 1 - place).collect()
            } else {
                places.collect()
            };
        };
        let value = |n: u32| {
            let (database, game) = game(n);
            match key.value(database, game) {
                None => UNKNOWN,
                Some(value) if self.is_reversed => UNKNOWN - 1 - value.min(UNKNOWN - 1),
                Some(value) => value.min(UNKNOWN - 1),
            }
        };
        let before = places.end as usize;
        let after = (len - places.start) as usize;
        let (mut first, mut last) = (BinaryHeap::new(), BinaryHeap::new());
        let from_start = before <= after;
        for start in (0..len).step_by(BLOCK as usize) {
            let games = len.min(start.saturating_add(BLOCK)) - start;
            let values = chunks_of(FEW, games, threads, &|_| (), |games| {
                games.map(|n| value(start + n)).collect::<Vec<u32>>()
            });
            // Equal values stay in the order of the databases.
            for (n, value) in (start..).zip(values.into_iter().flatten()) {
                let placed = u64::from(value) << 32 | u64::from(n);
                if from_start {
                    add_least(&mut first, before, placed);
                } else {
                    add_least(&mut last, after, Reverse(placed));
                }
            }
        }
        let size = places.len();
        let mut found: Vec<u64> = if from_start {
            first.into_sorted_vec().split_off(before - size)
        } else {
            let last = last.into_sorted_vec().into_iter().map(|Reverse(placed)| placed);
            last.skip(after - size).collect()
        };
        found.sort_unstable();
        found.into_iter().map(|placed| placed as u32).collect()
    }
}

/// Adds a value if it is one of the `most` least.
fn add_least<T: Ord>(least: &mut BinaryHeap<T>, most: usize, value: T) {
    if least.len() < most {
        least.push(value);
    } else if let Some(mut greatest) = least.peek_mut()
        && value < *greatest
    {
        *greatest = value;
    }
}

impl SortKey {
    /// The names of the orders: the order of the databases, and the keys to sort by.
    pub const NAMES: [&str; 4] = ["database", "date", "elo", "length"];

    /// The key with a name; `None` for the order of the databases.
    pub fn of_name(name: &str) -> Option<SortKey> {
        match name {
            "date" => Some(SortKey::Date),
            "elo" => Some(SortKey::Elo),
            "length" => Some(SortKey::Length),
            _ => None,
        }
    }

    /// The value that a game is sorted by, the least first; `None` if it is unknown.
    fn value(self, database: &dyn Database, game: u32) -> Option<u32> {
        match self {
            SortKey::Date => {
                // Unknown parts come before others.
                let date = database.keys(game).date;
                let number =
                    u32::from(date.year) * 10_000 + u32::from(date.month) * 100 + u32::from(date.day);
                (date.year != 0).then_some(number)
            }
            SortKey::Elo => {
                let facts = Facts::of(database, game);
                let known = [facts.white_elo(), facts.black_elo()].into_iter().flatten();
                let sum: u32 = known.map(u32::from).sum();
                // The highest comes first. Ratings are not 0.
                (sum != 0).then(|| HIGHEST.saturating_sub(sum))
            }
            SortKey::Length => {
                let mut plies = 0;
                database.main_line(game, &mut |_| {
                    plies += 1;
                    ControlFlow::Continue(())
                });
                Some(plies)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More games than one block has, so that the numbers of the second block count.
    #[test]
    fn a_page_of_many_games_is_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        let years = [2003, 1999, 2011, 1987, 2020];
        let games = years.map(|year| format!("[White \"W\"]\n[Date \"{year}.01.01\"]\n\n1. e4 *\n\n"));
        std::fs::write(&path, games.concat()).unwrap();
        let database = chessdb::open(&path).unwrap();
        // Only the last games of all have other dates than the first one.
        for len in [BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 4] {
            let others = [len - 4, len - 3, len - 2, len - 1];
            let game = |n: u32| {
                let own = others.iter().position(|&other| other == n);
                (&*database, own.map_or(0, |own| own as u32 + 1))
            };
            let order = ListOrder::from(SortKey::Date);
            // The years of the last four are 1999, 2011, 1987 and 2020, the year of all others is 2003.
            let first = order.page(len, game, 0..4, 2);
            assert_eq!(first, [len - 2, len - 4, 0, 1], "{len}");
            let last = order.page(len, game, len - 3..len, 2);
            assert_eq!(last, [len - 5, len - 3, len - 1], "{len}");
        }
    }

    #[test]
    fn no_more_values_are_remembered_than_wanted() {
        let mut least = BinaryHeap::new();
        for n in 0..100_000_u32 {
            add_least(&mut least, 3, n.wrapping_mul(2_654_435_761));
        }
        assert!(least.capacity() <= 8);
        let mut all: Vec<u32> = (0..100_000_u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
        all.sort_unstable();
        assert_eq!(least.into_sorted_vec(), all[..3]);
    }
}
