//! Waits for answers of the library, which come from its own threads.

use std::collections::hash_map::DefaultHasher;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use chessdb_library::positions::{Answers, DatabasePart, IndexState, IndexUse};
use chessdb_library::query::{Query, QueryError};
use chessdb_library::task::while_wanted;
use chessdb_library::turns::in_turn;
use pgnfs_server::{Failure, FsError, Requests, Unanswered};
use serde_json::json;
use tokio::sync::oneshot::{Sender, channel};
use tokio::time::timeout;

use super::limits::HttpLimits;

/// Seconds after which a client may repeat a request that cannot be answered now.
pub(super) const RETRY_AFTER: u16 = 5;

/// Sends an answer to the request that awaits it.
pub(super) type AnswerSender<A> = Box<dyn FnOnce(Result<A, FsError>) + Send>;

/// Sends a request of a visitor to the library, and waits for the answer. If the client disconnects, this future is
/// dropped, which ends the work. A search that has waited too long for its turn is refused.
pub(super) async fn ask<A: Send + 'static>(
    visit: Visit,
    ask: impl FnOnce(AnswerSender<A>) -> Option<Unanswered>,
) -> Result<A, FsError> {
    let (sender, mut answer): (Sender<Result<A, FsError>>, _) = channel();
    let asked = CancelOnDrop(ask(Box::new(|answer| drop(sender.send(answer)))));
    loop {
        match timeout(visit.limits.turn, &mut answer).await {
            Ok(answer) => return answer.unwrap_or(Err(FsError::Io(Failure::Ended))),
            Err(_) if asked.0.as_ref().is_some_and(Unanswered::waits_for_turn) => return Err(FsError::Again),
            Err(_) => {}
        }
    }
}

/// Reads a query of a visitor.
pub(super) async fn read_query(
    requests: &Requests,
    visit: Visit,
    text: String,
) -> Result<Result<Query, QueryError>, FsError> {
    ask(visit, |answer| requests.query(visit.visitor, text, answer)).await
}

/// Searches games while a client waits for the answer. The search takes a [turn](in_turn) if it reads many games: with
/// `reads_all`, or if a database has no index. Opening or building an index takes no turn.
pub(super) fn search_in_turn<T: Send>(
    answers: &Answers,
    reads_all: bool,
    look: impl FnOnce() -> T + Send,
) -> T {
    let has_index = |part: &DatabasePart| match answers.options().index {
        IndexUse::No => false,
        IndexUse::Auto => part.positions.state() == IndexState::Ready,
        IndexUse::Yes => part.positions.prepare(),
    };
    while_wanted(|| {
        if reads_all || !answers.parts().iter().all(has_index) {
            in_turn(look)
        } else {
            look()
        }
    })
}

/// Cancels a request when it is dropped.
struct CancelOnDrop(Option<Unanswered>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.iter().for_each(Unanswered::leave);
    }
}

/// The visitor who makes a request.
#[derive(Clone, Copy, Default)]
pub(super) struct Visit {
    /// The number of the client, for taking turns.
    pub(super) visitor: u32,
    pub(super) limits: HttpLimits,
}

impl Visit {
    pub(super) fn of(client: IpAddr, limits: HttpLimits) -> Visit {
        let visitor = visitor(client);
        Visit { visitor, limits }
    }
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Visit, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or_default())
    }
}

/// The number of a visitor, computed from the address.
fn visitor(address: IpAddr) -> u32 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            // Only the first 64 bits count: a client has a whole network of addresses, and could otherwise take a turn
            // with each of them.
            let mut hash = DefaultHasher::new();
            address.octets()[..8].hash(&mut hash);
            hash.finish() as u32
        }
    }
}

/// Why a request gets no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HttpError {
    /// The library's error.
    Fs(FsError),
    /// The request is invalid. The text is the message for the client.
    Bad(String),
    /// The request names something that does not exist. The text is the message for the client.
    Missing(&'static str),
    /// Another error, with its status.
    Status(StatusCode),
}

impl From<FsError> for HttpError {
    fn from(error: FsError) -> HttpError {
        HttpError::Fs(error)
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            HttpError::Fs(error) => (status_of(&error), error.to_string()),
            HttpError::Bad(what) => (StatusCode::BAD_REQUEST, what),
            HttpError::Missing(what) => (StatusCode::NOT_FOUND, what.to_owned()),
            HttpError::Status(status) => {
                let text = status.canonical_reason().unwrap_or_default();
                (status, text.to_lowercase())
            }
        };
        with_retry_after((status, format!("{text}\n")).into_response())
    }
}

/// Adds `Retry-After` to a response if the library cannot answer now.
pub(super) fn with_retry_after(mut response: Response) -> Response {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        let after = HeaderValue::from(RETRY_AFTER);
        response.headers_mut().insert(header::RETRY_AFTER, after);
    }
    response
}

/// Answers a request for a path that does not exist.
pub(super) async fn nothing_here(uri: Uri) -> Response {
    let what = "nothing is here: the board is at /, the files at /files/";
    missing(StatusCode::NOT_FOUND, &uri, what)
}

/// Answers a request with a method that the path does not allow.
pub(super) async fn no_such_method(uri: Uri) -> Response {
    missing(
        StatusCode::METHOD_NOT_ALLOWED,
        &uri,
        "only GET and HEAD are answered here",
    )
}

fn missing(status: StatusCode, uri: &Uri, what: &str) -> Response {
    if uri.path().starts_with("/api/") {
        let error = json!({ "error": { "what": what, "term": null, "offset": null, "message": what } });
        return (status, Json(error)).into_response();
    }
    (status, format!("{what}\n")).into_response()
}

