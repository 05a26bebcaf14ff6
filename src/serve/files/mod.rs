//! The tree of files: `GET` and `HEAD` of files and directories, and `PROPFIND` of WebDAV.

mod content;
mod file;
mod listing;
mod request;
mod webdav;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pgnfs_server::{FsError, Kind, Requests};

use super::answer::{HttpError, Visit};
use super::path::TreePath;
use request::TreeRequest;

/// The methods of all paths below `/files`.
const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS, PROPFIND");

/// Answers a request for a path below `/files`.
pub(super) async fn answer(State(requests): State<Requests>, visit: Visit, request: Request) -> Response {
    let address = request.uri().path();
    let address = address.strip_prefix("/files").unwrap_or_default();
    let Some(path) = TreePath::read(address) else {
        return HttpError::Bad("this path has a name that cannot be in the tree".to_owned()).into_response();
    };
    let (parts, body) = request.into_parts();
    let tree = TreeRequest {
        requests,
        visit,
        path,
        headers: parts.headers,
        query: parts.uri.query().unwrap_or_default().to_owned(),
    };
    let answered = match parts.method.as_str() {
        "GET" | "HEAD" => tree.get(parts.method == Method::HEAD).await,
        "OPTIONS" => Ok(webdav::options(ALLOWED)),
        "PROPFIND" => tree.properties(body).await,
        _ => {
            let what = "the files can only be read\n";
            return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, ALLOWED)], what).into_response();
        }
    };
    answered.into_response()
}

/// Answers `OPTIONS` for the root of the server, with which Windows finds out whether the server has WebDAV.
pub(super) async fn options() -> Response {
    webdav::options(HeaderValue::from_static("GET, HEAD, OPTIONS"))
}

impl TreeRequest {
    async fn get(&self, is_head: bool) -> Result<Response, HttpError> {
        let found = match self.find(&self.path).await {
            Err(FsError::NotADirectory) => return self.redirect().await,
            found => found?,
        };
        match (found.kind, self.path.is_directory) {
            (Kind::Link, _) => self.redirect().await,
            (Kind::File, false) => self.file(&found, is_head).await,
            (Kind::File, true) => Err(FsError::NotFound.into()),
            (Kind::Directory, true) => self.listing(&found).await,
            (Kind::Directory, false) => {
                let directory = TreePath {
                    is_directory: true,
                    ..self.path.clone()
                };
                Ok(moved(StatusCode::PERMANENT_REDIRECT, &directory))
            }
        }
    }

    /// Redirects the client to the path without links.
    async fn redirect(&self) -> Result<Response, HttpError> {
        let (path, _) = self.without_links(&self.path).await?;
        Ok(moved(StatusCode::TEMPORARY_REDIRECT, &path))
    }
}

fn moved(status: StatusCode, to: &TreePath) -> Response {
    // An address has ASCII characters only.
    let to = HeaderValue::try_from(to.address());
    match to {
        Ok(to) => (status, [(header::LOCATION, to)]).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
