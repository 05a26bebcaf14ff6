//! Time limits for clients.

use std::time::Duration;

/// How long to wait for clients, and for a search's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// How long the head of a request may take to arrive, counted from its first byte. Once the program was asked to
    /// end, it no longer waits for heads.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long an idle connection waits for the next request.
    pub idle: Duration,
    /// How long a client may stall while it receives an answer.
    pub silence: Duration,
    /// How long a search may wait for its turn.
    pub turn: Duration,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            silence: Duration::from_secs(10),
            turn: Duration::from_secs(30),
        }
    }
}