/// The status for an error of the library. If it is 500, the library has logged the cause.
pub(super) fn status_of(error: &FsError) -> StatusCode {
    match error {
        FsError::NotFound
        | FsError::Refused(_)
        | FsError::NotADirectory
        | FsError::IsADirectory
        | FsError::WrongKind
        | FsError::NoAttribute
        | FsError::Stale
        | FsError::NameTooLong => StatusCode::NOT_FOUND,
        FsError::Again | FsError::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
        FsError::Io(Failure::Silent | Failure::Changed | Failure::Replaced | Failure::Ended) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        FsError::Io(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;
    use chessdb_library::library::Library;
    use chessdb_library::positions::{AnswerOptions, BuildOptions, Positions};
    use chessdb_library::task::Request;
    use pgnfs_server::SearchRefusal;

    /// A search that reads all games, or whose index cannot be built, waits while other searches of the user have all
    /// of the user's turns.
    #[test]
    fn a_search_of_all_games_waits_for_its_turn() {
        const USER: u32 = 4_000_000_001;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pgn"), "1. e4 e5 *\n\n").unwrap();
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let answers = |index, memory| {
            let build = BuildOptions {
                memory,
                folders: &[],
                ..BuildOptions::default()
            };
            let positions = Positions::new(&library.databases()[0], build);
            let options = AnswerOptions {
                index,
                ..AnswerOptions::default()
            };
            Answers::new(DatabasePart::all([Arc::new(positions)]), options)
        };
        let waits = |answers: Answers, reads_all| {
            let request = Request::new(USER);
            thread::scope(|scope| {
                let search = || request.serve(|| search_in_turn(&answers, reads_all, || ()));
                let search = scope.spawn(search);
                while !request.waits() && !search.is_finished() {
                    thread::yield_now();
                }
                let waits = request.waits();
                request.abandon();
                waits
            })
        };
        let (begun, begins) = channel();
        let (ends, _end): (Vec<_>, Vec<_>) = (0..2)
            .map(|_| {
                let (begun, (end, ended)) = (begun.clone(), channel::<()>());
                let hold = move || {
                    begun.send(()).unwrap();
                    let _ = ended.recv();
                };
                let other = thread::spawn(move || Request::new(USER).serve(|| in_turn(hold)));
                begins.recv().unwrap();
                (end, other)
            })
            .unzip();
        let large = BuildOptions::default().memory;
        for (index, memory, reads_all, expected) in [
            (IndexUse::Yes, large, false, false),
            (IndexUse::Yes, large, true, true),
            (IndexUse::Yes, 0, false, true),
            (IndexUse::No, large, false, true),
        ] {
            let found = waits(answers(index, memory), reads_all);
            assert_eq!(found, expected, "{index:?}, {memory} bytes, {reads_all}");
        }
        drop(ends);
    }

    /// Errors after which a client may try again, errors for missing files and errors of the source have different
    /// statuses.
    #[tokio::test]
    async fn each_error_has_its_status_and_its_words() {
        let errors = [
            (FsError::NotFound, 404),
            (FsError::from(SearchRefusal::NoField), 404),
            (FsError::NotADirectory, 404),
            (FsError::IsADirectory, 404),
            (FsError::WrongKind, 404),
            (FsError::NoAttribute, 404),
            (FsError::Stale, 404),
            (FsError::NameTooLong, 404),
            (FsError::Again, 503),
            (FsError::Interrupted, 503),
            (FsError::Io(Failure::Silent), 503),
            (FsError::Io(Failure::Changed), 503),
            (FsError::Io(Failure::Replaced), 503),
            (FsError::Io(Failure::Ended), 503),
            (FsError::Io(Failure::Length(2)), 500),
            (FsError::Io(Failure::Sizes), 500),
            (FsError::Io(Failure::Tags), 500),
            (FsError::Io(Failure::Member(2, 7)), 500),
            (FsError::Io(Failure::Index), 500),
            (FsError::Io(Failure::NoRoom), 500),
            (FsError::Io(Failure::Unexpected), 500),
        ];
        let errors = errors.map(|(error, status)| (HttpError::Fs(error.clone()), status, error.to_string()));
        let others = [
            (HttpError::Bad("x: odd".to_owned()), 400, "x: odd".to_owned()),
            (HttpError::Missing("no such game"), 404, "no such game".to_owned()),
            (
                HttpError::Status(StatusCode::PAYLOAD_TOO_LARGE),
                413,
                "payload too large".to_owned(),
            ),
        ];
        for (error, status, words) in errors.into_iter().chain(others) {
            let what = format!("{error:?}");
            let response = error.into_response();
            assert_eq!(response.status().as_u16(), status, "{what}");
            assert_eq!(
                response.headers().contains_key(header::RETRY_AFTER),
                status == 503,
                "{what}"
            );
            let body = axum::body::to_bytes(response.into_body(), 1000).await.unwrap();
            assert_eq!(body, format!("{words}\n").as_bytes(), "{what}");
        }
    }

    #[test]
    fn a_visitor_is_an_address_or_a_network() {
        let number = |address: &str| visitor(address.parse().unwrap());
        let home = number("2001:db8:1:2::1");
        assert_eq!(number("2001:db8:1:2:ffff:ffff:ffff:ffff"), home);
        assert_ne!(number("2001:db8:1:3::1"), home);
        assert_eq!(number("::ffff:192.0.2.7"), number("192.0.2.7"));
        assert_ne!(number("192.0.2.8"), number("192.0.2.7"));
    }
}
