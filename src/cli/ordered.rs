//! Parallel work on chunks, with the results in order.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Number of games in a chunk.
const CHUNK: u32 = 128;

/// Maximum number of waiting results of each thread.
const AHEAD: usize = 2;

/// Calls `work` for the chunks of `0..len` on `threads` threads, and `take` on this thread with the results
/// in order, until it breaks. At most [`AHEAD`] results of each thread wait, however long `take` needs. If
/// `threads` is 1, all work is done on this thread.
pub fn in_order<T, W, F>(len: u32, threads: usize, work: W, mut take: F) -> ControlFlow<()>
where
    T: Send,
    W: Fn(Range<u32>) -> T + Sync,
    F: FnMut(T) -> ControlFlow<()>,
{
    let chunks = len.div_ceil(CHUNK);
    let threads = threads.clamp(1, usize::try_from(chunks).unwrap_or(usize::MAX).max(1));
    let work_on = |chunk: u32| {
        let begin = chunk * CHUNK;
        work(begin..begin.saturating_add(CHUNK).min(len))
    };
    if threads == 1 {
        return (0..chunks).try_for_each(|chunk| take(work_on(chunk)));
    }
    // Thread i processes the chunks i, i + threads, ..., so receiving from the threads in turn yields the
    // results in order.
    let work_at = |first: usize, results: SyncSender<T>| {
        for chunk in (0..chunks).skip(first).step_by(threads) {
            if results.send(work_on(chunk)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let results: Vec<Receiver<T>> = (0..threads)
            .map(|first| {
                let (sender, receiver) = sync_channel(AHEAD);
                let work_at = &work_at;
                scope.spawn(move || work_at(first, sender));
                receiver
            })
            .collect();
        // The first thread without a further result has finished its last chunk, and so have all others.
        for result in results.iter().cycle().map_while(|receiver| receiver.recv().ok()) {
            take(result)?;
        }
        ControlFlow::Continue(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(len: u32, threads: usize) -> Vec<u32> {
        let mut seen = Vec::new();
        let end = in_order(len, threads, Vec::from_iter, |chunk| {
            seen.extend(chunk);
            ControlFlow::Continue(())
        });
        assert_eq!(end, ControlFlow::Continue(()));
        seen
    }

    #[test]
    fn every_number_comes_once_and_in_order() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK + 7] {
            for threads in [0, 1, 2, 3, 64] {
                assert!(all(len, threads).into_iter().eq(0..len), "{len} on {threads}");
            }
        }
    }

    #[test]
    fn it_ends_when_the_receiver_breaks() {
        let mut taken = 0;
        let end = in_order(
            u32::MAX,
            3,
            |_| (),
            |()| {
                taken += 1;
                match taken {
                    5 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            },
        );
        assert_eq!((end, taken), (ControlFlow::Break(()), 5));
    }
}
