//! The opening explorer, as programs ask that of Lichess, over the games of the library or of a search.

mod ids;
mod json;
mod question;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chessdb_library::explorer::Explored;
use chessdb_library::library::text_of;
use chessdb_library::positions::{Answers, DatabasePart, Pattern};
use chessdb_library::query::Query;
use chessdb_library::recent::Recent;
use pgnfs_server::{Failure, FsError, Requests};

use super::answer::{HttpError, Visit, ask};
use super::player::player_term;
use ids::GameIds;
use question::{ExplorerKind, ExplorerQuestion, Parameters};

/// What the explorer's routes share.
#[derive(Clone)]
pub(super) struct Explorer {
    requests: Requests,
    ids: Arc<GameIds>,
    kept: Arc<Recent<String, KeptAnswer>>,
}

/// Number of answers that are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// An answer about these games.
#[derive(Clone)]
struct KeptAnswer {
    parts: Weak<[DatabasePart]>,
    body: Arc<str>,
}

impl KeptAnswer {
    /// False once a database has changed, or a search was made again.
    fn is_about(&self, answers: &Answers) -> bool {
        Weak::ptr_eq(&self.parts, &Arc::downgrade(answers.parts()))
    }
}

/// The routes, of all games and of those of a search.
pub(super) fn routes(requests: Requests) -> Router {
    let explorer = Explorer {
        requests,
        ids: Arc::default(),
        kept: Arc::new(Recent::new(MOST_KEPT)),
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
    state: State<Explorer>,
    visit: Visit,
    named: AddressParts,
    query: RawQuery,
) -> Result<Response, HttpError> {
    answer(ExplorerKind::Player, state, visit, named, query).await
}

async fn answer(
    kind: ExplorerKind,
    State(explorer): State<Explorer>,
    visit: Visit,
    named: AddressParts,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let parameters = Parameters::of(query.as_deref().unwrap_or_default());
    let question = ExplorerQuestion::read(kind, &parameters).map_err(HttpError::Bad)?;
    let search = named.and_then(|Path(mut named)| named.remove("search"));
    let search = question
        .search(search)
        .map(|text| Query::parse(&text))
        .transpose();
    let search = search.map_err(|error| HttpError::Bad(error.to_string()))?;
    let (ids, kept) = (Arc::clone(&explorer.ids), Arc::clone(&explorer.kept));
    let key = format!(
        "{kind:?} {} {}",
        search.as_ref().map_or(String::new(), Query::canonical),
        query.unwrap_or_default()
    );
    let body = ask(visit, |answer| {
        let explore = move |answers: &Answers| {
            if let Some(kept) = kept.get(&key).filter(|kept| kept.is_about(answers)) {
                return Ok(kept.body);
            }
            let pattern = Pattern::new(question.line.position);
            let explored = Explored::find(answers, &pattern, &question.filter, question.limits);
            let explored = explored.ok_or(FsError::Io(Failure::Index))?;
            let body: Arc<str> = json::answer(&question, &explored, answers, &ids).into();
            let parts = Arc::downgrade(answers.parts());
            kept.put(
                key,
                KeptAnswer {
                    parts,
                    body: Arc::clone(&body),
                },
            );
            Ok(body)
        };
        explorer
            .requests
            .positions(visit.visitor, search.as_ref(), explore, answer)
    });
    let media = match kind {
        ExplorerKind::Player => "application/x-ndjson",
        ExplorerKind::Masters | ExplorerKind::Lichess => "application/json",
    };
    Ok(([(header::CONTENT_TYPE, media)], body.await?.to_string()).into_response())
}

impl ExplorerQuestion {
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
    Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn")], text.await?).into_response())
}
