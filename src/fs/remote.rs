//! A database whose source may not answer: on a network, or served by another program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pool::{Patience, Pool, PoolOptions};
use super::progress;
use super::silence::Silence;
use crate::library::LibraryEntry;

/// Requests that are answered at a time.
const QUICK: usize = 4;

/// Requests of each kind that may need many games.
const LONG: usize = 8;

/// A source that says nothing for less time is only slow.
const SLOW: Duration = Duration::from_secs(1);

/// The threads that touch the files of one database. No other thread does, so that no other one hangs with them.
pub(super) struct Remote {
    /// For requests that need a few bytes.
    pub(super) quick: Arc<Pool>,
    /// For requests that may need many games, each on its own.
    pub(super) long: Arc<Pool>,
    /// For requests that wait for sizes or for views. That work is done once, and who comes meanwhile waits for it.
    pub(super) common: Arc<Pool>,
    /// For the background pass.
    pub(super) background: Pool,
}

impl Remote {
    /// Pools for a database, and the database for what works in them.
    pub(super) fn new(entry: &LibraryEntry, timeout: Duration) -> (Arc<Remote>, Arc<LibraryEntry>) {
        let silence = Arc::new(Silence::new(entry.name().to_owned()));
        let pool = |name, threads, patience, is_for_requests| {
            let options = PoolOptions {
                name,
                threads,
                timeout,
                patience,
                is_for_requests,
            };
            Pool::new(options, &silence)
        };
        let remote = Remote {
            quick: Arc::new(pool("remote", QUICK, Patience::None, true)),
            long: Arc::new(pool("remote-long", LONG, Patience::Own, true)),
            common: Arc::new(pool("remote-common", LONG, Patience::Common, true)),
            background: pool("remote-pass", 1, Patience::Own, false),
        };
        for map in &entry.maps {
            map.unmap_aside();
        }
        let heard = entry.heard(progress::beat);
        (Arc::new(remote), Arc::new(heard))
    }

    /// For how long the source has not answered, where that is longer than it should be.
    pub(super) fn silence(&self) -> Option<Duration> {
        let pools = [&*self.quick, &*self.long, &*self.common, &self.background];
        let oldest = pools.into_iter().filter_map(Pool::oldest).min()?;
        let silence = Instant::now().saturating_duration_since(oldest);
        (silence > SLOW).then_some(silence)
    }
}
