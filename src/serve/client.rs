//! Requests the status of a pgnfs server.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use headers::HeaderMapExt;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::login::Logins;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum length of an answer in bytes.
const LONGEST_ANSWER: usize = 64 << 20;

/// Requests the status of the server at an address, such as `127.0.0.1:9002`. Uses the first of `logins` if it requires
/// a password.
///
/// # Errors
/// If no server, or a different kind of server, answers there.
pub fn ask_status(address: &str, logins: Option<&Logins>) -> io::Result<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let answer = runtime.block_on(async { timeout(PATIENCE, get(address, "/api/status", logins)).await });
    answer.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn get(address: &str, path: &str, logins: Option<&Logins>) -> io::Result<Value> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let request = Request::get(path).header(header::HOST, address);
    let mut request = request.body(Body::empty()).map_err(io::Error::other)?;
    if let Some(login) = logins.and_then(Logins::first) {
        request.headers_mut().typed_insert(login);
    }
    let answer = sender.send_request(request).await.map_err(io::Error::other)?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED => {
            let what = match logins {
                None => "it requires a name and a password: use --login FILE",
                Some(_) => "it refuses the name and the password of --login",
            };
            return Err(io::Error::other(what));
        }
        StatusCode::MISDIRECTED_REQUEST => {
            return Err(io::Error::other("it does not have this name: see serve --host"));
        }
        status => return Err(io::Error::other(format!("it is not a pgnfs server: {status}"))),
    }
    let body: Bytes = to_bytes(Body::new(answer.into_body()), LONGEST_ANSWER)
        .await
        .map_err(io::Error::other)?;
    let is_ours = |status: &Value| status["databases"].is_array();
    let status = serde_json::from_slice(&body).ok().filter(is_ours);
    status.ok_or_else(|| io::Error::other("it is not a pgnfs server"))
}
