//! Lookup counts: how often the kernel was given the inodes of a database, less what it forgot.
//!
//! There is no lock here, so `tests/counters.rs` can play every order of the steps with loom's atomics.

use super::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The lookup counts of all inodes of a database together.
pub(super) struct Lookups(AtomicI64);

impl Lookups {
    pub(super) fn new() -> Lookups {
        Lookups(AtomicI64::new(0))
    }

    /// True while the kernel knows one of the inodes.
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Counts a lookup. True where the kernel knew no inode before.
    fn add(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Counts lookups that were forgotten. True where the kernel knows no inode any longer, and did before.
    fn subtract(&self, times: u64) -> bool {
        let times = i64::try_from(times).unwrap_or(i64::MAX);
        let before = self.0.fetch_sub(times, Ordering::Relaxed);
        before > 0 && before <= times
    }
}

/// The number of databases that the kernel knows of those that only an earlier epoch has. It is counted along, because
/// there may be many databases, and the kernel forgets them one by one.
///
/// A lookup and a forgetting hold the epochs for reading, [`Known::set`] holds them for writing.
pub(super) struct Known(AtomicUsize);

impl Known {
    pub(super) fn new() -> Known {
        Known(AtomicUsize::new(0))
    }

    /// Sets the number, after it was counted.
    pub(super) fn set(&self, databases: usize) {
        self.0.store(databases, Ordering::Relaxed);
    }
}

/// Counts a lookup in a database that is one of these, if of any.
pub(super) fn remember(known: Option<&Known>, database: &Lookups) {
    if database.add()
        && let Some(known) = known
    {
        known.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts lookups that were forgotten. True where no database of these is known any longer: they are to be counted.
pub(super) fn forget(known: Option<&Known>, database: &Lookups, times: u64) -> bool {
    let is_forgotten = database.subtract(times);
    known.is_some_and(|known| is_forgotten && known.0.fetch_sub(1, Ordering::Relaxed) == 1)
}
