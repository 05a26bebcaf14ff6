//! Lists of results, and their form as tables of Arrow. Their classes are written in Python: `package/chessdb/_lists.py`.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int16Array, Int32Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyCapsule};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

use crate::detached_work::in_chunks;
use crate::duplicates::Duplicate;
use crate::novelty::Novelty;
use crate::search::PlayedMove;
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::san_of;

/// Games whose moves a thread names at a time.
const CHUNK: u32 = 256;

/// A list as an object of one of the classes.
pub fn list_of<'py, T>(py: Python<'py>, class: &str, list: Vec<T>) -> PyResult<Bound<'py, PyAny>>
where
    Vec<T>: IntoPyObject<'py>,
{
    let class = py.import("chessdb._lists")?.getattr(class)?;
    class.call1((list,))
}

/// Columns of a table, with their names.
type NamedColumns = Vec<(&'static str, ArrayRef)>;

fn stream<'py>(
    py: Python<'py>,
    columns: NamedColumns,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )?;
    let row = Field::new("", DataType::Struct(batch.schema().fields().clone()), false);
    let array = Arc::new(StructArray::from(batch)) as ArrayRef;
    let reader = ArrayIterator::new([Ok(array)].into_iter(), Arc::new(row));
    to_stream_pycapsule(py, Box::new(reader), requested_schema)
}

/// Numbers as a column of signed integers.
fn numbers(numbers: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    let signed = numbers.map(|number| number.and_then(|number| i32::try_from(number).ok()));
    Arc::new(signed.collect::<Int32Array>())
}

fn years(years: impl Iterator<Item = Option<u16>>) -> ArrayRef {
    let signed = years.map(|year| year.and_then(|year| i16::try_from(year).ok()));
    Arc::new(signed.collect::<Int16Array>())
}

fn texts<T: AsRef<str>>(texts: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

/// The moves that were played in a position.
#[pyfunction]
#[pyo3(signature = (rows, requested_schema))]
pub fn _moves_stream<'py>(
    py: Python<'py>,
    rows: Vec<PyRef<'py, PlayedMove>>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    let rows = || rows.iter();
    let scores: Float64Array = rows().map(|row| row.score).collect();
    let performances: Int32Array = rows().map(|row| row.performance).collect();
    let columns: NamedColumns = vec![
        ("san", texts(rows().map(|row| row.san.as_deref()))),
        ("uci", texts(rows().map(|row| row.uci.as_deref()))),
        ("games", numbers(rows().map(|row| Some(row.games)))),
        ("white", numbers(rows().map(|row| Some(row.white)))),
        ("draws", numbers(rows().map(|row| Some(row.draws)))),
        ("black", numbers(rows().map(|row| Some(row.black)))),
        ("score", Arc::new(scores)),
        ("elo", numbers(rows().map(|row| row.elo))),
        ("performance", Arc::new(performances)),
        ("first", years(rows().map(|row| row.first))),
        ("last", years(rows().map(|row| row.last))),
        ("reached", numbers(rows().map(|row| Some(row.reached)))),
        ("eco", texts(rows().map(|row| row.eco.as_deref()))),
        (
            "number",
            numbers(rows().map(|row| Some(row.game.as_ref()?.get().place().1 + 1))),
        ),
    ];
    stream(py, columns, requested_schema)
}

/// The novelties of a database.
#[pyfunction]
#[pyo3(signature = (rows, requested_schema))]
pub fn _novelties_stream<'py>(
    py: Python<'py>,
    rows: Vec<PyRef<'py, Novelty>>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    let mut sans: Vec<String> = Vec::with_capacity(rows.len());
    for run in rows.chunk_by(|a, b| a.found().place().0.is_same(b.found().place().0)) {
        let Some(first) = run.first() else { continue };
        let source = first.found().place().0.clone();
        let found: Vec<_> = run.iter().map(|row| row.found().place().1).collect();
        let name = |entry: &LibraryEntry, places: Range<u32>| {
            let places = places.start as usize..places.end as usize;
            let found = found.get(places).unwrap_or_default().iter();
            found
                .map(|found| san_of(&*entry.database, found))
                .collect::<Vec<_>>()
        };
        let threads = source.opening.threads;
        let named = in_chunks(py, &source, 0..found.len() as u32, CHUNK, threads, name)?;
        sans.extend(named.into_iter().flatten());
    }
    let found = || rows.iter().map(|row| row.found().place().1);
    let sans = sans.iter().map(|san| Some(san).filter(|san| !san.is_empty()));
    let columns: NamedColumns = vec![
        ("number", numbers(found().map(|found| Some(found.game + 1)))),
        ("ply", numbers(found().map(|found| Some(found.ply)))),
        ("san", texts(sans)),
        ("before", numbers(rows.iter().map(|row| Some(row.before())))),
    ];
    stream(py, columns, requested_schema)
}

/// The games of groups of the same games.
#[pyfunction]
#[pyo3(signature = (groups, requested_schema))]
pub fn _duplicates_stream<'py>(
    py: Python<'py>,
    groups: Vec<Vec<PyRef<'py, Duplicate>>>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    if u32::try_from(groups.len()).is_err() {
        return Err(PyValueError::new_err("there are too many groups").into());
    }
    let rows = || {
        (1..)
            .zip(&groups)
            .flat_map(|(n, group)| group.iter().map(move |row| (n, row)))
    };
    let columns: NamedColumns = vec![
        ("group", numbers(rows().map(|(n, _)| Some(n)))),
        (
            "database",
            texts(rows().map(|(_, row)| Some(row.place().0.entry.name()))),
        ),
        ("number", numbers(rows().map(|(_, row)| Some(row.place().1 + 1)))),
        ("reason", texts(rows().map(|(_, row)| row.reason))),
        ("ply_count", numbers(rows().map(|(_, row)| Some(row.ply_count)))),
        (
            "annotations",
            numbers(rows().map(|(_, row)| Some(row.annotations))),
        ),
    ];
    stream(py, columns, requested_schema)
}
