//! The games of `all/unique/`: those that are not deleted, and of duplicates only the best one.

use std::sync::Arc;

use chessdb::formats::Database;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::positions::Selection;

/// Games of each database.
pub struct Unique {
    games: Vec<Box<[u32]>>,
    selections: Vec<Arc<Selection>>,
}

impl Unique {
    pub(super) fn new(databases: &[&dyn Database], duplicates: &Duplicates) -> Unique {
        let games = duplicates.unique(databases);
        let selections = games.iter().map(|games| Arc::new(Selection::of(games)));
        Unique {
            selections: selections.collect(),
            games,
        }
    }

    /// The games of a database, sorted.
    pub fn games(&self, database: usize) -> &[u32] {
        self.games.get(database).map_or(&[], |games| games)
    }

    /// True for a game of a database.
    pub(super) fn has(&self, database: usize, game: u32) -> bool {
        let selection = self.selections.get(database);
        selection.is_some_and(|games| games.has(game))
    }

    /// The same games, for questions about positions.
    pub(in crate::tree) fn selection(&self, database: usize) -> Option<&Arc<Selection>> {
        self.selections.get(database)
    }
}
