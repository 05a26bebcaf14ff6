//! The games that a branch shows, where these are not all.

use std::sync::Arc;

use chessdb_library::positions::Selection;

/// Games of each database of a branch.
pub struct Filter {
    games: Vec<Box<[u32]>>,
    selections: Vec<Arc<Selection>>,
    bytes: usize,
}

impl Filter {
    /// These games of each database, in ascending order.
    pub fn new(games: Vec<Box<[u32]>>) -> Filter {
        let selections = games.iter().map(|games| Arc::new(Selection::of(games)));
        let selections: Vec<Arc<Selection>> = selections.collect();
        let lists = games.iter().map(|games| size_of_val(&**games));
        let bytes = lists.chain(selections.iter().map(|games| games.bytes())).sum();
        Filter {
            games,
            selections,
            bytes,
        }
    }

    /// The memory that the lists of games take, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The games of a database, by its number among the parts.
    pub fn games(&self, part: usize) -> &[u32] {
        self.games.get(part).map_or(&[], |games| games)
    }

    /// True for a game of a database that is shown.
    pub(super) fn has(&self, part: usize, game: u32) -> bool {
        let selection = self.selections.get(part);
        selection.is_some_and(|games| games.has(game))
    }

    /// The same games, for questions about positions.
    pub(super) fn selection(&self, part: usize) -> Option<&Arc<Selection>> {
        self.selections.get(part)
    }
}
