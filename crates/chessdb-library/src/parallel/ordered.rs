//! Parallel work on chunks, with the results in order.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::task;

/// Number of games in a chunk.
const CHUNK: u32 = 128;

/// Maximum number of waiting results of each thread: limits the memory if results are taken more slowly than made.
const AHEAD: usize = 2;

/// Calls `work` for the chunks of `0..len` on up to `threads` threads, and `take` on this thread with the results in
/// order, until it breaks. At most a few results of each thread wait, however long `take` needs. If there is one
/// thread only, it is this one. Unwinds if the task of this thread is cancelled in one of them.
pub fn in_order<T, W, F>(len: u32, threads: usize, work: W, mut take: F) -> ControlFlow<()>
where
    T: Send,
    W: Fn(Range<u32>) -> T + Sync,
    F: FnMut(T) -> ControlFlow<()>,
{
    let chunks = len.div_ceil(CHUNK);
    let threads = threads.min(usize::try_from(chunks).unwrap_or(usize::MAX));
    let work_on = |chunk: u32| {
        task::check();
        let begin = chunk * CHUNK;
        work(begin..begin.saturating_add(CHUNK).min(len))
    };
    // Thread i of n processes the chunks i, i + n, ..., so receiving from the threads in turn yields the results in
    // order.
    let work_at = |first: usize, step: usize, results: SyncSender<T>| {
        for chunk in (0..chunks).skip(first).step_by(step) {
            if results.send(work_on(chunk)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        let (mut begun, mut helpers) = (Vec::new(), Vec::new());
        while threads > 1 && begun.len() < threads {
            let ((begin, place), (sender, results)) = (sync_channel(1), sync_channel(AHEAD));
            let work_at = &work_at;
            let work = move || {
                if let Ok((first, step)) = place.recv() {
                    work_at(first, step, sender);
                }
            };
            let Some(helper) = task::help(scope, "pgnfs-games", work) else {
                break;
            };
            begun.push((begin, results));
            helpers.push(helper);
        }
        if begun.is_empty() {
            return (0..chunks).try_for_each(|chunk| take(work_on(chunk)));
        }
        for (first, (begin, _)) in begun.iter().enumerate() {
            // The thread waits for it.
            let _ = begin.send((first, begun.len()));
        }
        // The first thread without a further result has finished its last chunk, and so have all other threads, unless
        // the task was cancelled.
        let mut results = begun.iter().cycle();
        while let Some(result) = results.next().and_then(|(_, results)| results.recv().ok()) {
            take(result)?;
        }
        // Those that still have results end when nothing takes them.
        drop(begun);
        if helpers.into_iter().try_for_each(task::join).is_err() {
            task::unwind();
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
