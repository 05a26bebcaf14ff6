//! How long clients may keep the server waiting, and each other.

use std::time::Duration;

/// After how long a request, a connection or an answer is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// How long a request may take to arrive, from its first byte on.
    pub request: Duration,
    /// How long an idle connection waits for the next request.
    pub idle: Duration,
    /// How long a client may take no byte of an answer.
    pub silence: Duration,
    /// How long a search may wait for its turn.
    pub turn: Duration,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            request: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            silence: Duration::from_secs(10),
            turn: Duration::from_secs(30),
        }
    }
}
