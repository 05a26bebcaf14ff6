//! A question with the games that it is about, and its answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Path;
use bytes::Bytes;
use chessdb_library::explorer::Explored;
use chessdb_library::positions::{AnswerOptions, Answers, DatabasePart, Pattern, pattern_epd};
use chessdb_library::query::Query;
use pgnfs_server::{Failure, FsError, Requests};

use super::ids::GameIds;
use super::json;
use super::question::{ExplorerKind, ExplorerQuestion, Parameters};
use crate::serve::answer::{HttpError, Visit, ask, search_in_turn};
use crate::serve::answer_cache::{GamesId, KeptAnswers};
use crate::serve::player::player_term;
use crate::serve::search::read_search;

/// The state that the explorer's routes share.
#[derive(Clone)]
pub(super) struct Explorer {
    pub(super) requests: Requests,
    /// True if each game counts once, even if several databases have it.
    pub(super) unique: bool,
    pub(super) ids: Arc<GameIds>,
    pub(super) kept: KeptAnswers<Bytes>,
}

/// Number of games of a search above which reading them for an answer takes a turn.
const MANY: u32 = 2048;

/// How often an answer that is not complete is made, and a line sent.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(1);

/// The named parts of an address.
pub(super) type AddressParts = Option<Path<HashMap<String, String>>>;

/// A question with the games that it is about.
pub(super) struct ExplorerRequest {
    explorer: Explorer,
    question: ExplorerQuestion,
    search: Option<Query>,
    /// Its key in the cache of answers.
    key: String,
}

impl ExplorerRequest {
    pub(super) async fn read(
        kind: ExplorerKind,
        explorer: Explorer,
        visit: Visit,
        named: AddressParts,
        query: Option<String>,
    ) -> Result<ExplorerRequest, HttpError> {
        let parameters = Parameters::of(query.as_deref().unwrap_or_default());
        let question = ExplorerQuestion::read(kind, &parameters).map_err(HttpError::Bad)?;
        let search = named.and_then(|Path(mut named)| named.remove("search"));
        if search.as_ref().is_some_and(|search| search.trim().is_empty()) {
            let what = "a search is needed after /in/, such as /in/white:tal/masters";
            return Err(HttpError::Bad(what.to_owned()));
        }
        let search = match question.search(search) {
            Some(text) => read_search(&explorer.requests, visit, &text).await?,
            None => Ok(None),
        };
        let search = search.map_err(|error| HttpError::Bad(error.to_string()))?;
        let key = question.key(search.as_ref());
        Ok(ExplorerRequest {
            explorer,
            question,
            search,
            key,
        })
    }

    /// The answer for no games, which is the first line of a long answer.
    pub(super) fn empty(&self) -> Bytes {
        let nothing = Answers::new(Vec::new(), AnswerOptions::default());
        json::answer(&self.question, &Explored::default(), &nothing, &self.explorer.ids)
    }

    /// The answer. Until it is complete, `so_far` gets the answers about the databases that have been searched.
    pub(super) async fn answer(
        self,
        visit: Visit,
        so_far: impl Fn(Bytes) + Send + Sync + 'static,
    ) -> Result<Bytes, FsError> {
        let ExplorerRequest {
            explorer:
                Explorer {
                    requests,
                    unique,
                    ids,
                    kept,
                },
            question,
            search,
            key,
        } = self;
        let own = search.clone();
        let explore = move |answers: &Answers| {
            let line = |explored: &Explored| json::answer(&question, explored, answers, &ids);
            let pattern = question.line.pattern();
            let find = || {
                let mut last = Instant::now();
                let so_far = |explored: &dyn Fn() -> Explored| {
                    if last.elapsed() >= LINE_EVERY {
                        last = Instant::now();
                        so_far(line(&explored()));
                    }
                };
                let (filter, limits) = (&question.filter, question.limits);
                Explored::find(answers, &pattern, filter, limits, so_far)
            };
            kept.get_or_make(GamesId::of(answers, own.as_ref()), key, || {
                let reads_all = question.reads_all(answers, &pattern);
                let explored = search_in_turn(answers, reads_all, find);
                explored
                    .map(|explored| line(&explored))
                    .ok_or(FsError::Io(Failure::Index))
            })
        };
        ask(visit, |answer| {
            requests.with_answers(
                visit.visitor,
                search.as_ref(),
                unique.then(String::new),
                explore,
                answer,
            )
        })
        .await
    }
}

