//! The games of a branch that a query finds.

use std::sync::Arc;

use super::branch::Branch;
use super::filter::Filter;
use super::indexed_database::IndexedDatabase;
use chessdb_library::cancel;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::made::Made;
use chessdb_library::making::Making;
use chessdb_library::positions::Index;
use chessdb_library::query::{Query, Searched};
use chessdb_library::turns::{at_low_priority, in_turn};

/// The games of a branch that answer a query, found when the first of them is asked for.
pub(super) struct FoundGames {
    query: Arc<Query>,
    /// The branch that is searched.
    pub(super) of: Arc<Branch>,
    /// Called when they are found. Returns false if they cannot be trusted.
    on_found: Box<dyn Fn() -> bool + Send + Sync>,
    found: Made<(Filter, bool)>,
    /// The duplicates among them.
    pub(super) duplicates: Made<Duplicates>,
}

impl FoundGames {
    /// The games of `of` that answer a query. When they are found, `on_found` is called, which returns false if they cannot
    /// be trusted.
    pub(super) fn new(
        of: &Arc<Branch>,
        query: &Arc<Query>,
        on_found: impl Fn() -> bool + Send + Sync + 'static,
    ) -> FoundGames {
        FoundGames {
            query: Arc::clone(query),
            of: Arc::clone(of),
            on_found: Box::new(on_found),
            found: Made::new(),
            duplicates: Made::new(),
        }
    }

    /// The games, if they have been found.
    pub(super) fn known(&self) -> Option<&Filter> {
        self.found.get().map(|(found, _)| found)
    }

    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let duplicates = self.duplicates.get().map_or(0, Duplicates::bytes);
        self.known().map_or(0, Filter::bytes) + duplicates
    }

    pub(super) fn found(&self) -> &(Filter, bool) {
        self.found.get().unwrap_or_else(|| {
            // Others need these, too, and wait for them.
            self.of.filter();
            self.of.names();
            // The next request that needs the games searches again.
            self.found.get_or(|| {
                cancel::while_wanted(|| {
                    let databases = self.of.databases();
                    let is_local = databases.iter().all(|database| database.entry().is_local);
                    let find = || self.of.find(&self.query);
                    // A search that hangs in its source must not have a turn.
                    let found = Filter::new(if is_local {
                        in_turn(find)
                    } else {
                        at_low_priority(find)
                    });
                    (found, (self.on_found)())
                })
            })
        })
    }
}

impl Branch {
    /// The games of each database that are shown and answer a query. An index of positions is used if it is there.
    ///
    /// Ends when its work is [cancelled](chessdb_library::cancel).
    fn find(&self, query: &Query) -> Vec<Box<[u32]>> {
        let names = self.names().map(Arc::as_ref);
        let all = self
            .databases()
            .iter()
            .map(|database| u64::from(database.database().len()));
        let making = Making::begin(format!("search {}", query.canonical()), self.name(), all.sum());
        let find = |(part, database): (usize, &Arc<IndexedDatabase>)| {
            let answer = |index: Option<&Index>| {
                let searched = Searched {
                    path: &database.entry().path,
                    database: database.database(),
                    index,
                    names,
                    among: self.selection(part).map(Arc::as_ref),
                };
                query.answer(&searched, self.threads(), &|games| making.done(games))
            };
            // Without an index there is always an answer.
            let found = if self.layout().has_positions() {
                database.positions().ask_without_building(answer)
            } else {
                answer(None).ok()
            };
            found.unwrap_or_default().iter().map(|found| found.game).collect()
        };
        self.databases().iter().enumerate().map(find).collect()
    }
}
