//! References: how many inodes of a branch front ends hold. A branch that the source no longer has is kept while it has
//! references.
//!
//! They are counted here, in the branches, because a map of branches in a front end would need a lock.

use super::atomic::{AtomicI64, Ordering};

/// The number of references to all inodes of a branch.
pub(super) struct BranchReferences(AtomicI64);

impl Default for BranchReferences {
    fn default() -> BranchReferences {
        BranchReferences(AtomicI64::new(0))
    }
}

impl BranchReferences {
    /// Their number.
    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// True if front ends hold references.
    pub(super) fn exist(&self) -> bool {
        self.count() > 0
    }

    /// Adds references.
    pub(super) fn add(&self, times: u64) {
        self.0.fetch_add(signed(times), Ordering::Relaxed);
    }

    /// Subtracts references. Returns true if that removed the last one.
    pub(super) fn subtract(&self, times: u64) -> bool {
        let times = signed(times);
        let before = self.0.fetch_sub(times, Ordering::Relaxed);
        before > 0 && before <= times
    }
}

fn signed(times: u64) -> i64 {
    i64::try_from(times).unwrap_or(i64::MAX)
}
