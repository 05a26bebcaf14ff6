//! Whether a job on a source that may not answer makes progress.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// What marks are counted from.
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

thread_local! {
    /// The mark of the job that this thread works for.
    static CURRENT: RefCell<Option<Arc<Mark>>> = const { RefCell::new(None) };
}

/// When the source last gave something for a job.
#[derive(Debug, Default)]
pub(super) struct Mark {
    /// Nanoseconds from the begin; 0 when it never did.
    last: AtomicU64,
}

impl Mark {
    /// Takes down that the source gave something.
    pub(super) fn beat(&self) {
        let now = BEGIN.elapsed().as_nanos();
        self.last
            .store(u64::try_from(now).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    /// When the source last gave something, but not before `begin`.
    pub(super) fn last_since(&self, begin: Instant) -> Instant {
        match self.last.load(Ordering::Relaxed) {
            0 => begin,
            last => begin.max(*BEGIN + Duration::from_nanos(last)),
        }
    }
}

/// Takes down that the source gave something for the job that this thread works for.
pub(super) fn beat() {
    CURRENT.with_borrow(|mark| mark.iter().for_each(|mark| mark.beat()));
}

/// The mark of the job that this thread works for.
pub(super) fn current() -> Option<Arc<Mark>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does a part of the job that has this mark.
pub(super) fn work_for<T>(mark: Option<Arc<Mark>>, work: impl FnOnce() -> T) -> T {
    /// Puts the mark from before back, after a panic too.
    struct Before(Option<Arc<Mark>>);

    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }

    let _before = Before(CURRENT.replace(mark));
    work()
}
