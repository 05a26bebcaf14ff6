//! Decoding many games at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::progress;

/// Games that a thread takes at a time.
const CHUNK: usize = 32;

/// Calls `decode` once with each game, a few at a time, from as many threads as are allowed and of use.
pub(super) fn decode_missing(games: &[u32], threads: usize, decode: impl Fn(&[u32]) + Sync) {
    let next = AtomicUsize::new(0);
    on_threads(threads.min(games.len().div_ceil(CHUNK)), || {
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            match games.get(start..) {
                None | Some([]) => return,
                Some(rest) => decode(rest.get(..CHUNK).unwrap_or(rest)),
            }
        }
    });
}

/// Does `work` on so many threads, this one among them, until it is done on all. All of them work for the same job.
pub(super) fn on_threads(threads: usize, work: impl Fn() + Sync) {
    let mark = progress::current();
    let help = || progress::work_for(mark.clone(), &work);
    thread::scope(|scope| {
        for _ in 1..threads {
            let other = thread::Builder::new().name("pgnfs-decode".to_owned());
            // Without the thread the others have more to do, that is all.
            if let Err(error) = other.spawn_scoped(scope, help) {
                log::warn!("no thread for decoding: {error}");
                break;
            }
        }
        work();
    });
}
