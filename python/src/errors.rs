//! Exceptions. Their classes are written in Python: `package/chessdb/_errors.py`.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use chessdb_library::library::{LibraryEntry, LibraryError, legible_file_name};
use chessdb_library::query::QueryError;

/// The error numbers of Linux for a path that does not exist and for any other failure.
const ENOENT: i32 = 2;
const EIO: i32 = 5;

/// Reason why a result of the decoders cannot be used.
#[derive(Debug)]
pub enum ReadError {
    /// A file of the database has changed since it was opened.
    Changed,
    /// Another file is in the place of this one.
    Replaced(PathBuf),
    /// The decoder failed, with its message.
    Failed(String),
}

impl ReadError {
    /// Converts the error to an exception.
    pub fn raise(self, py: Python<'_>, entry: &LibraryEntry) -> PyErr {
        let failure = self.failure(entry);
        exception(py, failure.class, failure.message, &failure.file, failure.offset)
    }

    /// The text of the exception.
    pub fn text(self, entry: &LibraryEntry) -> String {
        self.failure(entry).message
    }

    fn failure(self, entry: &LibraryEntry) -> Failure {
        match self {
            ReadError::Changed => changed(entry),
            ReadError::Replaced(path) => {
                let file = path.display().to_string();
                Failure {
                    class: "ChangedError",
                    message: format!("{file}: the file was replaced after it was opened: open it again"),
                    file,
                    offset: None,
                }
            }
            ReadError::Failed(what) => Failure {
                class: "Error",
                message: format!("{}: the decoder failed: {what}", entry.name()),
                file: entry.name().to_owned(),
                offset: None,
            },
        }
    }
}

/// The parts of an exception that has not been created yet.
struct Failure {
    class: &'static str,
    message: String,
    file: String,
    offset: Option<u64>,
}

/// The failure of a database with a changed file. If the file was cut, the offset is its end.
fn changed(entry: &LibraryEntry) -> Failure {
    let name = entry.lost_file().unwrap_or_else(|| entry.name());
    let path = path_of(entry, name);
    let before = entry.files.iter().find(|(file, _)| file == name);
    let now = path.and_then(|path| std::fs::metadata(path).ok());
    let cut = now
        .map(|now| now.len())
        .filter(|now| before.is_some_and(|(_, before)| *now < before.size));
    let file = path.map_or_else(|| name.to_owned(), |path| path.display().to_string());
    let message = match cut {
        Some(end) => format!("{file}: the file was cut at byte {end} after it was opened: open it again"),
        None => format!("{file}: the file was changed after it was opened: open it again"),
    };
    Failure {
        class: "ChangedError",
        message,
        file,
        offset: cut,
    }
}

/// The path of a file of a database, from the name under which people see it.
pub fn path_of<'a>(entry: &'a LibraryEntry, name: &str) -> Option<&'a Path> {
    let mut paths = entry.found.iter().flat_map(|found| &found.files);
    let path = paths.find(|(_, path)| legible_file_name(path) == name);
    path.map(|(_, path)| path.as_path())
}

/// The exception for a path where nothing can be opened.
pub fn not_opened(py: Python<'_>, error: &LibraryError) -> PyErr {
    let (path, number) = match error {
        LibraryError::Missing(path) => (path, Some(ENOENT)),
        LibraryError::Unreadable(path, error) => (path, Some(error.raw_os_error().unwrap_or(EIO))),
        LibraryError::Hung(path, _) | LibraryError::Refused(path, _) | LibraryError::NoneWanted(path) => {
            (path, None)
        }
        LibraryError::NoDatabases { source, .. } => (source, None),
    };
    let file = path.display().to_string();
    match number {
        // Python derives the class of the exception from the number.
        Some(number) => {
            let text = std::io::Error::from_raw_os_error(number).to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, file))
        }
        None => exception(py, "OpenError", error.to_string(), &file, None),
    }
}

/// The exception for a wrong query.
pub fn wrong_query(py: Python<'_>, error: &QueryError) -> PyErr {
    let made = py.import("chessdb._errors").and_then(|module| {
        module
            .getattr("QueryError")?
            .call1((error.to_string(), &error.term, error.offset))
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An exception of the package.
fn exception(py: Python<'_>, class: &str, message: String, file: &str, offset: Option<u64>) -> PyErr {
    let made = py
        .import("chessdb._errors")
        .and_then(|module| module.getattr(class)?.call1((message, file, offset)));
    made.map_or_else(|error| error, PyErr::from_value)
}
