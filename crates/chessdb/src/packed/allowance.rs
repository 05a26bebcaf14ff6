//! Limits how many bytes an archive may unpack to. Sound archives stay below the limit, and archives made to do harm
//! are stopped early.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::PackedError;

/// Number of unpacked bytes that any archive may have, whatever its size.
const FREE: u64 = 64 << 20;
/// Maximum ratio of unpacked to packed size, beyond [`FREE`].
const MOST_TIMES: u64 = 100;
/// Maximum number of unpacked bytes that an archive keeps in memory.
const MOST_IN_MEMORY: u64 = 4 << 30;

/// The number of bytes that an archive may still unpack to. Its members, and the threads that unpack them, share it.
#[derive(Debug)]
pub struct Allowance {
    left: AtomicU64,
}

impl Allowance {
    /// For an archive of this number of bytes: 100 times as many, at least 64 MiB.
    pub fn of(packed: u64) -> Allowance {
        Allowance {
            left: AtomicU64::new(packed.saturating_mul(MOST_TIMES).max(FREE)),
        }
    }

    /// Like [`Allowance::of`], but at most 4 GiB, for an archive whose unpacked bytes stay in memory.
    pub fn in_memory(packed: u64) -> Allowance {
        Allowance {
            left: AtomicU64::new(packed.saturating_mul(MOST_TIMES).clamp(FREE, MOST_IN_MEMORY)),
        }
    }

    /// For an archive whose bytes are used in place: enough to use each byte once.
    pub fn in_place(len: u64) -> Allowance {
        Allowance {
            left: AtomicU64::new(len),
        }
    }

    /// Number of bytes that are left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes bytes. Call this while unpacking, before the bytes are kept, and not only at the end.
    ///
    /// # Errors
    /// [`PackedError::TooLarge`] if fewer are left. After that, nothing is left for other members either.
    pub fn take(&self, bytes: u64) -> Result<(), PackedError> {
        let less = |left: u64| Some(left.saturating_sub(bytes));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if before.unwrap_or_else(|left| left) < bytes {
            Err(PackedError::TooLarge)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_may_unpack_to_64_mib_and_to_100_times_its_size() {
        assert_eq!(Allowance::of(0).left(), 64 << 20);
        assert_eq!(Allowance::of(1 << 20).left(), 100 << 20);
        assert_eq!(Allowance::of(1 << 40).left(), 100 << 40);
        assert_eq!(Allowance::in_memory(1 << 40).left(), 4 << 30);
        assert_eq!(Allowance::of(u64::MAX).left(), u64::MAX);
    }

    #[test]
    fn members_share_it() {
        let allowance = Allowance::of(0);
        assert_eq!(allowance.take(40 << 20), Ok(()));
        assert_eq!(allowance.take(24 << 20), Ok(()));
        assert_eq!(allowance.take(1), Err(PackedError::TooLarge));
        assert_eq!(allowance.left(), 0);
        let in_place = Allowance::in_place(10);
        assert_eq!(
            (in_place.take(10), in_place.take(1)),
            (Ok(()), Err(PackedError::TooLarge))
        );
    }
}
