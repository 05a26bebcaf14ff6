//! The rows of a table, batch by batch.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::vec::IntoIter;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::Columns;
use crate::detached_work::in_chunks;
use crate::rows::ChosenGames;
use chessdb_library::library::LibraryEntry;
use chessdb_library::parallel::chunks_of;

/// Batches that each thread decodes before they are taken.
const BATCHES: u32 = 2;

/// The rows of a table, which are decoded when they are taken.
pub struct BatchReader {
    columns: Arc<Columns>,
    chosen: Arc<[ChosenGames]>,
    threads: usize,
    /// The database that is being read, and the place of its next game.
    part: usize,
    place: u32,
    decoded: IntoIter<RecordBatch>,
    /// The thread that requested the rows, which may hold the GIL when it takes them.
    owner: ThreadId,
}

impl Iterator for BatchReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.decoded.next() {
                return Some(Ok(batch));
            }
            let chosen = self.chosen.get(self.part)?;
            let places = self.place..chosen.rows.len();
            if places.is_empty() {
                (self.part, self.place) = (self.part + 1, 0);
                continue;
            }
            let size = self.columns.batch_size();
            let most = size * BATCHES * self.threads as u32;
            let places = places.start..places.start.saturating_add(most).min(places.end);
            let end = places.end;
            // After an error, the same games are decoded again, so that none is left out.
            match self.decode(chosen, places) {
                Ok(decoded) => (self.decoded, self.place) = (decoded.into_iter(), end),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl BatchReader {
    /// The rows of these games, for this thread.
    pub fn new(columns: &Arc<Columns>, chosen: &Arc<[ChosenGames]>, threads: usize) -> BatchReader {
        BatchReader {
            columns: Arc::clone(columns),
            chosen: Arc::clone(chosen),
            threads,
            part: 0,
            place: 0,
            decoded: Vec::new().into_iter(),
            owner: thread::current().id(),
        }
    }

    fn decode(&self, chosen: &ChosenGames, places: Range<u32>) -> Result<Vec<RecordBatch>, ArrowError> {
        let ChosenGames { source, rows, colors } = chosen;
        let (size, threads) = (self.columns.batch_size(), self.threads);
        let batch =
            |entry: &LibraryEntry, places: Range<u32>| self.columns.batch(entry, rows.games(places), colors);
        let decoded = if thread::current().id() == self.owner {
            Python::attach(|py| {
                in_chunks(py, source, places, size, threads, batch).map_err(|error| failed(py, error))
            })?
        } else {
            // Release the GIL first: the thread that holds the lock may be waiting for the GIL.
            let all = |entry: &LibraryEntry| {
                let part =
                    |chunk: Range<u32>| batch(entry, places.start + chunk.start..places.start + chunk.end);
                chunks_of(size, places.len() as u32, threads, &|_| (), part)
            };
            let decoded = source.checked(all);
            decoded.map_err(|error| arrow_error(error.text(&source.entry)))?
        };
        decoded.into_iter().collect()
    }
}

/// A Python exception as an error of Arrow. Ctrl-C is raised again as soon as Python code runs.
fn failed(py: Python<'_>, error: PyErr) -> ArrowError {
    // Before the signal is repeated: Python would raise it while it makes the text, where it would be lost.
    let text = error.to_string();
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        let again = py
            .import("_thread")
            .and_then(|module| module.call_method0("interrupt_main"));
        if let Err(error) = again {
            return arrow_error(error.to_string());
        }
    }
    arrow_error(text)
}

/// An error with this text for the library that reads the rows. Of Arrow's kinds of errors, an I/O error fits best.
fn arrow_error(text: String) -> ArrowError {
    ArrowError::IoError(text.clone(), io::Error::other(text))
}
