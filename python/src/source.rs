//! A database that is read without the GIL. After each read, the files are checked for changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pyo3::prelude::*;

use crate::errors::ReadError;
use pgnfs::library::LibraryEntry;

/// An open database.
#[derive(Clone)]
pub struct Source(pub Arc<LibraryEntry>);

impl Source {
    /// Number of games.
    pub fn len(&self) -> u32 {
        self.0.database.len()
    }

    /// Reads without the GIL.
    ///
    /// # Errors
    /// The exception for a file that has changed or a decoder that failed.
    pub fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&LibraryEntry) -> T + Send) -> PyResult<T> {
        py.detach(|| self.checked(read))
            .map_err(|error| error.raise(py, &self.0))
    }

    /// Reads, then checks that the files have not changed since they were opened.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn checked<T>(&self, read: impl FnOnce(&LibraryEntry) -> T) -> Result<T, ReadError> {
        let answer = catch_unwind(AssertUnwindSafe(|| read(&self.0)));
        if !self.0.is_intact() {
            return Err(ReadError::Changed);
        }
        answer.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            ReadError::Failed(text.unwrap_or("without a message").to_owned())
        })
    }
}
