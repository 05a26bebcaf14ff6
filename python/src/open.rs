//! Opening databases.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::thread;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::database::Database;
use crate::errors::not_opened;
use crate::indices::Int;
use crate::library::Library;
use crate::opening::OpenArguments;
use crate::source::Source;
use chessdb::formats::FORMATS;
use chessdb::{Options, Passwords};
use chessdb_library::library::Library as Opened;

/// More threads than this decode no faster on any machine.
const MOST_THREADS: usize = 1024;

/// Opens a database by one of its files or by its folder, or all databases in and below a folder.
#[pyfunction]
#[pyo3(signature = (path, *, encoding=None, reading=None, passwords=None, threads=None))]
pub fn open(
    py: Python<'_>,
    path: PathBuf,
    encoding: Option<String>,
    reading: Option<String>,
    passwords: Option<Vec<String>>,
    threads: Option<Int>,
) -> PyResult<Py<PyAny>> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(PyValueError::new_err("path: embedded null character"));
    }
    let passwords = passwords.unwrap_or_default();
    let mut options = Options::default();
    options.encoding = encoding.map(known_encoding).transpose()?;
    options.reading = reading.map(known_reading).transpose()?;
    options.passwords = Passwords::of_lines(&passwords.join("\n"));
    let threads = match threads {
        Some(Int(..=0)) => return Err(PyValueError::new_err("threads: name at least one")),
        Some(Int(threads)) => {
            usize::try_from(threads).map_or(MOST_THREADS, |threads| threads.min(MOST_THREADS))
        }
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let library = py
        .detach(|| Opened::open(&path, &options))
        .map_err(|error| not_opened(py, &error))?;
    let database = |(path, source)| Database::new(source, path, threads);
    let shown = path.display().to_string();
    let opening = Arc::new(OpenArguments {
        path: absolute(&path)?,
        folder: library.folder().map(Path::to_owned),
        options,
        passwords,
        threads,
        is_single: library.is_single(),
    });
    let entries = library.databases().iter();
    let mut entries = entries.map(|entry| Source::new(entry, &opening));
    if library.is_single()
        && let Some(only) = entries.next()
    {
        return Ok(Py::new(py, database((shown, only)))?.into_any());
    }
    let databases = entries.map(|source| {
        let name = source.entry.path.clone();
        let path = path.join(&name).display().to_string();
        Ok((name, Py::new(py, database((path, source)))?))
    });
    let library = Library {
        databases: databases.collect::<PyResult<_>>()?,
        left_out: library
            .left_out()
            .iter()
            .map(|left_out| (left_out.path.clone(), left_out.reason.clone()))
            .collect(),
        path: shown,
        opening,
    };
    Ok(Py::new(py, library)?.into_any())
}

/// A label of a code page.
fn known_encoding(label: String) -> PyResult<String> {
    match encoding_rs::Encoding::for_label(label.as_bytes()) {
        Some(_) => Ok(label),
        None => Err(PyValueError::new_err(format!(
            "encoding: '{label}' is no code page: name one such as utf-8, windows-1252, ibm866 or koi8-r"
        ))),
    }
}

/// The name of a reading of any format.
fn known_reading(reading: String) -> PyResult<String> {
    let known: Vec<String> = FORMATS.iter().flat_map(|format| (format.readings)()).collect();
    if known.contains(&reading) {
        Ok(reading)
    } else {
        Err(PyValueError::new_err(format!(
            "reading: no format has '{reading}': there are {}",
            known.join(", ")
        )))
    }
}
