//! Work that is divided among threads.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns the results of `jobs` jobs, in order. `threads` threads, including this one, take one job after
/// another.
pub(super) fn in_parallel<T: Send>(threads: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(jobs));
    let work = || {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return;
            }
            let result = work(job);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((job, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(jobs) {
            // If a thread cannot be created, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(job, _)| job);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_jobs() {
        let squares: Vec<usize> = (0..1000).map(|n| n * n).collect();
        assert_eq!(in_parallel(3, 1000, |n| n * n), squares);
        assert!(in_parallel(3, 0, |n| n).is_empty());
    }
}
