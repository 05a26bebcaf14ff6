//! The opening explorer, as programs ask that of Lichess, over the games of the library or of a search.

mod ids;
mod json;
mod lines;
mod question;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chessdb_library::explorer::Explored;
use chessdb_library::library::text_of;
use chessdb_library::positions::{AnswerOptions, Answers, DatabasePart, Pattern};
use chessdb_library::query::Query;
use pgnfs_server::{Failure, FsError, Requests};

use super::answer::{HttpError, Visit, ask, looked_for, read_query, why_refused};
use super::kept::{GamesId, KeptAnswers};
use super::player::player_term;
use ids::GameIds;
use lines::LINE_EVERY;
use question::{ExplorerKind, ExplorerQuestion, Parameters};

/// What the explorer's routes share.
#[derive(Clone)]
pub(super) struct Explorer {
    requests: Requests,
    ids: Arc<GameIds>,
    kept: KeptAnswers<Arc<str>>,
}

/// Number of answers that are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// Games of a search that are not looked through without a turn.
const MANY: u32 = 2048;

/// The routes, of all games and of those of a search.
pub(super) fn routes(requests: Requests) -> Router {
    let explorer = Explorer {
        requests,
        ids: Arc::default(),
        kept: KeptAnswers::new(MOST_KEPT),
    };
    let own = Router::new()
        .route("/masters", get(masters))
        .route("/master", get(masters))
        .route("/lichess", get(lichess))
        .route("/player", get(player))
        .route("/personal", get(player))
        .route("/masters/pgn/{id}", get(pgn))
        .route("/master/pgn/{id}", get(pgn))
        .with_state(explorer);
    own.clone().nest("/in/{search}", own)
}

/// The named parts of an address.
type AddressParts = Option<Path<HashMap<String, String>>>;

async fn masters(
    state: State<Explorer>,
    visit: Visit,
    named: AddressParts,
    query: RawQuery,
) -> Result<Response, HttpError> {
    answer(ExplorerKind::Masters, state, visit, named, query).await
}

async fn lichess(
    state: State<Explorer>,
    visit: Visit,
    named: AddressParts,
    query: RawQuery,
) -> Result<Response, HttpError> {
    answer(ExplorerKind::Lichess, state, visit, named, query).await
}

async fn player(
    State(explorer): State<Explorer>,
    visit: Visit,
    named: AddressParts,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let asked = ExplorerRequest::read(ExplorerKind::Player, explorer, visit, named, query).await?;
    let explained = asked.explained(visit);
    let body = lines::of(asked, visit).await.map_err(explained)?;
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

async fn answer(
    kind: ExplorerKind,
    State(explorer): State<Explorer>,
    visit: Visit,
    named: AddressParts,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let asked = ExplorerRequest::read(kind, explorer, visit, named, query).await?;
    let explained = asked.explained(visit);
    let body = asked.answer(visit, |_| ()).await.map_err(explained)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response())
}

/// A question with the games that it is about.
struct ExplorerRequest {
    explorer: Explorer,
    question: ExplorerQuestion,
    search: Option<Query>,
    /// What it is kept by.
    key: String,
}

impl ExplorerRequest {
    async fn read(
        kind: ExplorerKind,
        explorer: Explorer,
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
        visit: Visit,
        let search = match question.search(search) {
            Some(text) => Some(read_query(&explorer.requests, visit, text).await?),
            None => None,
        };
        let search = search.transpose();
        let search = search.map_err(|error| HttpError::Bad(error.to_string()))?;
        let key = format!(
            "{kind:?} {} {}",
            search.as_ref().map_or(String::new(), Query::canonical),
            query.unwrap_or_default()
        );
        Ok(ExplorerRequest {
            explorer,
            question,
            search,
            key,
        })
    }

    /// What says of an error why the search does not exist.
    fn explained(&self, visit: Visit) -> impl Fn(FsError) -> HttpError + use<> {
        let (requests, search) = (self.explorer.requests.clone(), self.search.clone());
        move |error| match error {
            FsError::NotFound => {
                let what = why_refused(&requests, visit, search.as_ref());
                what.map_or(error.into(), HttpError::Bad)
            }
            _ => error.into(),
        }
    }

    /// The answer before anything is known.
    fn empty(&self) -> Arc<str> {
        let nothing = Answers::new(Vec::new(), AnswerOptions::default());
        json::answer(&self.question, &Explored::default(), &nothing, &self.explorer.ids).into()
    }

    /// The answer. Until it is there, `so_far` gets those about the databases that are done.
    async fn answer(
        self,
        visit: Visit,
        so_far: impl Fn(Arc<str>) + Send + Sync + 'static,
    ) -> Result<Arc<str>, FsError> {
        let ExplorerRequest {
            explorer: Explorer { requests, ids, kept },
            question,
            search,
            key,
        } = self;
        let explore = move |answers: &Answers| {
            let line = |explored: &Explored| json::answer(&question, explored, answers, &ids).into();
            let pattern = Pattern::new(question.line.position);
            let find = || {
                let mut last = Instant::now();
                let so_far = |explored: &dyn Fn() -> Explored| {
                    if last.elapsed() >= LINE_EVERY {
                        last = Instant::now();
                        so_far(line(&explored()));
                    }
                };
                let (filter, limits) = (&question.filter, question.limits);
                Explored::find_part_by_part(answers, &pattern, filter, limits, so_far)
            };
            kept.get_or_make(GamesId::of(answers), key, || {
                let reads_all = question.reads_all(answers, &pattern);
                let explored = looked_for(answers, reads_all, find);
                explored
                    .map(|explored| line(&explored))
                    .ok_or(FsError::Io(Failure::Index))
            })
        };
        ask(visit, |answer| {
            requests.positions(visit.visitor, search.as_ref(), explore, answer)
        })
        .await
    }
}

impl ExplorerQuestion {
    /// True if an answer is added up from very many games.
    fn reads_all(&self, answers: &Answers, pattern: &Pattern) -> bool {
        let is_popular = |part: &DatabasePart| match part.games {
            None => part.popular(pattern, answers.options()).is_some(),
            Some(_) => part.len() > MANY,
        };
        (!self.filter.is_all() || self.limits.months) && answers.parts().iter().any(is_popular)
    }

    /// The search whose games are explored; `None` for all games.
    fn search(&self, search: Option<String>) -> Option<String> {
        let player = self.player.as_ref().map(|(name, is_white)| {
            let color = if *is_white { "white" } else { "black" };
            player_term(color, name)
        });
        let terms: Vec<String> = search.into_iter().chain(player).collect();
        (!terms.is_empty()).then(|| terms.join(" "))
    }
}

/// The game with an id.
async fn pgn(
    State(explorer): State<Explorer>,
    visit: Visit,
    Path(mut named): Path<HashMap<String, String>>,
) -> Result<Response, HttpError> {
    let id = named.remove("id").unwrap_or_default();
    let ids = Arc::clone(&explorer.ids);
    let text = ask(visit, |answer| {
        let read = move |answers: &Answers| {
            let (part, game) = ids.game(answers.parts(), &id).ok_or(FsError::NotFound)?;
            let part = answers.parts().get(part).ok_or(FsError::NotFound)?;
            Ok(text_of(part.entry(), game).pgn)
        };
        explorer.requests.positions(visit.visitor, None, read, answer)
    });
    let text = text.await.map_err(|error| match error {
        FsError::NotFound => HttpError::Missing("no game has this id"),
        error => error.into(),
    })?;
    Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn")], text).into_response())
}
