//! Look-up counts: how often the kernel received inodes of a database, minus what it forgot.
//!
//! There is no lock, and `tests/interleavings/counters.rs` runs all interleavings with loom's atomics.

use super::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The sum of the look-up counts of all inodes of a database.
pub(super) struct Lookups(AtomicI64);

impl Lookups {
    pub(super) fn new() -> Lookups {
        Lookups(AtomicI64::new(0))
    }

    /// True if the kernel knows any inode of the database.
    pub(super) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Counts a look-up. Returns true if the kernel knew no inode of the database before.
    fn add(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Subtracts forgotten look-ups. Returns true if the kernel knew an inode before and knows none now.
    fn subtract(&self, times: u64) -> bool {
        let times = i64::try_from(times).unwrap_or(i64::MAX);
        let before = self.0.fetch_sub(times, Ordering::Relaxed);
        before > 0 && before <= times
    }
}

/// The number of databases of an earlier epoch that no later epoch has and whose inodes the kernel knows. It
/// is updated incrementally, because there may be many databases and the kernel forgets their inodes one by
/// one.
///
/// [`remember`] and [`forget`] are called with the epochs locked for reading, [`Known::set`] for writing.
pub(super) struct Known(AtomicUsize);

impl Known {
    pub(super) fn new() -> Known {
        Known(AtomicUsize::new(0))
    }

    /// Sets the number after a recount.
    pub(super) fn set(&self, databases: usize) {
        self.0.store(databases, Ordering::Relaxed);
    }
}

/// Counts a look-up in a database, and in `known` if the database belongs to an earlier epoch.
pub(super) fn remember(known: Option<&Known>, database: &Lookups) {
    if database.add()
        && let Some(known) = known
    {
        known.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Subtracts forgotten look-ups. Returns true if `known` fell to zero: the epoch may be dropped after a
/// recount.
pub(super) fn forget(known: Option<&Known>, database: &Lookups, times: u64) -> bool {
    let is_forgotten = database.subtract(times);
    known.is_some_and(|known| is_forgotten && known.0.fetch_sub(1, Ordering::Relaxed) == 1)
}
