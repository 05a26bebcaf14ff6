//! The library over HTTP, for people and programs without FUSE.
//!
//! Every answer comes from [`pgnfs_server::Requests`], whose threads do the work. Only this module uses the
//! asynchronous runtime, and only to move bytes. Long JSON, such as a long game, is sent in pieces, which are made in
//! blocking threads (`pieces`).

mod answer;
mod answer_cache;
mod api;
mod board;
mod client;
mod connections;
mod explorer;
mod files;
mod guard;
mod html;
mod limits;
mod line;
mod login;
mod path;
mod patience;
mod player;
mod search;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, options};
use hyper::body::Body as _;
use pgnfs_server::{Requests, Server};
use tokio::net::TcpListener;
use tokio::sync::watch::Receiver;

use answer::Visit;
pub use client::ask_status;
pub use guard::Guard;
pub use limits::HttpLimits;
pub use login::Logins;

/// Where to listen, and which clients to accept.
#[derive(Debug)]
pub struct HttpOptions {
    /// The address; port 0 picks a free port.
    pub listen: SocketAddr,
    /// The host names and origins that are accepted.
    pub guard: Guard,
    /// The clients that may send requests; `None` for everyone.
    pub logins: Option<Logins>,
    /// Time limits for clients.
    pub limits: HttpLimits,
}

/// Decides which requests are answered.
struct Gate {
    guard: Guard,
    logins: Option<Logins>,
    /// Counts the signals that ask the program to end.
    ends: Receiver<u32>,
}

/// Serves until a signal asks the program to end. Calls `ready` with the address when connections are accepted.
///
/// # Errors
/// If the address is taken, or a thread cannot be started.
pub fn serve(server: &Server, options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    serve_within(server, options, ready, connections::signals)
}

/// Serves until `ends` changes. Open downloads are then finished, unless it changes again.
///
/// # Errors
/// If the address is taken, or a thread cannot be started.
pub fn serve_until(
    server: &Server,
    options: HttpOptions,
    ready: impl FnOnce(SocketAddr),
    ends: Receiver<u32>,
) -> io::Result<()> {
    serve_within(server, options, ready, || Ok(ends))
}

fn serve_within(
    server: &Server,
    options: HttpOptions,
    ready: impl FnOnce(SocketAddr),
    ends: impl FnOnce() -> io::Result<Receiver<u32>>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("http")
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let ends = ends()?;
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let limits = options.limits;
        let routes = routes(server.requests().clone(), options, address, ends.clone());
        ready(address);
        connections::serve(listener, routes, limits, ends).await;
        Ok(())
    })
}

/// Threads that read requests and send answers.
const THREADS: usize = 2;

fn routes(requests: Requests, http: HttpOptions, address: SocketAddr, ends: Receiver<u32>) -> Router {
    let mut guard = http.guard;
    guard.any_address |= address.ip().is_unspecified();
    guard
        .hosts
        .extend([host_of(address.ip()), "localhost".to_owned()]);
    let gate = Arc::new(Gate {
        guard,
        logins: http.logins,
        ends,
    });
    Router::new()
        .route("/", options(files::options))
        .route("/files", any(files::answer))
        .route("/files/", any(files::answer))
        .route("/files/{*path}", any(files::answer))
        .with_state(requests.clone())
        .merge(api::routes(requests.clone()))
        .merge(board::routes())
        .merge(explorer::routes(requests))
        .fallback(answer::nothing_here)
        .method_not_allowed_fallback(answer::no_such_method)
        .layer(from_fn_with_state(gate, pass))
}

/// An IP address in the form of a `Host` header.
fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Passes a request on if the gate allows it.
async fn pass(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    // A request in the form for proxies has the server's name in its target, which overrides the `Host` header (RFC
    // 9112, section 3.2.2).
    let named = request.uri().authority().map(|named| named.as_str().to_owned());
    if let Some(named) = named.and_then(|named| HeaderValue::try_from(named).ok()) {
        request.headers_mut().insert(header::HOST, named);
    }
    let (asked, path) = (request.headers().clone(), request.uri().path().to_owned());
    let (method, has_body) = (request.method().clone(), !request.body().is_end_stream());
    let may_have_body = !matches!(method, Method::GET | Method::HEAD);
    let visit = request.extensions().get().copied().unwrap_or_default();
    let mut response = match gate.refuses(visit, &method, &path, &asked).await {
        Some(refused) => refused,
        None if has_body && !may_have_body => {
            (StatusCode::PAYLOAD_TOO_LARGE, "requests have no body here\n").into_response()
        }
        None => next.run(request).await,
    };
    gate.guard.finish(&path, &asked, &mut response);
    response
}

impl Gate {
    /// The answer to a refused request; `None` if it is accepted.
    async fn refuses(
        &self,
        visit: Visit,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<Response> {
        let answered = self.guard.refuses(path, headers);
        let answered = answered.or_else(|| self.guard.preflight(method, path, headers));
        match (&self.logins, answered) {
            (Some(logins), None) => {
                let ends = self.ends.clone();
                logins.refuses_until(visit.visitor, headers, ends).await
            }
            (_, answered) => answered,
        }
    }
}
