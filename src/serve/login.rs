//! Passwords: HTTP basic authentication (RFC 7617).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use headers::authorization::Basic;
use headers::{Authorization, HeaderMapExt};
use lru::LruCache;
use parking_lot::Mutex;
use tokio::sync::watch::Receiver;
use tokio::sync::{Mutex as Turn, Semaphore};
use tokio::time::{Instant, sleep};

use crate::secret::read_secret;

/// How long credentials wait before they are compared, if the address has sent wrong ones before. The answer to wrong
/// credentials waits as long.
const PAUSE: Duration = Duration::from_secs(1);

/// How long after the last wrong credentials an address is slowed down.
const RECENT: Duration = Duration::from_secs(60);

/// Maximum number of credentials of one address and name that wait to be compared. Further ones are refused after the
/// pause, without being compared.
const MOST_WAITING: usize = 16;

/// Maximum number of addresses and names whose wrong credentials are remembered.
const MOST_ADDRESSES: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// The names and passwords of users.
///
/// Guessing is slow for each address and name: after wrong credentials, new ones are compared one a second. All unknown
/// names count as one name. Credentials that were right before are recognized by a hash and never wait, so guessing
/// does not delay other users at the same address, for example behind a proxy. Only a user with the guessed name who
/// has not logged in yet may have to wait.
#[derive(Debug)]
pub struct Logins {
    all: Vec<(String, String)>,
    /// Random keys of the hash of credentials, so that no client can predict a hash.
    keys: [RandomState; 2],
    /// The hashes of credentials that were right.
    right: Mutex<HashSet<[u64; 2]>>,
    wrong: Mutex<LruCache<Guessing, Arc<WrongLogins>>>,
}

/// The number of an address, and the number of a user; `None` for an unknown name.
type Guessing = (u32, Option<usize>);

/// The wrong credentials of one address and name.
#[derive(Debug)]
struct WrongLogins {
    last: Mutex<Instant>,
    /// Held while credentials wait to be compared.
    turn: Turn<()>,
    /// How many may wait.
    waiting: Semaphore,
}

