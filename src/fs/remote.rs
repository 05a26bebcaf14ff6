//! A database whose source may not answer: on a network, or served by another program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pool::{Pool, PoolOptions, Pulse};
use crate::library::LibraryEntry;

/// Requests that are answered at a time.
const QUICK: usize = 4;

/// Requests that may need many games.
const LONG: usize = 16;

/// A source that says nothing for less time is only slow.
const SLOW: Duration = Duration::from_secs(1);

/// The threads that touch the files of one database. No other thread does, so that no other one hangs with them.
pub(super) struct Remote {
    /// For requests that need a few bytes.
    pub(super) quick: Arc<Pool>,
    /// For requests that may need many games.
    pub(super) long: Arc<Pool>,
    /// For the background pass.
    pub(super) background: Pool,
}

impl Remote {
    /// Pools for a database, and the database for what works in them.
    pub(super) fn new(entry: &LibraryEntry, timeout: Duration) -> (Arc<Remote>, Arc<LibraryEntry>) {
        let pulse = Arc::new(Pulse::new(entry.name().to_owned()));
        let pool = |name, threads, is_patient| {
            let options = PoolOptions {
                name,
                threads,
                timeout,
                is_patient,
            };
            Pool::new(options, &pulse)
        };
        let remote = Remote {
            quick: Arc::new(pool("remote", QUICK, false)),
            long: Arc::new(pool("remote-long", LONG, true)),
            background: pool("remote-pass", 1, true),
        };
        for map in &entry.maps {
            map.unmap_aside();
        }
        let heard = entry.heard(move || pulse.beat());
        (Arc::new(remote), Arc::new(heard))
    }

    /// For how long the source has not answered, where that is longer than it should be.
    pub(super) fn silence(&self) -> Option<Duration> {
        let pools = [&*self.quick, &*self.long, &self.background];
        let oldest = pools.into_iter().filter_map(Pool::oldest).min()?;
        let silence = Instant::now().saturating_duration_since(oldest);
        (silence > SLOW).then_some(silence)
    }
}
