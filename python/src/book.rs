//! Opening books of Polyglot.

use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::path::Path;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::detached_work::detached;
use crate::output::OutputFile;
use crate::progress::Progress;
use crate::rows::Rows;
use crate::search::Search;
use chessdb::board::Color;
use chessdb_library::library::LibraryEntry;
use chessdb_library::polyglot::{BookError, BookMoves, BookOptions};
use chessdb_library::query::Query;

/// The options of a book from the arguments of Python.
///
/// # Errors
/// If one is wrong.
pub fn options(
    max_ply: u32,
    min_games: u32,
    min_score: f64,
    side: Option<&str>,
    uniform: bool,
) -> PyResult<BookOptions> {
    if max_ply == 0 || min_games == 0 {
        return Err(PyValueError::new_err(
            "max_ply and min_games: a number is at least 1",
        ));
    }
    if !(0.0..=100.0).contains(&min_score) {
        return Err(PyValueError::new_err(
            "min_score: expected a number from 0 to 100",
        ));
    }
    Ok(BookOptions {
        max_ply,
        min_games,
        min_score,
        side: match side {
            None => None,
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "side: {other:?} is neither white nor black"
                )));
            }
        },
        uniform,
    })
}

/// Writes a book of the games that answer a query, or of all. Returns the number of its entries.
///
/// # Errors
/// If the file belongs to the source, or it cannot be written; then an existing file remains as it is. The exception of a
/// signal handler.
pub fn write(
    py: Python<'_>,
    search: &Search,
    query: Option<&Query>,
    options: BookOptions,
    path: &Path,
) -> PyResult<u64> {
    let source = &search.source;
    let shown = path.display();
    if py.detach(|| source.holds(path)) {
        return Err(PyValueError::new_err(format!(
            "{shown} belongs to the source, which is only read: name another file"
        )));
    }
    let failed = |error: &dyn Display| PyOSError::new_err(format!("{shown}: {error}"));
    let output = py
        .detach(|| OutputFile::create(path))
        .map_err(|error| failed(&error))?;
    let rows = Rows::of(py, search, 0..source.len(), query)?;
    let write = |entry: &LibraryEntry, _: &(dyn Fn(u64) + Sync)| {
        let mut moves = BookMoves::new(options)?;
        let games = |places| rows.games(places);
        moves.add(&*entry.database, rows.len(), games, search.threads, &|_| ())?;
        let mut out = BufWriter::new(output.begin().map_err(BookError::Output)?);
        let written = moves.write(&mut out, search.threads)?;
        out.flush().map_err(BookError::Output)?;
        Ok(written.entries)
    };
    let written: Result<u64, BookError> = detached(py, source, &Progress::default(), write)?;
    let entries = written.map_err(|error| failed(&error))?;
    py.detach(|| output.finish()).map_err(|error| failed(&error))?;
    Ok(entries)
}
