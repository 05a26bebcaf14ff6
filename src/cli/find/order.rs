//! The order in which games are shown, and their number.

use clap::ArgMatches;

use crate::cli::CommandError;
use chessdb::Database;
use chessdb_library::positions::DatabasePart;
use chessdb_library::query::{ListOrder, SortKey};

/// The order in which games are shown, and their number.
pub struct Order {
    order: ListOrder,
    limit: Option<usize>,
}

/// A game of one of the databases, with the facts that are shown about it.
#[derive(Clone)]
pub struct FoundGame<T> {
    /// The number of the database.
    pub part: usize,
    pub game: u32,
    pub shown: T,
}

impl Order {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If the result is not a list of games.
    pub fn read(matches: &ArgMatches, show: &str) -> Result<Order, CommandError> {
        let limit: Option<&u64> = matches.get_one("limit");
        let order = Order {
            order: ListOrder {
                key: matches
                    .get_one("sort")
                    .and_then(|name: &String| SortKey::of_name(name)),
                is_reversed: matches.get_flag("reverse"),
            },
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
        self.order == ListOrder::default()
    }

    /// Maximum number of games that are shown.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }

    /// Sorts games in this order, and removes the ones beyond the limit. Unknown values always come last, and games
    /// with the same value are in the order of the databases.
    pub fn arrange<T>(&self, found: &mut Vec<FoundGame<T>>, parts: &[DatabasePart], threads: usize)
    where
        T: Clone + Sync,
    {
        let game = |one: &FoundGame<T>| (parts[one.part].database(), one.game);
        self.order.arrange_first(self.limit(), found, game, threads);
    }

    /// Like [`Order::arrange`], for `games` games, where `game` returns the nth one. Returns the numbers of the shown
    /// games, in this order.
    pub fn first<'a>(
        &self,
        games: u32,
        game: impl Fn(u32) -> (&'a dyn Database, u32) + Sync,
        threads: usize,
    ) -> Vec<u32> {
        let shown = games.min(u32::try_from(self.limit()).unwrap_or(u32::MAX));
        self.order.page(games, game, 0..shown, threads)
    }
}