impl Logins {
    /// Reads a file with a line `NAME:PASSWORD` for each user.
    ///
    /// # Errors
    /// If it cannot be read, other users can read it, or a line is invalid.
    pub fn read(path: &Path) -> io::Result<Logins> {
        let text = String::from_utf8(read_secret(path)?);
        Logins::parse(&text.map_err(|_| io::Error::other("it is not UTF-8"))?)
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
            keys: Default::default(),
            right: Mutex::default(),
            wrong: Mutex::new(LruCache::new(MOST_ADDRESSES)),
        })
    }

    /// The header with the credentials of the first user.
    pub(super) fn first(&self) -> Option<Authorization<Basic>> {
        let (name, password) = self.all.first()?;
        Some(Authorization::basic(name, password))
    }

    /// The answer to a request without valid credentials; `None` if they are valid. `address` is the number of the
    /// client. When serving ends, waiting ends, too.
    pub(super) async fn refuses_until(
        &self,
        address: u32,
        headers: &HeaderMap,
        mut ends: Receiver<u32>,
    ) -> Option<Response> {
        // Before the first signal, the number is 0.
        let ended = async {
            let _ = ends.wait_for(|&signals| signals > 0).await;
        };
        tokio::select! {
            biased;
            refused = self.refuses(address, headers) => refused,
            () = ended => Some((StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down\n").into_response()),
        }
    }

    async fn refuses(&self, address: u32, headers: &HeaderMap) -> Option<Response> {
        let Some(Authorization(given)) = headers.typed_get::<Authorization<Basic>>() else {
            return Some(unauthorized());
        };
        let given = (given.username(), given.password());
        let hash = [0, 1].map(|n: usize| self.keys[n].hash_one(given));
        if self.right.lock().contains(&hash) {
            return None;
        }
        let guessing = (address, self.all.iter().position(|(name, _)| name == given.0));
        let Some(wrong) = self.recent(guessing) else {
            if self.compares(guessing, given, hash) {
                return None;
            }
            sleep(PAUSE).await;
            return Some(unauthorized());
        };
        let Ok(_permit) = wrong.waiting.try_acquire() else {
            sleep(PAUSE).await;
            let again = [(header::RETRY_AFTER, "1")];
            let what = "too many wrong passwords: try again in a second\n";
            return Some((StatusCode::TOO_MANY_REQUESTS, again, what).into_response());
        };
        // Held during the pause, so that guesses of one address and name are compared one a second.
        let turn = wrong.turn.lock().await;
        // The same credentials may have been found right for another request meanwhile.
        if self.right.lock().contains(&hash) {
            return None;
        }
        sleep(PAUSE).await;
        let is_right = self.compares(guessing, given, hash);
        drop(turn);
        (!is_right).then(unauthorized)
    }

    /// The recent wrong credentials of an address and name.
    fn recent(&self, guessing: Guessing) -> Option<Arc<WrongLogins>> {
        let wrong = self.wrong.lock().get(&guessing).cloned()?;
        let is_recent = wrong.last.lock().elapsed() < RECENT;
        is_recent.then_some(wrong)
    }

    /// Compares credentials and records the result. Returns true if they are right.
    fn compares(&self, guessing: Guessing, given: (&str, &str), hash: [u64; 2]) -> bool {
        // Compares with all credentials and all of their bytes, so that the time reveals nothing.
        let is_right = self.all.iter().fold(false, |is_right, (name, password)| {
            is_right | (is_equal(name, given.0) & is_equal(password, given.1))
        });
        if is_right {
            self.right.lock().insert(hash);
            return true;
        }
        // Order of locks: `wrong`, then `last` of an entry. Neither is held while `right` is held, or while a request
        // waits.
        let mut wrong = self.wrong.lock();
        let now = Instant::now();
        let new = || {
            Arc::new(WrongLogins {
                last: Mutex::new(now),
                turn: Turn::new(()),
                waiting: Semaphore::new(MOST_WAITING),
            })
        };
        *wrong.get_or_insert(guessing, new).last.lock() = now;
        false
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
    use tokio::sync::watch;

    fn asking(name: &str, password: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.typed_insert(Authorization::basic(name, password));
        headers
    }

    #[tokio::test(start_paused = true)]
    async fn a_password_opens() {
        let logins = Logins::parse("magnus:e4 e5:x\n\nhikaru:Nf3\n").unwrap();
        assert!(logins.refuses(1, &asking("magnus", "e4 e5:x")).await.is_none());
        assert!(logins.refuses(1, &asking("hikaru", "Nf3")).await.is_none());
        for (name, password) in [
            ("magnus", "e4"),
            ("magnus", "Nf3"),
            ("hikaru", "Nf3Nf3"),
            ("", ""),
            ("x", "Nf3"),
        ] {
            let refused = logins.refuses(1, &asking(name, password)).await.unwrap();
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{name}:{password}");
        }
        assert_eq!(logins.refuses(1, &HeaderMap::new()).await.unwrap().status(), 401);
        let mut strange = HeaderMap::new();
        strange.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer lip_x"));
        assert_eq!(logins.refuses(1, &strange).await.unwrap().status(), 401);
    }

    async fn status(logins: &Logins, address: u32, password: &str) -> Option<u16> {
        let refused = logins.refuses(address, &asking("a", password)).await;
        refused.map(|response| response.status().as_u16())
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_guesses_one_password_a_second() {
        let logins = Arc::new(Logins::parse("a:b\nc:d").unwrap());
        let begin = Instant::now();
        let guesses: Vec<_> = (0..1 + MOST_WAITING + 5)
            .map(|n| {
                let logins = Arc::clone(&logins);
                // The right password is beyond the limit.
                let guess = if n < 1 + MOST_WAITING { "x" } else { "b" };
                tokio::spawn(async move { (status(&logins, 1, guess).await, begin.elapsed()) })
            })
            .collect();
        let mut answers = Vec::new();
        for guess in guesses {
            answers.push(guess.await.unwrap());
        }
        // The first guess, the guesses beyond the limit, and the others in turn.
        let seconds = |n: u64| Duration::from_secs(n)..Duration::from_millis(1000 * n + 100);
        for (n, (status, after)) in answers.iter().enumerate() {
            let (expected, second) = match n {
                0 => (401, 1),
                n if n <= MOST_WAITING => (401, n as u64),
                _ => (429, 1),
            };
            assert_eq!(*status, Some(expected), "{n}");
            assert!(seconds(second).contains(after), "{n}: {after:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_locked_out_by_guesses() {
        let logins = Arc::new(Logins::parse("a:b\nc:d").unwrap());
        let begin = Instant::now();
        // Credentials that were right before do not wait, even if someone guesses at the same address.
        assert_eq!(status(&logins, 1, "b").await, None);
        assert_eq!(status(&logins, 1, "x").await, Some(401));
        let waiting = tokio::spawn({
            let logins = Arc::clone(&logins);
            async move { status(&logins, 1, "y").await }
        });
        tokio::task::yield_now().await;
        let guessed = begin.elapsed();
        for _ in 0..100 {
            assert_eq!(status(&logins, 1, "b").await, None);
        }
        assert_eq!(begin.elapsed(), guessed);
        // Other users at the address do not wait either, however many guesses wait.
        let many: Vec<_> = (0..MOST_WAITING + 5)
            .flat_map(|_| ["a", "nobody"])
            .map(|name| {
                let logins = Arc::clone(&logins);
                tokio::spawn(async move { logins.refuses(1, &asking(name, "z")).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(logins.refuses(1, &asking("c", "d")).await.is_none());
        assert_eq!(begin.elapsed(), guessed);
        many.iter().for_each(|guess| guess.abort());
        assert_eq!(waiting.await.unwrap(), Some(401));
    }

    #[tokio::test(start_paused = true)]
    async fn the_name_of_a_guess_has_a_turn_at_each_address() {
        let logins = Logins::parse("a:b\nc:d").unwrap();
        assert_eq!(status(&logins, 1, "x").await, Some(401));
        assert_eq!(logins.refuses(1, &asking("y", "x")).await.unwrap().status(), 401);
        // All unknown names count as one.
        let begin = Instant::now();
        for (address, name, password, seconds) in [
            (2, "a", "b", 0),
            (1, "z", "x", 1),
            (1, "c", "d", 0),
            (3, "z", "x", 1),
            (3, "c", "x", 1),
        ] {
            let before = begin.elapsed();
            let refused = logins.refuses(address, &asking(name, password)).await;
            assert_eq!(refused.is_none(), seconds == 0, "{address} {name}");
            assert_eq!(begin.elapsed() - before, PAUSE * seconds, "{address} {name}");
        }
    }

    /// A browser asks for several files at once, with the same password.
    #[tokio::test(start_paused = true)]
    async fn a_right_password_waits_once() {
        let logins = Arc::new(Logins::parse("a:b").unwrap());
        assert_eq!(status(&logins, 1, "x").await, Some(401));
        let begin = Instant::now();
        let requests: Vec<_> = (0..8)
            .map(|_| {
                let logins = Arc::clone(&logins);
                tokio::spawn(async move { status(&logins, 1, "b").await })
            })
            .collect();
        for request in requests {
            assert_eq!(request.await.unwrap(), None);
        }
        assert_eq!(begin.elapsed(), PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn no_login_delays_the_end() {
        let logins = Arc::new(Logins::parse("a:b").unwrap());
        let (end, ends) = watch::channel(0);
        let begin = Instant::now();
        let requests: Vec<_> = (0..MOST_WAITING)
            .map(|_| {
                let (logins, ends) = (Arc::clone(&logins), ends.clone());
                tokio::spawn(async move { logins.refuses_until(1, &asking("a", "x"), ends).await })
            })
            .collect();
        tokio::task::yield_now().await;
        end.send(1).unwrap();
        for request in requests {
            assert_eq!(request.await.unwrap().unwrap().status(), 503);
        }
        assert_eq!(begin.elapsed(), Duration::ZERO);
        // Valid credentials are accepted until the end.
        assert!(logins.refuses_until(2, &asking("a", "b"), ends).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_passwords_are_forgotten_after_a_minute() {
        let logins = Logins::parse("a:b").unwrap();
        assert_eq!(status(&logins, 1, "x").await, Some(401));
        sleep(RECENT).await;
        let begin = Instant::now();
        assert_eq!(status(&logins, 1, "b").await, None);
        assert_eq!(begin.elapsed(), Duration::ZERO);
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