impl ExplorerQuestion {
    /// True if the answer requires reading very many games.
    fn reads_all(&self, answers: &Answers, pattern: &Pattern) -> bool {
        let is_popular = |part: &DatabasePart| match part.games {
            None => part.popular(pattern, answers.options()).is_some(),
            Some(_) => part.len() > MANY,
        };
        (!self.filter.is_all() || self.limits.months) && answers.parts().iter().any(is_popular)
    }

    /// The cache key of the question: everything that determines the answer except the games. It does not depend on how
    /// the question is written.
    fn key(&self, search: Option<&Query>) -> String {
        let search = search.map_or(String::new(), Query::canonical);
        let (position, opening) = (
            pattern_epd(&self.line.pattern()),
            // Both code and name, because some names have several codes.
            self.line.opening.map(|opening| (opening.eco, opening.name)),
        );
        let ExplorerQuestion {
            kind, filter, limits, ..
        } = self;
        format!("{kind:?} {position} {opening:?} {filter:?} {limits:?} {search}")
    }

    /// The search whose games are explored; `None` for all games.
    fn search(&self, search: Option<String>) -> Option<String> {
        let player = self
            .player
            .as_ref()
            .map(|(name, color)| player_term(color.fold_wb("white", "black"), name));
        let terms: Vec<String> = search.into_iter().chain(player).collect();
        (!terms.is_empty()).then(|| terms.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: ExplorerKind, query: &str, search: &str) -> String {
        let question = ExplorerQuestion::read(kind, &Parameters::of(query)).unwrap();
        question.key(Some(&Query::parse(search).unwrap()))
    }

    /// The cache key depends on the question, not on its spelling.
    #[test]
    fn a_question_has_one_key_however_it_is_written() {
        let of = |query: &str| key(ExplorerKind::Lichess, query, "player:Tal year:1960");
        let asked = "play=e2e4,c7c5&speeds=blitz,rapid&ratings=2000,0&history=true";
        for same in [
            "x=1&play=e2e4,c7c5&speeds=blitz,rapid&ratings=2000,0&history=true&y",
            "history=1&ratings=0,2000,0&speeds=rapid,blitz,rapid&play=e2e4,c7c5&topGames=4",
            "play=e2e4&play=e2e4,c7c5&speeds=blitz,rapid&ratings=0,2000&history=true&moves=12&since=&until=3000",
        ] {
            assert_eq!(of(same), of(asked), "{same}");
        }
        assert_eq!(of("moves=1000"), of("moves=100000"));
        for other in [
            "play=e2e4,c7c5",
            "play=e2e4,c7c5&speeds=blitz&ratings=2000,0&history=true",
            "play=e2e4,e7e5&speeds=blitz,rapid&ratings=2000,0&history=true",
            "play=e2e4,c7c5&speeds=blitz,rapid&ratings=2000,0&history=true&since=1990",
            "play=e2e4,c7c5&speeds=blitz,rapid&ratings=2000,0&history=true&topGames=3",
        ] {
            assert_ne!(of(other), of(asked), "{other}");
        }
        // The same position and name, but the codes are A40 and D00.
        let orders = ["play=d2d4,h7h6,h2h3,d7d5", "play=d2d4,d7d5,h2h3,h7h6"].map(&of);
        assert_ne!(orders[0], orders[1]);
        let (one, other) = ("year:1960 player:tal", "player:tal");
        assert_eq!(key(ExplorerKind::Lichess, asked, one), of(asked));
        assert_ne!(key(ExplorerKind::Lichess, asked, other), of(asked));
        assert_ne!(
            key(ExplorerKind::Masters, "", one),
            key(ExplorerKind::Lichess, "", one)
        );
    }
}
