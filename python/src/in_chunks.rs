//! Work on many games, without the GIL and on several threads. Ctrl-C ends it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::ReadError;
use crate::source::Source;

/// Interval at which Python checks for signals while other threads work.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Calls `work` for consecutive chunks of `games`, each of at most `chunk` games, on `threads` threads.
/// Returns the results in the order of the games.
///
/// # Errors
/// The exception of a signal handler, or the first exception from a chunk.
pub fn in_chunks<T: Send>(
    py: Python<'_>,
    source: &Source,
    games: Range<u32>,
    chunk: u32,
    threads: usize,
    work: impl Fn(Range<u32>) -> T + Sync,
) -> PyResult<Vec<T>> {
    let chunks = games.len().div_ceil(chunk as usize) as u32;
    let work_on = |number: u32| {
        let start = games.start + number * chunk;
        source.checked(|_| work(start..start.saturating_add(chunk).min(games.end)))
    };
    let raise = |error: ReadError| error.raise(py, &source.entry);
    let threads = threads.clamp(1, (chunks as usize).max(1));
    if threads == 1 {
        let one = |number| {
            py.check_signals()?;
            py.detach(|| work_on(number)).map_err(raise)
        };
        return (0..chunks).map(one).collect();
    }
    let (next, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
    let mut results: Vec<Option<T>> = (0..chunks).map(|_| None).collect();
    thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, is_over, work_on) = (&next, &is_over, &work_on);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= chunks || sender.send((number, work_on(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            let receiver = &mut receiver;
            let received = py.detach(move || receiver.recv_timeout(PAUSE));
            let taken = py.check_signals().and_then(|()| match received {
                Ok((number, result)) => {
                    results[number as usize] = Some(result.map_err(raise)?);
                    Ok(true)
                }
                Err(RecvTimeoutError::Timeout) => Ok(true),
                Err(RecvTimeoutError::Disconnected) => Ok(false),
            });
            if !matches!(taken, Ok(true)) {
                is_over.store(true, Ordering::Relaxed);
                return taken.map(drop);
            }
        }
    })?;
    Ok(results.into_iter().flatten().collect())
}
