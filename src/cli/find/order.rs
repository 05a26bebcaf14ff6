//! In which order games are shown, and how many.

use std::cmp::Reverse;

use clap::ArgMatches;

use crate::cli::CommandError;
use crate::cli::search::SearchedPart;
use chessdb::formats::Database;
use chessdb_library::parallel::chunks_of;
use chessdb_library::positions::Facts;

/// The values of the option that selects the order.
pub const ORDERS: [&str; 3] = ["database", "date", "elo"];

/// Number of games that a thread takes at a time.
const FEW: u32 = 256;

/// The value by which a game is sorted; `None` if it is unknown.
type SortKey = fn(&dyn Database, u32) -> Option<i64>;

/// In which order games are shown, and how many.
pub struct Order {
    /// By what they are sorted; `None` for the order of the databases.
    key: Option<SortKey>,
    is_reversed: bool,
    limit: Option<usize>,
}

/// A game of one of the databases, and what is shown of it.
pub struct FoundGame<T> {
    /// Which database.
    pub part: usize,
    pub game: u32,
    pub shown: T,
}

impl Order {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If they are given for what is not a list of games.
    pub fn read(matches: &ArgMatches, show: &str) -> Result<Order, CommandError> {
        let limit: Option<&u64> = matches.get_one("limit");
        let order = Order {
            key: match matches.get_one("sort").map_or("", String::as_str) {
                "date" => Some(date),
                "elo" => Some(rating),
                _ => None,
            },
            is_reversed: matches.get_flag("reverse"),
            limit: limit.map(|&limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        };
        if matches!(show, "count" | "moves") && (!order.is_plain() || limit.is_some()) {
            return Err(format!(
                "--sort, --reverse and --limit are for lists of games, not for --show {show}"
            )
            .into());
        }
        Ok(order)
    }

    /// True if games are shown in the order in which they are found.
    pub fn is_plain(&self) -> bool {
        self.key.is_none() && !self.is_reversed
    }

    /// The number of games shown at most.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }

    /// Puts games in this order, and leaves out those that are too many. Unknown values come last in any case, and equal
    /// ones are in the order of the databases.
    pub fn arrange<T>(&self, found: &mut Vec<FoundGame<T>>, parts: &[SearchedPart<'_>], threads: usize)
    where
        T: Sync + Send,
    {
        match self.key {
            Some(key) => self.sort(found, parts, key, threads),
            None if self.is_reversed => found.reverse(),
            None => {}
        }
        found.truncate(self.limit());
    }

    fn sort<T: Sync + Send>(
        &self,
        found: &mut Vec<FoundGame<T>>,
        parts: &[SearchedPart<'_>],
        key: SortKey,
        threads: usize,
    ) {
        let keys = chunks_of(FEW, found.len() as u32, threads, &|_| (), |places| {
            let some = &found[places.start as usize..places.end as usize];
            let keys = some
                .iter()
                .map(|one| key(&*parts[one.part].entry.database, one.game));
            keys.collect::<Vec<_>>()
        });
        let mut keyed: Vec<_> = keys.concat().into_iter().zip(found.drain(..)).collect();
        if self.is_reversed {
            keyed.sort_by_key(|(key, _)| (key.is_none(), Reverse(*key)));
        } else {
            keyed.sort_by_key(|(key, _)| (key.is_none(), *key));
        }
        found.extend(keyed.into_iter().map(|(_, one)| one));
    }
}

/// The earliest date comes first. Unknown parts come before others.
fn date(database: &dyn Database, game: u32) -> Option<i64> {
    let date = database.keys(game).date;
    let number = i64::from(date.year) * 10_000 + i64::from(date.month) * 100 + i64::from(date.day);
    (date.year != 0).then_some(number)
}

/// The highest mean of the known ratings comes first.
fn rating(database: &dyn Database, game: u32) -> Option<i64> {
    let facts = Facts::of(database, game);
    let twice = match (facts.white_elo(), facts.black_elo()) {
        (Some(white), Some(black)) => i64::from(white) + i64::from(black),
        (Some(only), None) | (None, Some(only)) => 2 * i64::from(only),
        (None, None) => return None,
    };
    Some(-twice)
}
