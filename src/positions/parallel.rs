//! Work on many games in parallel.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Number of games that a thread takes at a time.
const CHUNK: u32 = 1024;

/// Calls `work` for the chunks of `0..len` on `threads` threads, including this one, and returns the results
/// in the order of the chunks. `done` is called with the number of games of each finished chunk.
pub(crate) fn chunks<T: Send>(
    len: u32,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
    work: impl Fn(Range<u32>) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU32::new(0);
    let results = Mutex::new(Vec::new());
    let last = len.div_ceil(CHUNK);
    let run = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= last {
                return;
            }
            let games = chunk * CHUNK..(chunk * CHUNK).saturating_add(CHUNK).min(len);
            let number = games.len() as u64;
            let result = work(games);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((chunk, result));
            done(number);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(last as usize) {
            let other = thread::Builder::new().name("pgnfs-positions".to_owned());
            // The remaining threads do the work of the missing one.
            if let Err(error) = other.spawn_scoped(scope, run) {
                log::warn!("no thread for positions: {error}");
                break;
            }
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(chunk, _)| *chunk);
    results.into_iter().map(|(_, result)| result).collect()
}
