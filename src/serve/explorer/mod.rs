//! The opening explorer over the games of the library or of a search, for clients of the Lichess explorer.

mod ids;
mod json;
mod lines;
mod question;
mod request;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chessdb_library::library::text_of;
use chessdb_library::positions::Answers;
use pgnfs_server::{FsError, Requests};

use super::answer::{HttpError, Visit, ask};
use super::answer_cache::KeptAnswers;
use question::ExplorerKind;
use request::{AddressParts, Explorer, ExplorerRequest};

/// Maximum size of all cached answers in bytes.
const MOST_KEPT: usize = 16 << 20;

/// The routes: for all games, for the games of a search, and for both without duplicates.
pub(super) fn routes(requests: Requests) -> Router {
    let explorer = Explorer {
        requests,
        unique: false,
        ids: Arc::default(),
        kept: KeptAnswers::with_bytes(MOST_KEPT),
    };
    let of = |explorer: Explorer| {
        let own = Router::new()
            .route("/masters", get(masters))
            .route("/master", get(masters))
            .route("/lichess", get(lichess))
            .route("/lichess/history", get(history))
            .route("/player", get(player))
            .route("/personal", get(player))
            .route("/masters/pgn/{id}", get(pgn))
            .route("/master/pgn/{id}", get(pgn))
            .with_state(explorer);
        own.clone().nest("/in/{search}", own)
    };
    let unique = Explorer {
        unique: true,
        ..explorer.clone()
    };
    of(explorer).nest("/unique", of(unique))
}

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

/// Only the history by month, at the address that the Lichess explorer once had for it.
async fn history(
    state: State<Explorer>,
    visit: Visit,
    named: AddressParts,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let only = "history=true&moves=0&topGames=0&recentGames=0";
    let query = query.map_or(only.to_owned(), |query| format!("{query}&{only}"));
    answer(ExplorerKind::Lichess, state, visit, named, RawQuery(Some(query))).await
}

async fn player(
    State(explorer): State<Explorer>,
    visit: Visit,
    named: AddressParts,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let asked = ExplorerRequest::read(ExplorerKind::Player, explorer, visit, named, query).await?;
    let body = lines::of(asked, visit).await.map_err(refused_search)?;
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
    let body = asked.answer(visit, |_| ()).await.map_err(refused_search)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Makes an invalid search a bad request instead of a missing page.
fn refused_search(error: FsError) -> HttpError {
    match error {
        FsError::Refused(refusal) => HttpError::Bad(refusal.to_string()),
        error => error.into(),
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
        explorer
            .requests
            .with_answers(visit.visitor, None, None, read, answer)
    });
    let text = text.await.map_err(|error| match error {
        FsError::NotFound => HttpError::Missing("no game has this id"),
        error => error.into(),
    })?;
    Ok(([(header::CONTENT_TYPE, "application/x-chess-pgn")], text).into_response())
}
