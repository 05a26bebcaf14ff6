//! The order of games that answer a query.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::parallel::chunks_of;
use crate::positions::Facts;
use chessdb::Database;

/// Number of games that a thread takes at a time.
const FEW: u32 = 256;

/// By what games are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// The date; the earliest comes first.
    Date,
    /// The mean of the known ratings; the highest comes first.
    Elo,
    /// The number of half-moves of the main line; the fewest come first.
    Length,
}

/// In which order games are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListOrder {
    /// By what they are sorted; `None` for the order of the databases.
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

impl ListOrder {
    /// Puts games, which `game` finds in their databases, in this order. They are in that of the databases.
    pub fn arrange<'a, T: Send + Sync>(
        self,
        games: &mut Vec<T>,
        game: impl Fn(&T) -> (&'a dyn Database, u32) + Sync,
        threads: usize,
    ) {
        match self.key {
            Some(key) => key.sort(games, game, self.is_reversed, threads),
            None if self.is_reversed => games.reverse(),
            None => {}
        }
    }
}

impl SortKey {
    /// The names of the orders: that of the databases, and the keys.
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

    /// Sorts games, which `game` finds in their databases. Unknown values come last in any case, and equal ones stay in
    /// their order.
    fn sort<'a, T: Send + Sync>(
        self,
        games: &mut Vec<T>,
        game: impl Fn(&T) -> (&'a dyn Database, u32) + Sync,
        is_reversed: bool,
        threads: usize,
    ) {
        let keys = chunks_of(FEW, games.len() as u32, threads, &|_| (), |places| {
            let some = games.get(places.start as usize..places.end as usize);
            let keys = some.unwrap_or_default().iter().map(|one| {
                let (database, game) = game(one);
                self.value(database, game)
            });
            keys.collect::<Vec<_>>()
        });
        let mut keyed: Vec<_> = keys.concat().into_iter().zip(games.drain(..)).collect();
        if is_reversed {
            keyed.sort_by_key(|(key, _)| (key.is_none(), Reverse(*key)));
        } else {
            keyed.sort_by_key(|(key, _)| (key.is_none(), *key));
        }
        games.extend(keyed.into_iter().map(|(_, one)| one));
    }

    /// The value by which a game is sorted; `None` if it is unknown.
    fn value(self, database: &dyn Database, game: u32) -> Option<i64> {
        match self {
            SortKey::Date => {
                // Unknown parts come before others.
                let date = database.keys(game).date;
                let number =
                    i64::from(date.year) * 10_000 + i64::from(date.month) * 100 + i64::from(date.day);
                (date.year != 0).then_some(number)
            }
            SortKey::Elo => {
                let facts = Facts::of(database, game);
                let twice = match (facts.white_elo(), facts.black_elo()) {
                    (Some(white), Some(black)) => i64::from(white) + i64::from(black),
                    (Some(only), None) | (None, Some(only)) => 2 * i64::from(only),
                    (None, None) => return None,
                };
                Some(-twice)
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
