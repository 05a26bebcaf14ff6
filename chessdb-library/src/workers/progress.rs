//! Progress of jobs on a source that may not answer.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Zero point of the times in marks.
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

thread_local! {
    /// The mark of the job that this thread works on.
    static CURRENT: RefCell<Option<Arc<Mark>>> = const { RefCell::new(None) };
}

/// When the source last returned data for a job.
#[derive(Debug, Default)]
pub struct Mark {
    /// Nanoseconds since [`BEGIN`]; 0 if it never did.
    last: AtomicU64,
}

impl Mark {
    /// Records that the source returned data.
    pub(super) fn beat(&self) {
        let now = BEGIN.elapsed().as_nanos();
        self.last
            .store(u64::try_from(now).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    /// When the source last returned data, or `begin` if that is later.
    pub(super) fn last_since(&self, begin: Instant) -> Instant {
        match self.last.load(Ordering::Relaxed) {
            0 => begin,
            last => begin.max(*BEGIN + Duration::from_nanos(last)),
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
    /// Restores the previous mark on drop, also after a panic.
    struct Previous(Option<Arc<Mark>>);

    impl Drop for Previous {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }

    let _before = Previous(CURRENT.replace(mark));
    work()
}
