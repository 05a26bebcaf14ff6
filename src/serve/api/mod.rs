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
mod status;

use std::collections::HashMap;
use std::fmt;
use std::iter::once_with;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRef, Query as Parameters, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use chessdb_library::positions::{Answers, DatabasePart, Pattern};
use chessdb_library::query::{GameNames, Query, QueryError};
use pgnfs_server::{Failure, FsError, Requests};
use serde_json::{Value, json};

use super::answer::{Visit, ask, search_in_turn, status_of, with_retry_after};
use super::answer_cache::{GamesId, KeptAnswers};
use super::line::PlayedLine;
use super::search::read_search;
use games::GameList;
use movetext::GameJson;
use pieces::streamed;
use status::Snapshots;

/// The parameters of a request.
type Given = Parameters<HashMap<String, String>>;

/// The state that all routes share.
#[derive(Clone)]
struct Api {
    requests: Requests,
    lists: KeptAnswers<Arc<GameList>>,
    /// The names of players and events.
    names: KeptAnswers<Arc<GameNames>>,
    /// Answers with tables of moves and with preparations, as JSON.
    kept: KeptAnswers<Arc<str>>,
    snapshots: Snapshots,
    since: Instant,
}

impl FromRef<Api> for Requests {
    fn from_ref(api: &Api) -> Requests {
        api.requests.clone()
    }
}

/// Number of windows of sorted lists that are cached, each of 20,000 games.
const MOST_LISTS: NonZeroUsize = NonZeroUsize::new(32).unwrap();

/// Number of cached lists of names, each for all databases or for a single one.
const MOST_NAMES: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Maximum size of all other cached answers in bytes.
const MOST_KEPT: usize = 16 << 20;

impl Api {
    fn of(requests: Requests) -> Api {
        Api {
            requests,
            lists: KeptAnswers::new(MOST_LISTS),
            names: KeptAnswers::new(MOST_NAMES),
            kept: KeptAnswers::with_bytes(MOST_KEPT),
            snapshots: Snapshots::default(),
            since: Instant::now(),
        }
    }
}

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

/// Why a request gets no answer.
enum ApiError {
    Query(QueryError),
    /// The invalid parameter, and the reason.
    Parameter(&'static str, String),
    /// Why a search with a valid query is refused.
    Refused(String),
    /// No database has this path.
    NoDatabase(String),
    Fs(FsError),
}

impl From<FsError> for ApiError {
    fn from(error: FsError) -> ApiError {
        ApiError::Fs(error)
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> ApiError {
        ApiError::Query(error)
    }
}

impl fmt::Display for ApiError {
    /// The same sentence that the command prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiError::Query(error) => error.fmt(f),
            ApiError::Parameter(name, what) => write!(f, "{name}: {what}"),
            ApiError::Refused(what) => f.write_str(what),
            ApiError::NoDatabase(path) => write!(f, "db: {}", no_database(path)),
            ApiError::Fs(error) => error.fmt(f),
        }
    }
}

fn no_database(path: &str) -> String {
    format!("no database has the path '{path}': /api/databases lists them")
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let message = self.to_string();
        let (status, what, term, offset) = match self {
            ApiError::Query(error) => {
                let QueryError { offset, term, what } = error;
                (StatusCode::BAD_REQUEST, what, Some(term), Some(offset))
            }
            ApiError::Parameter(name, what) => (StatusCode::BAD_REQUEST, what, Some(name.to_owned()), None),
            ApiError::Refused(what) => (StatusCode::BAD_REQUEST, what, Some("q".to_owned()), None),
            ApiError::NoDatabase(path) => (
                StatusCode::NOT_FOUND,
                no_database(&path),
                Some("db".to_owned()),
                None,
            ),
            ApiError::Fs(error) => (status_of(&error), message.clone(), None, None),
        };
        let error = json!({ "error": { "what": what, "term": term, "offset": offset, "message": message } });
        with_retry_after((status, Json(error)).into_response())
    }
}

/// Reads the search of a request; `None` for all games.
async fn search(
    requests: &Requests,
    visit: Visit,
    given: &HashMap<String, String>,
) -> Result<Option<Query>, ApiError> {
    let text = given.get("q").map_or("", |text| text.trim());
    Ok(read_search(requests, visit, text).await??)
}

