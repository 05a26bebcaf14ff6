//! The time for workers.

#[cfg(test)]
use std::sync::Arc;
use std::sync::LazyLock;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Zero point of [`Clock::nanoseconds`].
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The current time.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    /// The time of a clock that stands still, in nanoseconds.
    #[cfg(test)]
    stopped: Option<Arc<AtomicU64>>,
}

impl Clock {
    pub(super) fn now(&self) -> Instant {
        Clock::time(self.nanoseconds())
    }

    /// The time as a number.
    pub(super) fn nanoseconds(&self) -> u64 {
        #[cfg(test)]
        if let Some(stopped) = &self.stopped {
            return stopped.load(Ordering::Relaxed);
        }
        u64::try_from(BEGIN.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The time that has this number.
    pub(super) fn time(nanoseconds: u64) -> Instant {
        *BEGIN + Duration::from_nanos(nanoseconds)
    }

    /// A clock for tests, which stands still until it is moved. It starts at one hour.
    #[cfg(test)]
    pub(super) fn stopped() -> Clock {
        Clock {
            stopped: Some(Arc::new(AtomicU64::new(3_600_000_000_000))),
        }
    }

    #[cfg(test)]
    pub(super) fn move_on(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap();
        self.stopped
            .as_ref()
            .unwrap()
            .fetch_add(nanoseconds, Ordering::Relaxed);
    }
}
