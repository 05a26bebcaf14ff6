//! Work that has threads of its own, without the GIL. Ctrl-C ends it.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use pyo3::prelude::*;

use crate::errors::ReadError;
use crate::in_chunks::PAUSE;
use crate::source::Source;
use chessdb_library::cancel::Cancel;
use chessdb_library::library::LibraryEntry;

/// Does work on a database in another thread, which looks whether it was cancelled.
///
/// # Errors
/// The exception of a signal handler, after which the work ends; those of [`Source::checked`].
pub fn aside<T: Send>(
    py: Python<'_>,
    source: &Source,
    work: impl FnOnce(&LibraryEntry) -> T + Send,
) -> PyResult<T> {
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let (sender, mut receiver) = sync_channel(1);
        let cancel = &cancel;
        scope.spawn(move || sender.send(cancel.run(|| source.checked(work))));
        loop {
            let receiver = &mut receiver;
            let received = py.detach(move || receiver.recv_timeout(PAUSE));
            if let Err(error) = py.check_signals() {
                cancel.cancel();
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
