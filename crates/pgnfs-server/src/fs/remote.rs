//! A database whose source can hang, because it is on a network or served by another program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chessdb_library::library::LibraryEntry;
use chessdb_library::made::Wait;
use chessdb_library::workers::{Patience, Silence, WorkerOptions, Workers};
use log::Level;

/// Number of quick requests that run at the same time.
const QUICK: usize = 4;

/// Number of requests of each other kind that run at the same time.
const LONG: usize = 8;

/// A source that has not answered for less than this time counts as slow, not as silent.
const SLOW: Duration = Duration::from_secs(1);

/// The threads that must answer a request.
pub enum RunOn {
    /// The user's threads for requests that may wait: many games may have to be decoded, or a view built.
    UserWorkers,
    /// The user's threads that parse queries.
    QueryWorkers,
    /// Only these workers, because the source can hang.
    Workers(Arc<Workers>),
}

impl RunOn {
    /// The threads that may wait for this.
    pub(super) fn of(remote: Option<&Remote>, wait: Wait) -> RunOn {
        match remote {
            Some(remote) => RunOn::Workers(remote.workers_for(wait)),
            None => RunOn::UserWorkers,
        }
    }
}

/// The threads that access the files of one database. No other thread does, so no other thread can hang.
pub(super) struct Remote {
    /// For requests that need a few bytes.
    pub(super) quick: Arc<Workers>,
    /// For requests that may need many games, each on its own.
    pub(super) long: Arc<Workers>,
    /// For requests that wait for sizes or for views. This work is done once, and requests for the same work
    /// wait for it.
    pub(super) common: Arc<Workers>,
    /// For the background pass.
    pub(super) background: Workers,
}

impl Remote {
    /// Creates the workers of a database.
    pub(super) fn new(entry: &LibraryEntry, timeout: Duration) -> Arc<Remote> {
        for map in &entry.maps {
            map.unmap_aside();
        }
        Arc::new(Remote::of_name(entry.name(), timeout))
    }

    /// Creates the workers; `name` identifies the source in the log.
    pub(super) fn of_name(name: &str, timeout: Duration) -> Remote {
        let silence = Silence::new(name.to_owned(), Level::Error, Some(timeout));
        let silence = Arc::new(silence);
        let workers = |name, threads, patience, refuse| {
            Workers::new(WorkerOptions {
                name,
                threads,
                timeout: Some(timeout),
                patience,
                silence: Some(Arc::clone(&silence)),
                refuse,
                ..WorkerOptions::default()
            })
        };
        Remote {
            quick: Arc::new(workers("remote", QUICK, Patience::None, true)),
            long: Arc::new(workers("remote-long", LONG, Patience::Own, true)),
            common: Arc::new(workers("remote-common", LONG, Patience::Common, true)),
            background: workers("remote-pass", 1, Patience::Own, false),
        }
    }

    /// The workers for a request that has to wait for this.
    pub(super) fn workers_for(&self, wait: Wait) -> Arc<Workers> {
        let workers = match wait {
            Wait::None => &self.quick,
            Wait::Common => &self.common,
            Wait::Own => &self.long,
        };
        Arc::clone(workers)
    }

    /// How long the source has not answered, if longer than [`SLOW`].
    pub(super) fn silence(&self) -> Option<Duration> {
        let all = [&*self.quick, &*self.long, &*self.common, &self.background];
        let oldest = all.into_iter().filter_map(Workers::oldest).min()?;
        let silence = Instant::now().saturating_duration_since(oldest);
        (silence > SLOW).then_some(silence)
    }
}
