//! The JSON interface of the board: databases, lists of games, games, positions, moves and queries.
//!
//! New versions may add keys, but change none. Errors are `{"error": {"what", "term", "offset", "message"}}`.

mod board;
mod games;
mod movetext;
mod names;
mod pieces;
mod prepare;
mod query;
mod request;
mod status;

use std::iter::once_with;

use axum::extract::{Query as Parameters, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use pgnfs_server::{Failure, FsError, Requests};
use serde_json::Value;

use super::answer::{Visit, ask, search_in_turn};
use super::answer_cache::kept_text;
use movetext::GameJson;
use pieces::streamed;
use request::{Api, ApiError, Given, about, json_text, line, line_key, search};

/// The routes below `/api`.
pub(super) fn routes(requests: Requests) -> Router {
    let api = Api::of(requests);
    Router::new()
        .route("/api/status", get(status))
        .route("/api/databases", get(databases))
        .route("/api/games", get(games::list))
        .route("/api/game", get(game))
        .route("/api/position", get(position))
        .route("/api/moves", get(moves))
        .route("/api/query", get(query::query))
        .route("/api/names", get(names::names))
        .route("/api/prepare", get(prepare::prepare))
        .with_state(api)
}

/// The databases, as in `pgnfs status --json`, and the databases that are being opened.
async fn databases(State(api): State<Api>) -> Response {
    streamed(api.snapshots.databases(api.requests))
}

/// The state of the program, as in `pgnfs status --json`.
async fn status(State(api): State<Api>) -> Response {
    streamed(api.snapshots.state(api.requests, api.since))
}

/// A game with its tree of moves.
async fn game(
    State(requests): State<Requests>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Response, ApiError> {
    let path = given
        .get("path")
        .ok_or(ApiError::Parameter("path", "a path is needed".to_owned()))?;
    let decoded = ask(visit, |answer| requests.game(visit.visitor, path, answer)).await?;
    Ok(streamed(once_with(|| GameJson::new(decoded)).flatten()))
}

/// A position, and the moves that are legal in it.
async fn position(Parameters(given): Given) -> Result<Json<Value>, ApiError> {
    let line = line(&given)?;
    Ok(Json(board::position(&line)))
}

/// The moves that were played in a position.
async fn moves(
    State(Api { requests, kept, .. }): State<Api>,
    visit: Visit,
    Parameters(given): Given,
) -> Result<Response, ApiError> {
    let line = line(&given)?;
    let pattern = line.pattern();
    let question = format!("moves {}", line_key(&given, &line));
    let search = search(&requests, visit, &given).await?;
    let answer = about(
        &requests,
        visit,
        &given,
        search.as_ref(),
        move |answers, games| {
            kept.get_or_make(games, question, || {
                let table = search_in_turn(answers, false, || answers.moves(&pattern, &|_| ()));
                let table = table.ok_or(FsError::Io(Failure::Index))?;
                Ok(kept_text(board::moves(&line, &table).to_string()))
            })
        },
    );
    Ok(json_text(answer.await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::library::Library;
    use pgnfs_server::{ServeOptions, Server};

    /// The second answer needs no search.
    #[tokio::test]
    async fn moves_and_preparations_are_found_once() {
        let folder = tempfile::tempdir().unwrap();
        let pgn = "[White \"Tal\"]\n[Black \"Keres\"]\n[Date \"1960.01.01\"]\n\n1. e4 e5 *\n\n";
        std::fs::write(folder.path().join("a.pgn"), pgn).unwrap();
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let server = Server::of(library, ServeOptions::default());
        let api = Api::of(server.requests().clone());
        let given = |text: &str| {
            let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
            Parameters(
                pairs
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
            )
        };
        for (asked, kept) in [
            ("q=player:tal", 1),
            ("q=player:tal", 1),
            ("q=player:tal&x=1", 1),
            ("q=player:tal&play=e2e4", 2),
            ("q=player:keres", 3),
            ("q=player:tal&db=a.pgn", 4),
        ] {
            let answer = moves(State(api.clone()), Visit::default(), given(asked)).await;
            assert!(answer.is_ok(), "{asked}");
            assert_eq!(api.kept.count(), kept, "{asked}");
        }
        for (asked, kept) in [
            ("player=tal", 5),
            ("player=tal", 5),
            ("player=tal&colour=white", 6),
            ("player=tal&since=1959", 7),
        ] {
            let answer = prepare::prepare(State(api.clone()), Visit::default(), given(asked)).await;
            assert!(answer.is_ok(), "{asked}");
            assert_eq!(api.kept.count(), kept, "{asked}");
        }
    }
}
