//! Runs work in other threads, without the GIL. Ctrl-C ends it.

use std::ops::Range;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::ReadError;
use crate::progress::Progress;
use crate::source::Source;
use chessdb_library::library::LibraryEntry;
use chessdb_library::parallel::chunks_of;
use chessdb_library::task::Cancel;

/// Interval at which Python checks for signals and reports progress while other threads work.
const PAUSE: Duration = Duration::from_millis(50);

/// Does work on a database in another thread, which checks whether it was cancelled. The work calls the function that
/// it gets with the numbers of games that it has read.
///
/// # Errors
/// The exception of a signal handler or of a report of progress, which ends the work; as for [`Source::checked`].
pub fn detached<T: Send>(
    py: Python<'_>,
    source: &Source,
    progress: &Progress,
    work: impl FnOnce(&LibraryEntry, &(dyn Fn(u64) + Sync)) -> T + Send,
) -> PyResult<T> {
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let (sender, mut receiver) = sync_channel(1);
        let cancel = &cancel;
        let done = |games| progress.add(games);
        let work = move || source.checked(|entry| work(entry, &done));
        scope.spawn(move || sender.send(cancel.run(work)));
        loop {
            let results = &mut receiver;
            let received = py.detach(move || results.recv_timeout(PAUSE));
            if let Err(error) = py.check_signals().and_then(|()| progress.report(py)) {
                cancel.cancel();
                // The work ends at its next check. Other threads of Python run meanwhile.
                let results = &mut receiver;
                let _ = py.detach(move || results.recv());
                return Err(error);
            }
            let failed = || ReadError::Failed("the work ended without a result".to_owned());
            let error = match received {
                Err(RecvTimeoutError::Timeout) => continue,
                Ok(Ok(Ok(done))) => return Ok(done),
                Ok(Ok(Err(error))) => error,
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => failed(),
            };
            return Err(error.raise(py, &source.entry));
        }
    })
}

/// Calls `work` for consecutive chunks of `places`, each of at most `size`, on `threads` threads. Returns the results in
/// their order. For chunks of more than a thousand games, `work` has to check whether it was cancelled.
///
/// # Errors
/// As for [`detached`].
pub fn in_chunks<T: Send>(
    py: Python<'_>,
    source: &Source,
    places: Range<u32>,
    size: u32,
    threads: usize,
    work: impl Fn(&LibraryEntry, Range<u32>) -> T + Sync,
) -> PyResult<Vec<T>> {
    let len = places.len() as u32;
    if len == 0 {
        return Ok(Vec::new());
    }
    detached(py, source, &Progress::default(), |entry, _| {
        chunks_of(size, len, threads, &|_| (), |chunk| {
            work(entry, places.start + chunk.start..places.start + chunk.end)
        })
    })
}
