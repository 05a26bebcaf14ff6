//! A database that is read without the GIL. After each read, the files are checked for changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pyo3::prelude::*;

use crate::ahead::Ahead;
use crate::blocks::Texts;
use crate::errors::ReadError;
use crate::names::Names;
use chessdb::game::Tags;
use pgnfs::library::LibraryEntry;

/// An open database.
#[derive(Clone)]
pub struct Source {
    /// Its files.
    pub entry: Arc<LibraryEntry>,
    /// The options with which it was opened, as a text that differs if they differ.
    pub options: Arc<str>,
    /// What its games share.
    pub shared: Arc<Shared>,
}

/// What the games of a database share.
#[derive(Default)]
pub struct Shared {
    /// The keys of all headers.
    pub names: Names,
    /// Headers that will be asked for.
    pub headers: Ahead<Vec<Tags>>,
    /// Texts that will be asked for.
    pub texts: Ahead<Texts>,
}

impl Source {
    /// An open database, from which nothing has been read yet.
    pub fn new(entry: &Arc<LibraryEntry>, options: &Arc<str>) -> Source {
        Source {
            entry: Arc::clone(entry),
            options: Arc::clone(options),
            shared: Arc::default(),
        }
    }

    /// Number of games.
    pub fn len(&self) -> u32 {
        self.entry.database.len()
    }

    /// Reads without the GIL.
    ///
    /// # Errors
    /// The exception for a file that has changed or a decoder that failed.
    pub fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&LibraryEntry) -> T + Send) -> PyResult<T> {
        py.detach(|| self.checked(read))
            .map_err(|error| error.raise(py, &self.entry))
    }

    /// Reads, then checks that the files have not changed since they were opened.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn checked<T>(&self, read: impl FnOnce(&LibraryEntry) -> T) -> Result<T, ReadError> {
        let answer = catch_unwind(AssertUnwindSafe(|| read(&self.entry)));
        if !self.entry.is_intact() {
            return Err(ReadError::Changed);
        }
        answer.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            ReadError::Failed(text.unwrap_or("without a message").to_owned())
        })
    }
}
