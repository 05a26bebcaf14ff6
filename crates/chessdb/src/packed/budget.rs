//! A limit on memory that threads share. Each waits until enough is free.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Memory whose thread has made no progress for this long no longer counts, because the thread may be waiting for a
/// file system that does not answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause before another attempt to get enough memory.
const PAUSE: Duration = Duration::from_millis(50);

/// A number of bytes that may be in use at the same time.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    uses: Mutex<Vec<Arc<MemoryUse>>>,
    /// Signalled when memory is given back.
    freed: Condvar,
}

/// Memory that is in use.
#[derive(Debug)]
struct MemoryUse {
    bytes: usize,
    /// When its thread last made progress, in milliseconds since the first call of [`now`].
    moved: AtomicU64,
}

/// Memory reserved by a thread. Dropping this gives it back.
#[derive(Debug)]
pub(crate) struct Reserved {
    budget: Arc<Budget>,
    used: Arc<MemoryUse>,
}

/// The time in milliseconds since the first call.
fn now() -> u64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(BEGIN.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Budget {
    /// A budget of `most` bytes. A thread may exceed it if no other thread uses memory.
    pub(crate) fn new(most: usize) -> Arc<Budget> {
        Arc::new(Budget {
            most,
            uses: Mutex::default(),
            freed: Condvar::new(),
        })
    }

    /// Waits until this number of bytes may be used. Calls `make_room` with the time waited so far; it returns true if
    /// it has given back unneeded memory.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: usize, make_room: impl Fn(Duration) -> bool) -> Reserved {
        let begin = Instant::now();
        let mut uses = self.uses();
        while !self.has_room(&uses, bytes, |_| true) {
            // `make_room` gives back memory, which needs the lock.
            drop(uses);
            let is_made = make_room(begin.elapsed());
            uses = self.uses();
            if is_made {
                continue;
            }
            let time = now();
            if self.has_room(&uses, bytes, |used| !used.stands_still(time)) {
                break;
            }
            let woken = self.freed.wait_timeout(uses, PAUSE);
            uses = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let moved = AtomicU64::new(now());
        let used = Arc::new(MemoryUse { bytes, moved });
        uses.push(Arc::clone(&used));
        let budget = Arc::clone(self);
        Reserved { budget, used }
    }

    /// True if there is room for this number of bytes in addition to the memory that counts.
    fn has_room(&self, uses: &[Arc<MemoryUse>], bytes: usize, counts: impl Fn(&MemoryUse) -> bool) -> bool {
        let counting = uses.iter().filter(|used| counts(used));
        let used: usize = counting.map(|used| used.bytes).sum();
        // If no other memory counts, a thread gets any amount, because no other thread could give back enough for it.
        used == 0 || used.saturating_add(bytes) <= self.most
    }

    /// Number of bytes in use.
    pub(crate) fn reserved(&self) -> usize {
        self.uses().iter().map(|used| used.bytes).sum()
    }

    fn uses(&self) -> MutexGuard<'_, Vec<Arc<MemoryUse>>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the threads that wait for memory, because some memory may no longer be needed.
    pub(crate) fn wake(&self) {
        self.freed.notify_all();
    }
}

impl MemoryUse {
    fn stands_still(&self, now: u64) -> bool {
        let moved = self.moved.load(Ordering::Relaxed);
        u128::from(now.saturating_sub(moved)) >= PATIENCE.as_millis()
    }
}

impl Reserved {
    /// Number of bytes.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    pub(crate) fn bytes(&self) -> usize {
        self.used.bytes
    }

    /// Records that the thread that uses the memory makes progress.
    pub(crate) fn moves(&self) {
        self.used.moved.store(now(), Ordering::Relaxed);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut uses = self.budget.uses();
        uses.retain(|used| !Arc::ptr_eq(used, &self.used));
        drop(uses);
        self.budget.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn threads_wait_for_memory() {
        let budget = Budget::new(100);
        let first = budget.reserve(50, |_| false);
        let second = budget.reserve(50, |_| false);
        assert_eq!(budget.reserved(), 100);
        let (send, receive) = channel();
        let other = Arc::clone(&budget);
        let waiting = thread::spawn(move || {
            let third = other.reserve(50, |_| false);
            send.send(other.reserved()).unwrap();
            drop(third);
        });
        drop(first);
        assert_eq!(receive.recv(), Ok(100));
        waiting.join().unwrap();
        drop(second);
        assert_eq!(budget.reserved(), 0);
        // A single thread may use more than the budget.
        drop(budget.reserve(200, |_| false));
    }

    #[test]
    fn only_memory_that_stands_still_is_not_counted() {
        let budget = Budget::new(100);
        let [moving, still] = [50, 50].map(|bytes| budget.reserve(bytes, |_| false));
        let later = now() + 60_000;
        moving.used.moved.store(later - 1, Ordering::Relaxed);
        let uses = budget.uses().clone();
        let has_room = |bytes| budget.has_room(&uses, bytes, |used| !used.stands_still(later));
        assert!(has_room(50));
        assert!(!has_room(51));
        drop((moving, still));
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn memory_that_is_used_moves() {
        let budget = Budget::new(100);
        let memory = budget.reserve(100, |_| false);
        memory.used.moved.store(u64::MAX, Ordering::Relaxed);
        memory.moves();
        assert!(memory.used.moved.load(Ordering::Relaxed) <= now());
    }
}
