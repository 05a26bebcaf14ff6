//! Progress of jobs on a source that may not answer.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::clock::Clock;
use crate::within::within;

thread_local! {
    /// The mark of the job that this thread works on.
    static CURRENT: RefCell<Option<Arc<Mark>>> = const { RefCell::new(None) };
}

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
    pub(super) fn beat(&self) {
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

/// Records that the source returned data for the current job of this thread.
pub fn beat() {
    CURRENT.with_borrow(|mark| mark.iter().for_each(|mark| mark.beat()));
}

/// The mark of the current job of this thread.
pub fn current() -> Option<Arc<Mark>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does a part of the job with this mark in this thread.
pub fn work_for<T>(mark: Option<Arc<Mark>>, work: impl FnOnce() -> T) -> T {
    within(&CURRENT, mark, work)
}