/// Answers a question about the games that a request names by `q` and `db`.
async fn asked<A: Send + 'static>(
    requests: &Requests,
    visit: Visit,
    given: &HashMap<String, String>,
    question: impl FnOnce(&Answers, GamesId) -> Result<A, FsError> + Send + 'static,
) -> Result<A, ApiError> {
    let search = search(requests, visit, given).await?;
    about(requests, visit, given, search.as_ref(), question).await
}

/// Answers a question about the games that a search finds in the database that a request names by `db`. With
/// `unique=true`, each game counts once. Answers are cached by the [`GamesId`] of all databases.
async fn about<A: Send + 'static>(
    requests: &Requests,
    visit: Visit,
    given: &HashMap<String, String>,
    search: Option<&Query>,
    question: impl FnOnce(&Answers, GamesId) -> Result<A, FsError> + Send + 'static,
) -> Result<A, ApiError> {
    let unique = match given.get("unique").map_or("false", String::as_str) {
        "true" => true,
        "false" => false,
        text => {
            return Err(ApiError::Parameter(
                "unique",
                format!("'{text}' is neither true nor false"),
            ));
        }
    };
    let database = given.get("db").filter(|path| !path.is_empty()).cloned();
    let once = unique.then(|| database.clone().unwrap_or_default());
    let own = search.cloned();
    let question = move |answers: &Answers| match database {
        None => question(answers, GamesId::of(answers, own.as_ref())),
        Some(path) => {
            let parts = answers.parts().iter();
            let part = parts.filter(|part| part.entry().path == path).cloned();
            let part: Vec<DatabasePart> = part.collect();
            if part.is_empty() {
                return Err(FsError::NotFound);
            }
            let id = GamesId::of(answers, own.as_ref());
            question(&Answers::new(part, answers.options().clone()), id)
        }
    };
    let answer = ask(visit, |answer| {
        requests.with_answers(visit.visitor, search, once, question, answer)
    });
    answer.await.map_err(|error| match error {
        FsError::Refused(refusal) => ApiError::Refused(refusal.to_string()),
        FsError::NotFound => match given.get("db").filter(|path| !path.is_empty()) {
            Some(path) => ApiError::NoDatabase(path.clone()),
            None => error.into(),
        },
        _ => error.into(),
    })
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
    let pattern = Pattern::new(line.position);
    let question = format!("moves {}", line_key(&given, &line));
    let answer = asked(&requests, visit, &given, move |answers, games| {
        kept.get_or_make(games, question, || {
            let table = search_in_turn(answers, false, || answers.moves(&pattern, &|_| ()));
            let table = table.ok_or(FsError::Io(Failure::Index))?;
            Ok(board::moves(&line, &table).to_string().into())
        })
    });
    Ok(json_text(&answer.await?))
}

/// A response with this JSON.
fn json_text(text: &str) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (headers, text.to_owned()).into_response()
}

fn line(given: &HashMap<String, String>) -> Result<PlayedLine, ApiError> {
    let text = |name| given.get(name).map(String::as_str);
    let line = match text("moves") {
        Some(moves) => PlayedLine::read_moves(text("fen"), moves),
        None => PlayedLine::read(text("fen"), text("play")),
    };
    line.map_err(|(name, what)| ApiError::Parameter(name, what))
}

/// True if a request names a position.
fn has_position(given: &HashMap<String, String>) -> bool {
    ["fen", "play", "moves"]
        .iter()
        .any(|&name| given.contains_key(name))
}

/// The part of a cached answer's key that depends on the line and the database of a request.
fn line_key(given: &HashMap<String, String>, line: &PlayedLine) -> String {
    let text = |name| given.get(name).map_or("", String::as_str);
    format!("{:?} {:?}", ["db", "fen"].map(text), line.ucis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::library::Library;
    use pgnfs_server::{ServeOptions, Server};

    #[test]
    fn what_cannot_be_answered_now_may_be_asked_again() {
        for (error, status, after) in [
            (FsError::Again, 503, Some("5")),
            (FsError::Io(Failure::Silent), 503, Some("5")),
            (FsError::NotFound, 404, None),
        ] {
            let what = error.to_string();
            let response = ApiError::Fs(error).into_response();
            let found = response.headers().get(header::RETRY_AFTER);
            let found = found.map(|after| after.to_str().unwrap());
            assert_eq!((response.status().as_u16(), found), (status, after), "{what}");
        }
    }

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
