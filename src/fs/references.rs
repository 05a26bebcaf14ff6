//! BranchReferences: how many inodes of a branch a front end has given away, minus those that it was given back. The
//! states of a source that they refer to are kept.
//!
//! They are counted here, in the branches, because a map of branches in a front end would need a lock.
//! There is none, and `tests/interleavings/counters.rs` runs all interleavings with loom's atomics.

use super::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The number of references to all inodes of a branch.
pub(super) struct BranchReferences(AtomicI64);

impl BranchReferences {
    pub(super) fn new() -> BranchReferences {
        BranchReferences(AtomicI64::new(0))
    }

    /// True if there are any.
    pub(super) fn exist(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Adds references. Returns true if there were none before.
    fn add(&self, times: u64) -> bool {
        self.0.fetch_add(signed(times), Ordering::Relaxed) == 0
    }

    /// Subtracts references. Returns true if there were some before and are none now.
    fn subtract(&self, times: u64) -> bool {
        let times = signed(times);
        let before = self.0.fetch_sub(times, Ordering::Relaxed);
        before > 0 && before <= times
    }
}

fn signed(times: u64) -> i64 {
    i64::try_from(times).unwrap_or(i64::MAX)
}

/// The number of branches of an earlier epoch that no later epoch has and that have references. It is updated
/// incrementally, because there may be many branches whose references are released one by one.
///
/// [`hold`] and [`release`] are called with the epochs locked for reading, [`InUse::set`] for writing.
pub(super) struct InUse(AtomicUsize);

impl InUse {
    pub(super) fn new() -> InUse {
        InUse(AtomicUsize::new(0))
    }

    /// Sets the number after a recount.
    pub(super) fn set(&self, branches: usize) {
        self.0.store(branches, Ordering::Relaxed);
    }
}

/// Adds references to a branch, which counts in `in_use` if it belongs to an earlier epoch.
pub(super) fn hold(in_use: Option<&InUse>, branch: &BranchReferences, times: u64) {
    if branch.add(times)
        && let Some(in_use) = in_use
    {
        in_use.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Subtracts references. Returns true if `in_use` fell to zero: the epoch may be dropped after a recount.
pub(super) fn release(in_use: Option<&InUse>, branch: &BranchReferences, times: u64) -> bool {
    let is_last = branch.subtract(times);
    in_use.is_some_and(|in_use| is_last && in_use.0.fetch_sub(1, Ordering::Relaxed) == 1)
}
