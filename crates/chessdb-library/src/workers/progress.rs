//! Progress of jobs on a source that may not answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::clock::Clock;

/// When the source last returned data for a job.
#[derive(Debug)]
pub struct Mark {
    clock: Clock,
    /// The time as a number; 0 if it never did.
    last: AtomicU64,
}

impl Mark {
    pub(super) fn new(clock: &Clock) -> Arc<Mark> {
        Arc::new(Mark {
            clock: clock.clone(),
            last: AtomicU64::new(0),
        })
    }

    /// Records that the source returned data.
    pub(crate) fn record(&self) {
        self.last
            .store(self.clock.nanoseconds().max(1), Ordering::Relaxed);
    }

    /// When the source last returned data, or `begin` if that is later.
    pub(super) fn last_since(&self, begin: Instant) -> Instant {
        match self.last.load(Ordering::Relaxed) {
            0 => begin,
            last => begin.max(Clock::time(last)),
        }
    }
}
