//! Queries about the games of several databases.

use super::answer::SearchedGames;
use super::hints::hints;
use super::{Query, QueryHint};
use crate::lines::Occurrence;
use crate::positions::{AnswerOptions, Answers, DatabasePart, Index, IndexUse};

impl Query {
    /// The games of a part that answer the query; see [`Query::answer`]. An index is used as the options say, and games are
    /// searched without one.
    pub fn find(
        &self,
        part: &DatabasePart,
        options: &AnswerOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Vec<Occurrence> {
        let query = match self.repertoires().as_slice() {
            [] => self,
            _ => &self.with_repertoires(&options.repertoires),
        };
        let answer = |index: Option<&Index>| {
            let searched = SearchedGames {
                index,
                ..SearchedGames::of(part, options)
            };
            query.answer(&searched, options.threads, done)
        };
        let use_of_index = if self.asks_for_positions() {
            options.index
        } else {
            IndexUse::No
        };
        // An index is one of all games.
        let found = part.positions.ask(use_of_index, |index| answer(Some(index)));
        // Only an index can be damaged.
        found.or_else(|| answer(None).ok()).unwrap_or_default()
    }
}

impl Answers {
    /// Answers only of the games that answer a query. `done` is called with numbers of games searched.
    pub fn among(&self, query: &Query, done: &(dyn Fn(u64) + Sync)) -> Answers {
        let parts = self.parts().iter();
        let parts = parts.map(|part| part.found(&query.find(part, self.options(), done)));
        Answers::new(parts.collect::<Vec<_>>(), self.options().clone())
    }

    /// Why no game may answer a query, as [`hints`] finds it.
    pub fn hints(&self, query: &str) -> Vec<QueryHint> {
        let parts = self.parts().iter();
        let searched: Vec<SearchedGames<'_>> = parts
            .map(|part| SearchedGames::of(part, self.options()))
            .collect();
        hints(query, &searched)
    }
}

impl<'a> SearchedGames<'a> {
    /// A part without its index.
    pub(super) fn of(part: &'a DatabasePart, options: &'a AnswerOptions) -> SearchedGames<'a> {
        SearchedGames {
            path: part.entry().name(),
            lines: Some(part.positions.lines()),
            names: options.names.as_deref(),
            among: part.games.as_deref(),
            ..SearchedGames::all(part.database())
        }
    }
}
