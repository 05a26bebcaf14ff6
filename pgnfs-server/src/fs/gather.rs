//! Decoding many games in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};

use chessdb_library::cancel;
use chessdb_library::parallel::in_threads;
use chessdb_library::workers::progress;

/// Number of games that a thread takes at a time.
const CHUNK: usize = 32;

/// Calls `decode` for chunks of `games`, each game once, from up to `threads` threads.
pub(super) fn decode_missing(games: &[u32], threads: usize, decode: impl Fn(&[u32]) + Sync) {
    let next = AtomicUsize::new(0);
    on_threads(threads.min(games.len().div_ceil(CHUNK)), || {
        loop {
            cancel::check();
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            match games.get(start..) {
                None | Some([]) => return,
                Some(rest) => decode(rest.get(..CHUNK).unwrap_or(rest)),
            }
        }
    });
}

/// Runs `work` on `threads` threads, including this one, and returns when all are done. Progress in any of
/// them counts for the job of this thread.
pub(super) fn on_threads(threads: usize, work: impl Fn() + Sync) {
    let mark = progress::current();
    in_threads(threads, || progress::work_for(mark.clone(), &work));
}
