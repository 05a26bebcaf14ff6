//! Games as columns in the memory format of Arrow.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

mod columns;

use crate::in_chunks::in_chunks;
use crate::search::{Search, answer};
use crate::source::Source;
use chessdb_library::library::tags_of;
use chessdb_library::query::Query;
use chessdb_library::table::{self, RowKind, TAG, further_tags, no_tag};

/// Games in a batch.
const CHUNK: u32 = 8192;

/// Games in a batch of positions, of which a game has about a hundred.
const CHUNK_OF_POSITIONS: u32 = 512;

/// The columns of a table of games if none are named.
const USUAL: [&str; 11] = [
    "number", "Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "WhiteElo", "BlackElo",
];

/// Games, or their positions, as columns. Libraries that know Arrow take them through its PyCapsule interface, without a copy where they
/// have the same types: `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`.
#[pyclass(frozen, module = "chessdb")]
pub struct Table {
    kind: RowKind,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The types of the columns by their names, as Arrow calls them.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for field in self.schema.fields() {
            types.set_item(field.name(), field.data_type().to_string())?;
        }
        Ok(types)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.schema.as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let arrays = self.batches.clone().into_iter();
        let arrays = arrays.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let row = Field::new("", DataType::Struct(self.schema.fields().clone()), false);
        let reader = ArrayIterator::new(arrays, Arc::new(row));
        to_stream_pycapsule(py, Box::new(reader), requested_schema)
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.__len__(), self.columns().join(", "));
        let kind = match self.kind {
            RowKind::Games => "games",
            RowKind::Positions => "positions",
        };
        format!("<chessdb.Table of {rows} {kind}: {columns}>")
    }
}

/// The games of a database that have rows.
pub enum Rows {
    /// Consecutive ones.
    All(Range<u32>),
    /// Some of them.
    Some(Vec<u32>),
}

impl Rows {
    /// Those of `games` that answer a query, or all.
    ///
    /// # Errors
    /// Those of [`answer`].
    pub fn of(py: Python<'_>, search: &Search, games: Range<u32>, query: Option<&Query>) -> PyResult<Rows> {
        let Some(query) = query else {
            return Ok(Rows::All(games));
        };
        // Other games are not searched.
        let found = if games == (0..search.source.len()) {
            answer(py, search, query)?
        } else {
            answer(py, &search.among(games), query)?
        };
        Ok(Rows::Some(found.iter().map(|found| found.game).collect()))
    }

    /// Their number.
    pub fn len(&self) -> u32 {
        match self {
            Rows::All(games) => games.len() as u32,
            Rows::Some(games) => games.len() as u32,
        }
    }

    /// The games in some of the rows.
    pub fn games(&self, places: Range<u32>) -> Vec<u32> {
        match self {
            Rows::All(games) => (games.start + places.start..games.start + places.end).collect(),
            Rows::Some(games) => games[places.start as usize..places.end as usize].to_vec(),
        }
    }
}

/// The columns of a table, of any number of databases.
pub struct Columns {
    columns: table::Columns,
    schema: SchemaRef,
}

impl Columns {
    /// The columns with these names, or the usual ones, with that of the database first if `has_database`.
    ///
    /// # Errors
    /// If no column is named, a name is unknown, or `rows` is.
    pub fn of(rows: &str, names: Option<&[String]>, has_database: bool) -> PyResult<Columns> {
        let Some(rows) = RowKind::of_name(rows) else {
            let kinds = RowKind::NAMES.join(" or ");
            return Err(PyValueError::new_err(format!("rows: {rows:?} is not {kinds}")));
        };
        let columns = match (names, rows) {
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
    /// Those of [`in_chunks`], and one if none of the games has a tag that was named and is not usual.
    pub fn table(&self, py: Python<'_>, parts: &[(Source, Rows)], threads: usize) -> PyResult<Table> {
        let table = self.batches(py, parts, threads)?;
        let Some(missing) = self.missing_tag(&table.batches) else {
            return Ok(table);
        };
        let mut tags = BTreeSet::new();
        for (source, rows) in parts {
            let further = |places: Range<u32>| {
                let mut names = BTreeSet::new();
                for game in rows.games(places) {
                    let tags = tags_of(&*source.entry.database, game);
                    names.extend(further_tags(&tags).map(str::to_owned));
                }
                names
            };
            let names = in_chunks(py, source, 0..rows.len(), CHUNK, threads, further)?;
            tags.extend(names.into_iter().flatten());
        }
        let tags = tags.iter().map(String::as_str);
        let named = table::Columns::names(self.columns.rows());
        Err(PyValueError::new_err(no_tag(missing, tags, named)))
    }

    /// Like [`Columns::table`], whatever tags the games have.
    ///
    /// # Errors
    /// Those of [`in_chunks`].
    pub fn batches(&self, py: Python<'_>, parts: &[(Source, Rows)], threads: usize) -> PyResult<Table> {
        let mut all = Vec::new();
        let chunk = match self.columns.rows() {
            RowKind::Games => CHUNK,
            RowKind::Positions => CHUNK_OF_POSITIONS,
        };
        for (source, rows) in parts {
            let batch = |places: Range<u32>| {
                let arrays = columns::arrays(&self.columns, &source.entry, &rows.games(places));
                RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            };
            let batches = in_chunks(py, source, 0..rows.len(), chunk, threads, batch)?;
            for batch in batches {
                all.push(batch.map_err(pyo3_arrow::error::PyArrowError::from)?);
            }
        }
        Ok(Table {
            kind: self.columns.rows(),
            batches: all,
            schema: Arc::clone(&self.schema),
        })
    }

    /// # Errors
    /// If a tag was named as a column that games usually do not have: where games are read in parts, nothing else shows a
    /// name that is wrong.
    pub fn without_unusual_tags(&self) -> PyResult<()> {
        match self.columns.unusual_tags().next() {
            None => Ok(()),
            Some(tag) => Err(PyValueError::new_err(format!(
                "few games have a tag '{tag}': if it is meant, write {TAG}{tag}"
            ))),
        }
    }

    /// The first tag that is unusual and in none of the games, of which there are some.
    fn missing_tag(&self, batches: &[RecordBatch]) -> Option<&str> {
        let is_empty = |place: usize| {
            let mut batches = batches.iter();
            batches.all(|batch| batch.column(place).null_count() == batch.num_rows())
        };
        let has_rows = batches.iter().any(|batch| batch.num_rows() > 0);
        let places = || self.columns.iter().enumerate().filter(|_| has_rows);
        let mut unusual = self.columns.unusual_tags();
        unusual.find(|tag| places().any(|(place, (name, _))| name == *tag && is_empty(place)))
    }
}
