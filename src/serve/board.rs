//! The web board: a page with its scripts, which are part of the program.

use axum::Router;
use axum::http::header;
use axum::routing::get;

/// The files by address.
static FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("board/index.html")),
    (
        "/board/board.css",
        "text/css; charset=utf-8",
        include_str!("board/board.css"),
    ),
    ("/board/icon.svg", "image/svg+xml", include_str!("board/icon.svg")),
    ("/board/api.js", SCRIPT, include_str!("board/api.js")),
    ("/board/board.js", SCRIPT, include_str!("board/board.js")),
    ("/board/box.js", SCRIPT, include_str!("board/box.js")),
    ("/board/dom.js", SCRIPT, include_str!("board/dom.js")),
    ("/board/main.js", SCRIPT, include_str!("board/main.js")),
    ("/board/pieces.js", SCRIPT, include_str!("board/pieces.js")),
    ("/board/prepare.js", SCRIPT, include_str!("board/prepare.js")),
    ("/board/search.js", SCRIPT, include_str!("board/search.js")),
    ("/board/views.js", SCRIPT, include_str!("board/views.js")),
    (
        "/listing.css",
        "text/css; charset=utf-8",
        include_str!("listing.css"),
    ),
    (
        "/robots.txt",
        "text/plain; charset=utf-8",
        "User-agent: *\nDisallow: /\n",
    ),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The routes of the files.
pub(super) fn routes() -> Router {
    FILES.iter().fold(Router::new(), |routes, &(path, media, text)| {
        let headers = [(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, "no-cache")];
        routes.route(path, get(move || async move { (headers, text) }))
    })
}
