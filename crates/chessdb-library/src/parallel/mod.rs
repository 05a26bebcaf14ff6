//! Work on many games in parallel.

mod ordered;

use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::task::{self, Cancelled};
pub use ordered::in_order;

/// Number of games that a thread takes at a time.
const CHUNK: u32 = 1024;

/// Calls `work` for each item, in `threads` threads, including this one, and returns the results in the order of the
/// items.
pub fn at_once<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = items.len();
    let items = Mutex::new(items.into_iter().enumerate());
    let results = Mutex::new(Vec::new());
    let next = || items.lock().next();
    let run = || {
        while let Some((n, item)) = next() {
            task::check();
            let result = work(item);
            results.lock().push((n, result));
        }
    };
    in_threads(threads, run);
    sorted(results)
}

/// Calls `work` for the chunks of `0..len` on `threads` threads, including this one, and returns the results
/// in the order of the chunks. `done` is called with the number of games of each finished chunk.
pub fn chunks<T: Send>(
    len: u32,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
    work: impl Fn(Range<u32>) -> T + Sync,
) -> Vec<T> {
    chunks_of(CHUNK, len, threads, done, work)
}

/// [`chunks`] of another size: a small one for games that are far apart, so that the threads read near each other.
pub fn chunks_of<T: Send>(
    size: u32,
    len: u32,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
    work: impl Fn(Range<u32>) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU32::new(0);
    let results = Mutex::new(Vec::new());
    let last = len.div_ceil(size);
    let run = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= last {
                return;
            }
            task::check();
            let games = chunk * size..(chunk * size).saturating_add(size).min(len);
            let number = games.len() as u64;
            let result = work(games);
            results.lock().push((chunk, result));
            done(number);
        }
    };
    in_threads(threads.min(last as usize), run);
    sorted(results)
}

/// Calls `run` in as many threads, including this one. Returns when all have ended, and unwinds if the task of this thread
/// was cancelled in one of them.
pub fn in_threads(threads: usize, run: impl Fn() + Sync) {
    thread::scope(|scope| {
        let run = &run;
        // If a thread cannot be started, the others do its work.
        let helpers = (1..threads).map_while(|_| task::help(scope, "pgnfs-games", run));
        let helpers: Vec<_> = helpers.collect();
        run();
        let ended: Result<(), Cancelled> = helpers.into_iter().try_for_each(task::join);
        if ended.is_err() {
            task::unwind();
        }
    });
}

/// Results without their sort numbers.
fn sorted<N: Ord + Copy, R>(results: Mutex<Vec<(N, R)>>) -> Vec<R> {
    let mut results = results.into_inner();
    results.sort_unstable_by_key(|(n, _)| *n);
    results.into_iter().map(|(_, result)| result).collect()
}
