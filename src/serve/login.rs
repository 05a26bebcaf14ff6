//! Passwords: HTTP basic authentication (RFC 7617).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use headers::authorization::Basic;
use headers::{Authorization, HeaderMapExt};
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// How long a wrong password waits for its answer.
const PAUSE: Duration = Duration::from_secs(1);

/// Number of wrong passwords that wait at a time. More are refused at once.
const MOST_WAITING: usize = 8;

/// The names and passwords of those who may ask.
#[derive(Debug)]
pub struct Logins {
    all: Vec<(String, String)>,
    waiting: Arc<Semaphore>,
}

impl Logins {
    /// Reads a file with a line `NAME:PASSWORD` for each user.
    ///
    /// # Errors
    /// If it cannot be read, others can read it, or a line is wrong.
    pub fn read(path: &Path) -> io::Result<Logins> {
        let mode = fs::metadata(path)?.mode();
        if mode & 0o077 != 0 {
            return Err(io::Error::other(
                "others can read it: chmod 600 makes it yours alone",
            ));
        }
        Logins::parse(&fs::read_to_string(path)?)
    }

    fn parse(text: &str) -> io::Result<Logins> {
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let logins = lines.map(|(line, number)| match line.split_once(':') {
            Some((name, password)) if !name.is_empty() && !password.is_empty() => {
                Ok((name.to_owned(), password.to_owned()))
            }
            _ => Err(io::Error::other(format!("line {number} is not NAME:PASSWORD"))),
        });
        let all = logins.collect::<io::Result<Vec<_>>>()?;
        if all.is_empty() {
            return Err(io::Error::other("it has no line NAME:PASSWORD"));
        }
        Ok(Logins {
            all,
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
        })
    }

    /// The header by which the first of them asks.
    pub(super) fn first(&self) -> Option<Authorization<Basic>> {
        let (name, password) = self.all.first()?;
        Some(Authorization::basic(name, password))
    }

    /// Why a request is refused, if it is.
    pub(super) async fn refuses(&self, headers: &HeaderMap) -> Option<Response> {
        let Some(Authorization(given)) = headers.typed_get::<Authorization<Basic>>() else {
            return Some(unauthorized());
        };
        // All are compared, and all bytes of each, so that the time tells nothing.
        let is_known = self.all.iter().fold(false, |is_known, (name, password)| {
            is_known | (is_equal(name, given.username()) & is_equal(password, given.password()))
        });
        if is_known {
            return None;
        }
        let Ok(_permit) = self.waiting.try_acquire() else {
            let again = [(header::RETRY_AFTER, "1")];
            let what = "too many wrong passwords: ask again in a second\n";
            return Some((StatusCode::TOO_MANY_REQUESTS, again, what).into_response());
        };
        sleep(PAUSE).await;
        Some(unauthorized())
    }
}

fn unauthorized() -> Response {
    let ask = [(
        header::WWW_AUTHENTICATE,
        "Basic realm=\"pgnfs\", charset=\"UTF-8\"",
    )];
    (
        StatusCode::UNAUTHORIZED,
        ask,
        "a name and a password are needed\n",
    )
        .into_response()
}

/// Compares without stopping at the first difference.
fn is_equal(own: &str, given: &str) -> bool {
    let (own, given) = (own.as_bytes(), given.as_bytes());
    let mut difference = own.len() ^ given.len();
    for (n, &byte) in given.iter().enumerate() {
        difference |= usize::from(byte ^ own[n % own.len()]);
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn asking(name: &str, password: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.typed_insert(Authorization::basic(name, password));
        headers
    }

    #[tokio::test(start_paused = true)]
    async fn a_password_opens() {
        let logins = Logins::parse("magnus:e4 e5:x\n\nhikaru:Nf3\n").unwrap();
        assert!(logins.refuses(&asking("magnus", "e4 e5:x")).await.is_none());
        assert!(logins.refuses(&asking("hikaru", "Nf3")).await.is_none());
        for (name, password) in [
            ("magnus", "e4"),
            ("magnus", "Nf3"),
            ("hikaru", "Nf3Nf3"),
            ("", ""),
            ("x", "Nf3"),
        ] {
            let refused = logins.refuses(&asking(name, password)).await.unwrap();
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{name}:{password}");
        }
        assert_eq!(logins.refuses(&HeaderMap::new()).await.unwrap().status(), 401);
        let mut strange = HeaderMap::new();
        strange.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer lip_x"));
        assert_eq!(logins.refuses(&strange).await.unwrap().status(), 401);
    }

    #[tokio::test(start_paused = true)]
    async fn few_wrong_passwords_wait_and_nobody_is_locked_out() {
        let logins = Arc::new(Logins::parse("a:b").unwrap());
        let waiting: Vec<_> = (0..MOST_WAITING)
            .map(|_| {
                let logins = Arc::clone(&logins);
                tokio::spawn(async move { logins.refuses(&asking("a", "c")).await.unwrap().status() })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(logins.refuses(&asking("a", "c")).await.unwrap().status(), 429);
        assert!(logins.refuses(&asking("a", "b")).await.is_none());
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap(), 401);
        }
        assert_eq!(logins.refuses(&asking("a", "c")).await.unwrap().status(), 401);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, what) in [
            ("a:b\nc\n", "line 2"),
            (":b", "line 1"),
            ("a:", "line 1"),
            ("\n", "no line"),
        ] {
            let error = Logins::parse(text).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
