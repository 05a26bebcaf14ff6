//! Accepts connections, limits them, and closes them.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::watch::{self, Receiver};
use tokio::time::{sleep, timeout};

use super::answer::{RETRY_AFTER, Visit};
use super::limits::HttpLimits;
use super::patience::{Patient, ServingEnd};

/// Number of connections that are served at a time. Further ones get the status 503.
const MOST: usize = 64;

/// Number of connections that are refused with an answer at a time. Further ones are closed without an answer.
const MOST_REFUSED: usize = 16;

/// Maximum length of the head of a request in bytes.
const LONGEST_HEAD: usize = 16 << 10;

/// Maximum number of headers.
const MOST_HEADERS: usize = 100;

/// How long to wait after a connection could not be accepted, for example because no descriptor is free. An immediate
/// new attempt would fail, too.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until the first signal. Downloads are then finished, until the second one.
pub(super) async fn serve(
    listener: TcpListener,
    routes: Router,
    limits: HttpLimits,
    mut signals: Receiver<u32>,
) {
    let (free, refusing) = (
        Arc::new(Semaphore::new(MOST)),
        Arc::new(Semaphore::new(MOST_REFUSED)),
    );
    let graceful = GracefulShutdown::new();
    let (end, ends) = watch::channel(());
    // If the sender is gone, serving ends, too.
    let ended = || {
        let mut ends = ends.clone();
        Box::pin(async move { while ends.changed().await.is_ok() {} }) as ServingEnd
    };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = signals.changed() => break,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
            if let Ok(permit) = Arc::clone(&refusing).try_acquire_owned() {
                let stream = Patient::new(stream, limits, ended());
                tokio::spawn(async move {
                    let _ = timeout(limits.head, refuse(stream)).await;
                    drop(permit);
                });
            }
            continue;
        };
        let visit = Visit::of(client.ip(), limits);
        let connection = graceful.watch(connection(stream, visit, routes.clone(), ended()));
        tokio::spawn(async move {
            // Ignored: a broken connection is not a fault of this program.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop((listener, end));
    let ended = pin!(graceful.shutdown());
    tokio::select! {
        () = ended => {}
        _ = signals.changed() => {}
    }
}

/// Bytes that the kernel buffers for a client. It requests more when the client has taken a third of them, and uses
/// twice as much memory.
const SEND_BUFFER: usize = 128 << 10;

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // Not hyper's timeout: `Patient` distinguishes a slow request from an idle connection.
        .header_read_timeout(None)
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_HEADERS);
    builder
}

type Io = TokioIo<Patient>;

fn connection(
    stream: TcpStream,
    visit: Visit,
    routes: Router,
    end: ServingEnd,
) -> http1::Connection<
    Io,
    impl hyper::service::HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send> + use<>,
> {
    let _ = stream.set_nodelay(true);
    // With a larger buffer, a client that reads slowly would seem to read nothing for a long time.
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
    let stream = Patient::new(stream, visit.limits, end);
    let answers = stream.answers();
    let answer = move |mut request: Request<Incoming>| {
        let underway = answers.begin();
        request.extensions_mut().insert(visit);
        let mut routes = routes.clone();
        async move {
            let request = request.map(Body::new);
            let response = tower_service::Service::call(&mut routes, request).await?;
            Ok(response.map(|body| underway.sending(body)))
        }
    };
    builder().serve_connection(TokioIo::new(stream), service_fn(answer))
}

/// Answers the first request of a connection beyond the limit.
async fn refuse(stream: Patient) -> Result<(), hyper::Error> {
    let answer = |_: Request<Incoming>| async {
        let mut response: Response =
            (StatusCode::SERVICE_UNAVAILABLE, "too many connections\n").into_response();
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, RETRY_AFTER.into());
        Ok::<_, Infallible>(response)
    };
    builder()
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
        .await
}

/// Counts signals that ask the program to end.
///
/// # Errors
/// If they cannot be received.
pub(super) fn signals() -> io::Result<Receiver<u32>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = tokio::sync::watch::channel(0);
    for kind in [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ] {
        let (mut signals, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                sender.send_modify(|count| *count += 1);
            }
        });
    }
    Ok(receiver)
}
