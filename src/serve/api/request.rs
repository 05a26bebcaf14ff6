//! What all routes share: their state, and names in requests.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{FromRef, Query as Parameters};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chessdb_library::positions::{Answers, DatabasePart};
use chessdb_library::query::{GameNames, Query, QueryError};
use pgnfs_server::{FsError, Requests};
use serde_json::json;

use super::status::Snapshots;
use crate::serve::answer::{Visit, ask, status_of, with_retry_after};
use crate::serve::answer_cache::{GamesId, KeptAnswers};
use crate::serve::line::PlayedLine;
use crate::serve::search::read_search;

/// The parameters of a request.
pub(super) type Given = Parameters<HashMap<String, String>>;

/// The state that all routes share.
#[derive(Clone)]
pub(super) struct Api {
    pub(super) requests: Requests,
    pub(super) lists: KeptAnswers<Arc<GameList>>,
    /// The names of players and events.
    pub(super) names: KeptAnswers<Arc<GameNames>>,
    /// Answers with tables of moves and with preparations, as JSON.
    pub(super) kept: KeptAnswers<Bytes>,
    pub(super) snapshots: Snapshots,
    pub(super) since: Instant,
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
    pub(super) fn of(requests: Requests) -> Api {
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

/// A window of a sorted list. Windows are cached, because sorting takes longer than showing a page.
pub(super) struct GameList {
    /// The number of games in the whole list.
    pub(super) count: u32,
    /// Numbers among the games of all parts.
    pub(super) games: Box<[u32]>,
    /// The ply where each game has the position, if the request has one.
    pub(super) plies: Option<Box<[u32]>>,
}

/// Why a request gets no answer.
pub(super) enum ApiError {
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
pub(super) async fn search(
    requests: &Requests,
    visit: Visit,
    given: &HashMap<String, String>,
) -> Result<Option<Query>, ApiError> {
    let text = given.get("q").map_or("", |text| text.trim());
    Ok(read_search(requests, visit, text).await??)
}

/// Answers a question about the games that a search finds in the database that a request names by `db`. With
/// `unique=true`, each game counts once. Answers are cached by the [`GamesId`] of all databases.
pub(super) async fn about<A: Send + 'static>(
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

/// A response with this JSON.
pub(super) fn json_text(text: Bytes) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (headers, text).into_response()
}

/// The line that leads to the position of a request.
pub(super) fn line(given: &HashMap<String, String>) -> Result<PlayedLine, ApiError> {
    let text = |name| given.get(name).map(String::as_str);
    let line = match text("moves") {
        Some(moves) => PlayedLine::read_moves(text("fen"), moves),
        None => PlayedLine::read(text("fen"), text("play")),
    };
    line.map_err(|(name, what)| ApiError::Parameter(name, what))
}

/// True if a request names a position.
pub(super) fn has_position(given: &HashMap<String, String>) -> bool {
    ["fen", "play", "moves"]
        .iter()
        .any(|&name| given.contains_key(name))
}

/// The part of a cached answer's key that depends on the line and the database of a request.
pub(super) fn line_key(given: &HashMap<String, String>, line: &PlayedLine) -> String {
    let text = |name| given.get(name).map_or("", String::as_str);
    format!("{:?} {:?}", ["db", "fen"].map(text), line.ucis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgnfs_server::Failure;

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
}
