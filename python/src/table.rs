//! Games as columns in the memory format of Arrow.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

mod columns;
mod reader;

use reader::BatchReader;

use crate::arguments::ColumnsArgument;
use crate::detached_work::in_chunks;
use crate::indices::counted;
use crate::rows::ChosenGames;
use chessdb::board::Color;
use chessdb_library::library::LibraryEntry;
use chessdb_library::table::{self, RowKind, TAG, further_tags, no_tag};
use chessdb_library::task;

/// Games in a batch.
const CHUNK: u32 = 8192;

/// Games in a batch of positions. A game has about a hundred positions.
const CHUNK_OF_POSITIONS: u32 = 512;

/// The columns of a table of games if none are named.
const USUAL: [&str; 11] = [
    "number", "Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "WhiteElo", "BlackElo",
];

/// Games, or their positions, as columns. Libraries that know Arrow take them through its PyCapsule interface, without a copy where they
/// have the same types: `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`.
///
/// A table holds no rows: they are decoded a few thousand at a time whenever they are taken. So
/// `pyarrow.RecordBatchReader.from_stream(t)` reads any number of games in little memory. If a file changes meanwhile, the
/// library that takes them raises an exception of its own with the text of `ChangedError`.
///
/// >>> import chessdb, pyarrow
/// >>> table = chessdb.open_database("classics.pgn").table(["pgn"])
/// >>> sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(table))
/// 63
#[pyclass(frozen, module = "chessdb")]
pub struct Table {
    columns: Arc<Columns>,
    chosen: Arc<[ChosenGames]>,
    threads: usize,
    /// The number of rows that are positions, once they have been counted.
    positions: OnceLock<usize>,
}

impl Table {
    fn games(&self) -> usize {
        self.chosen.iter().map(|chosen| chosen.rows.len() as usize).sum()
    }
}

#[pymethods]
impl Table {
    /// Positions are counted once, by replaying the main lines; nothing else of the games is decoded.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        if self.columns.kind() == RowKind::Games {
            return Ok(self.games());
        }
        if let Some(&positions) = self.positions.get() {
            return Ok(positions);
        }
        let positions = self.columns.count(py, &self.chosen, self.threads)?;
        Ok(*self.positions.get_or_init(|| positions))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.columns.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The types of the columns by their names, as Arrow calls them.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for field in self.columns.schema.fields() {
            types.set_item(field.name(), field.data_type().to_string())?;
        }
        Ok(types)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.columns.schema.as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let batches = BatchReader::new(&self.columns, &self.chosen, self.threads);
        let arrays = batches.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as ArrayRef));
        let row = Field::new("", DataType::Struct(self.columns.schema.fields().clone()), false);
        let reader = ArrayIterator::new(arrays, Arc::new(row));
        to_stream_pycapsule(py, Box::new(reader), requested_schema)
    }

    fn __repr__(&self) -> String {
        let (games, columns) = (counted(self.games(), "game"), self.columns().join(", "));
        match self.columns.kind() {
            RowKind::Games => format!("<chessdb.Table of {games}: {columns}>"),
            RowKind::Positions => format!("<chessdb.Table of the positions of {games}: {columns}>"),
        }
    }
}

/// The columns of a table, of any number of databases.
pub struct Columns {
    columns: table::Columns,
    schema: SchemaRef,
}

