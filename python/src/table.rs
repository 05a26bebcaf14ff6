//! Games as columns in the memory format of Arrow.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

mod columns;

use crate::in_chunks::in_chunks;
use crate::source::Source;
use columns::Column;

/// Games in a batch.
const CHUNK: u32 = 8192;

/// The columns of a table if none are named.
const USUAL: [&str; 11] = [
    "number", "Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "WhiteElo", "BlackElo",
];

/// Games as columns. Libraries that know Arrow take them through its PyCapsule interface, without a copy where they
/// have the same types: `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`.
#[pyclass(frozen, module = "chessdb")]
pub struct Table {
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
        format!("<chessdb.Table of {rows} games: {columns}>")
    }
}

/// The named columns of some games.
///
/// # Errors
/// If a column does not exist; otherwise the errors of [`in_chunks`].
pub fn table(
    py: Python<'_>,
    source: &Source,
    names: Option<&[String]>,
    games: Range<u32>,
    threads: usize,
) -> PyResult<Table> {
    let columns: Vec<Column> = match names {
        Some(names) => names
            .iter()
            .map(|name| Column::of(name))
            .collect::<PyResult<_>>()?,
        None => USUAL.into_iter().map(Column::of).collect::<PyResult<_>>()?,
    };
    let fields: Vec<Field> = columns.iter().map(Column::field).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = |games: Range<u32>| {
        let arrays = columns::arrays(&columns, &source.entry, games);
        RecordBatch::try_new(Arc::clone(&schema), arrays)
    };
    let batches = in_chunks(py, source, games, CHUNK, threads, batch)?;
    let batches = batches.into_iter().collect::<Result<_, ArrowError>>();
    Ok(Table {
        batches: batches.map_err(pyo3_arrow::error::PyArrowError::from)?,
        schema,
    })
}
