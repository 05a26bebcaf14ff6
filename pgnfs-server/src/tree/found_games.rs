//! The games of a branch that a query finds.

use std::sync::Arc;

use super::branch::GameSet;
use chessdb_library::cancel;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::made::{Made, Wait};
use chessdb_library::making::Making;
use chessdb_library::positions::{AnswerOptions, Answers, DatabasePart, IndexUse};
use chessdb_library::query::Query;
use chessdb_library::repertoire::Repertoires;
use chessdb_library::turns::{at_low_priority, in_turn};

/// The games of a branch that answer a query, found when the first of them is asked for.
pub(super) struct FoundGames {
    query: Arc<Query>,
    /// The branch that is searched.
    pub(super) of: Arc<GameSet>,
    /// Called when they are found. Returns false if they cannot be trusted.
    on_found: Box<dyn Fn() -> bool + Send + Sync>,
    found: Made<(Arc<[DatabasePart]>, bool)>,
    /// The duplicates among them.
    pub(super) duplicates: Made<Duplicates>,
}

impl FoundGames {
    /// The games of `of` that answer a query. When they are found, `on_found` is called, which returns false if they cannot
    /// be trusted.
    pub(super) fn new(
        of: &Arc<GameSet>,
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

    /// What is asked.
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// What a request for the games has to wait for.
    pub(super) fn wait(&self) -> Wait {
        self.found.wait()
    }

    /// The games, if they have been found.
    pub(super) fn known(&self) -> Option<&[DatabasePart]> {
        self.found.get().map(|(found, _)| &**found)
    }

    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let duplicates = self.duplicates.get().map_or(0, Duplicates::bytes);
        let games = self
            .known()
            .into_iter()
            .flatten()
            .filter_map(|part| part.games.as_ref());
        games.map(|games| games.bytes()).sum::<usize>() + duplicates
    }

    pub(super) fn found(&self) -> &(Arc<[DatabasePart]>, bool) {
        self.found.get().unwrap_or_else(|| {
            // Others need these, too, and wait for them.
            self.of.parts();
            self.of.names();
            // The next request that needs the games searches again.
            self.found.get_or(|| {
                cancel::while_wanted(|| {
                    let databases = self.of.databases();
                    let is_local = databases.iter().all(|database| database.entry().is_local);
                    let find = || self.of.find(&self.query);
                    // A search that hangs in its source must not have a turn.
                    let found = if is_local {
                        in_turn(find)
                    } else {
                        at_low_priority(find)
                    };
                    (found, (self.on_found)())
                })
            })
        })
    }
}

impl GameSet {
    /// What queries may name as a repertoire: its databases.
    pub(crate) fn repertoires(&self) -> Repertoires {
        let databases = self.databases().iter();
        let entries = databases.map(|database| Arc::clone(database.positions().entry()));
        Repertoires::of(entries, self.threads())
    }

    /// How its games are searched. An index of positions is used if it is there.
    pub(super) fn answer_options(&self) -> AnswerOptions {
        AnswerOptions {
            index: if self.layout().has_positions() {
                IndexUse::Auto
            } else {
                IndexUse::No
            },
            scans: true,
            threads: self.threads(),
            names: self.names().cloned(),
            repertoires: Arc::new(self.repertoires()),
        }
    }

    /// The games that are shown and answer a query.
    ///
    /// Ends when its work is [cancelled](chessdb_library::cancel).
    fn find(&self, query: &Query) -> Arc<[DatabasePart]> {
        let all = self
            .databases()
            .iter()
            .map(|database| u64::from(database.database().len()));
        let making = Making::begin(format!("search {}", query.canonical()), self.name(), all.sum());
        let answers = Answers::new(Arc::clone(self.parts()), self.answer_options());
        Arc::clone(answers.among(query, &|games| making.done(games)).parts())
    }
}