impl Columns {
    /// The columns with these names, or the usual ones, starting with the column of the database if `has_database`.
    ///
    /// # Errors
    /// If no column is named, a name is unknown, or `rows` is.
    pub fn of(rows: &str, names: Option<&ColumnsArgument>, has_database: bool) -> PyResult<Columns> {
        let Some(rows) = RowKind::of_name(rows) else {
            let kinds = RowKind::NAMES.join(" or ");
            return Err(PyValueError::new_err(format!("rows: {rows:?} is not {kinds}")));
        };
        let columns = match (names.map(|names| names.0.as_slice()), rows) {
            (Some([]), _) => {
                return Err(PyValueError::new_err(
                    "columns: name at least one, or leave it out",
                ));
            }
            (Some(names), _) => table::Columns::of_names(rows, names.iter().map(String::as_str)),
            (None, RowKind::Positions) => Ok(table::Columns::of_positions(has_database)),
            (None, RowKind::Games) => {
                let database = has_database.then_some("database");
                table::Columns::of_names(rows, database.into_iter().chain(USUAL))
            }
        };
        let columns = columns.map_err(|unknown| {
            let remedy = if unknown.is_of_position() {
                ": give rows=\"positions\""
            } else {
                ""
            };
            PyValueError::new_err(format!("{unknown}{remedy}"))
        })?;
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, column)| columns::field(name, column))
            .collect();
        Ok(Columns {
            columns,
            schema: Arc::new(Schema::new(fields)),
        })
    }

    /// The columns of some games of databases.
    ///
    /// # Errors
    /// If a file has changed; if none of the games has a tag that was named and is not usual.
    pub fn table(self, py: Python<'_>, chosen: Vec<ChosenGames>, threads: usize) -> PyResult<Table> {
        self.find_unusual_tags(py, &chosen, threads)?;
        self.unchecked(py, chosen, threads)
    }

    /// Like [`Columns::table`], whatever tags the games have.
    ///
    /// # Errors
    /// If a file has changed.
    pub fn unchecked(self, py: Python<'_>, chosen: Vec<ChosenGames>, threads: usize) -> PyResult<Table> {
        for ChosenGames { source, .. } in &chosen {
            source.read(py, |_| ())?;
        }
        Ok(Table {
            columns: Arc::new(self),
            chosen: chosen.into(),
            threads,
            positions: OnceLock::new(),
        })
    }

    /// # Errors
    /// If there are games and none of them has a tag that was named and is not usual.
    fn find_unusual_tags(&self, py: Python<'_>, chosen: &[ChosenGames], threads: usize) -> PyResult<()> {
        let missing = Mutex::new(self.columns.unusual_tags().collect::<Vec<_>>());
        let is_over = || missing.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        let mut tags = BTreeSet::new();
        for ChosenGames { source, rows, .. } in chosen {
            let further = |entry: &LibraryEntry, places: Range<u32>| {
                let mut names = BTreeSet::new();
                if is_over() {
                    return names;
                }
                for game in rows.games(places) {
                    task::check();
                    let tags = entry.database.tags(game);
                    names.extend(further_tags(&tags).map(str::to_owned));
                }
                let mut missing = missing.lock().unwrap_or_else(PoisonError::into_inner);
                missing.retain(|tag| !names.contains(*tag));
                names
            };
            if !is_over() {
                let names = in_chunks(py, source, 0..rows.len(), CHUNK, threads, further)?;
                tags.extend(names.into_iter().flatten());
            }
        }
        let has_games = chosen.iter().any(|chosen| chosen.rows.len() > 0);
        let missing = missing.into_inner().unwrap_or_else(PoisonError::into_inner);
        match missing.first().filter(|_| has_games) {
            None => Ok(()),
            Some(missing) => {
                let tags = tags.iter().map(String::as_str);
                let named = table::Column::names(self.kind());
                Err(PyValueError::new_err(no_tag(missing, tags, named)))
            }
        }
    }

    /// The number of rows of some games of databases. Only their moves are read.
    ///
    /// # Errors
    /// As for [`in_chunks`].
    fn count(&self, py: Python<'_>, chosen: &[ChosenGames], threads: usize) -> PyResult<usize> {
        let mut number = 0;
        for ChosenGames { source, rows, .. } in chosen {
            let count =
                |entry: &LibraryEntry, places| columns::count(&self.columns, entry, rows.games(places));
            let counts = in_chunks(py, source, 0..rows.len(), self.batch_size(), threads, count)?;
            number += counts.iter().sum::<usize>();
        }
        Ok(number)
    }

    /// True if it has columns of the player that the games were searched for.
    pub fn are_of_player(&self) -> bool {
        self.columns.are_of_player()
    }

    fn kind(&self) -> RowKind {
        self.columns.rows()
    }

    /// Games that are decoded at a time.
    fn batch_size(&self) -> u32 {
        match self.kind() {
            RowKind::Games => CHUNK,
            RowKind::Positions => CHUNK_OF_POSITIONS,
        }
    }

    /// The columns of some games.
    fn batch(
        &self,
        entry: &LibraryEntry,
        games: impl ExactSizeIterator<Item = u32>,
        colors: &HashMap<u32, Color>,
    ) -> Result<RecordBatch, ArrowError> {
        let arrays = columns::arrays(&self.columns, entry, games, colors);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    /// # Errors
    /// If a column was named for an unusual tag: with games read in parts, nothing else would reveal a misspelt name.
    pub fn without_unusual_tags(&self) -> PyResult<()> {
        match self.columns.unusual_tags().next() {
            None => Ok(()),
            Some(tag) => Err(PyValueError::new_err(format!(
                "few games have a tag '{tag}': if it is meant, write {TAG}{tag}"
            ))),
        }
    }
}
