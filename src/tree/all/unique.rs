//! The games of `all/unique/`: those that are not deleted, and of duplicates only the best one.

use super::databases::Part;
use crate::duplicates::Duplicates;

/// Games of each database.
pub struct Unique(Vec<Box<[u32]>>);

impl Unique {
    pub(super) fn new(parts: &[Part], duplicates: &Duplicates) -> Unique {
        let lesser = duplicates.lesser();
        let of_part = |part: &Part| {
            let database = part.database.database();
            let games = (0..database.len()).filter(|&game| {
                !database.keys(game).deleted && lesser.binary_search(&(part.first + game)).is_err()
            });
            games.collect()
        };
        Unique(parts.iter().map(of_part).collect())
    }

    /// The games of a database, sorted.
    pub fn games(&self, database: usize) -> &[u32] {
        self.0.get(database).map_or(&[], |games| games)
    }

    /// True for a game of a database.
    pub(super) fn has(&self, database: usize, game: u32) -> bool {
        self.games(database).binary_search(&game).is_ok()
    }
}
