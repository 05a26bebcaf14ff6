//! Tables as Parquet files: typed columns, in groups of rows.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::columns::{Column, Columns};
use super::row::{GameRow, Value};
use crate::parallel::in_order;

/// Maximum number of bytes in the dictionary of a column in a group of rows. A dictionary stores equal texts
/// once.
const MOST_IN_DICTIONARY: usize = 8 << 20;

/// Rows whose values are passed to the writer together: as many as it writes at a time.
const BATCH: usize = 1024;

/// Rows for which a column has room before it grows.
const USUAL_ROWS: usize = 128;

/// Games in a group of rows.
const GROUP: u32 = 100_000;

/// The schema and properties of a Parquet file.
pub struct Parquet {
    schema: TypePtr,
    properties: WriterPropertiesPtr,
}

/// Rows in memory, column by column.
pub struct ColumnRows(Vec<Fields>);

/// The fields of a column.
struct Fields {
    /// 1 for each row whose field is known, 0 for others.
    known: Vec<i16>,
    values: Values,
}

enum Values {
    Numbers(Vec<i32>),
    /// All texts, concatenated, and the offset at which each ends.
    Texts(Vec<u8>, Vec<usize>),
}

impl Parquet {
    /// Writes games of several databases as a file. `lens` are the numbers of their games, of which `rows` reads some of
    /// one database, in `threads` threads. `done` is called with numbers of games.
    ///
    /// # Errors
    /// If two columns have the same name, or writing fails.
    pub fn write<W: Write + Send>(
        out: W,
        columns: &Columns,
        lens: &[u32],
        threads: usize,
        rows: impl Fn(usize, Range<u32>) -> ColumnRows + Sync,
        done: impl Fn(u64),
    ) -> io::Result<()> {
        let mut file = Parquet::new(columns)?.begin(out)?;
        let mut group = ColumnRows::new(columns);
        for (part, &len) in lens.iter().enumerate() {
            let mut first = 0;
            while first < len {
                let more = (len - first).min(GROUP.saturating_sub(group.len() as u32));
                let _ = in_order(
                    more,
                    threads,
                    |games| rows(part, first + games.start..first + games.end),
                    |rows| {
                        done(rows.len() as u64);
                        group.append(rows);
                        ControlFlow::<()>::Continue(())
                    },
                );
                first += more;
                if group.len() >= GROUP as usize {
                    Parquet::write_group(&mut file, &group)?;
                    group.clear();
                }
            }
        }
        if !group.is_empty() {
            Parquet::write_group(&mut file, &group)?;
        }
        file.finish()?;
        Ok(())
    }

    /// The form of a file with these columns.
    ///
    /// # Errors
    /// If two columns have the same name.
    fn new(columns: &Columns) -> Result<Parquet, ParquetError> {
        let fields = columns.iter().map(|(name, column)| {
            let kind = if is_number(column) {
                Type::primitive_type_builder(name, PhysicalType::INT32)
            } else {
                Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY)
                    .with_logical_type(Some(LogicalType::String))
            };
            let kind = match column {
                Column::Number | Column::Database | Column::Path => {
                    kind.with_repetition(Repetition::REQUIRED)
                }
                _ => kind.with_repetition(Repetition::OPTIONAL),
            };
            let kind = match column {
                // A main line has up to 65,535 half-moves.
                Column::Number | Column::Plies => kind,
                column if is_number(column) => kind.with_logical_type(Some(LogicalType::integer(16, true))),
                _ => kind,
            };
            kind.build().map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("games").with_fields(fields).build()?;
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("pgnfs version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(MOST_IN_DICTIONARY)
            .set_max_row_group_row_count(None);
        for (name, column) in columns.iter() {
            let path = ColumnPath::from(name);
            // Values hardly ever repeat, so a dictionary would not help.
            let encoding = match column {
                Column::Number => Encoding::DELTA_BINARY_PACKED,
                Column::Path => Encoding::DELTA_BYTE_ARRAY,
                Column::Moves | Column::Uci | Column::FinalFen => Encoding::PLAIN,
                _ => continue,
            };
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, encoding);
        }
        Ok(Parquet {
            schema: Arc::new(schema),
            properties: Arc::new(properties.build()),
        })
    }

    /// Begins a file.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn begin<W: Write + Send>(&self, out: W) -> Result<SerializedFileWriter<W>, ParquetError> {
        SerializedFileWriter::new(out, Arc::clone(&self.schema), Arc::clone(&self.properties))
    }

    /// Writes rows as a group.
    ///
    /// # Errors
    /// If writing to the output fails.
    fn write_group<W: Write + Send>(
        file: &mut SerializedFileWriter<W>,
        rows: &ColumnRows,
    ) -> Result<(), ParquetError> {
        let mut group = file.next_row_group()?;
        let mut fields = rows.0.iter();
        while let (Some(mut column), Some(fields)) = (group.next_column()?, fields.next()) {
            fields.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl ColumnRows {
    /// An empty list of rows.
    pub fn new(columns: &Columns) -> ColumnRows {
        let fields = columns.iter().map(|(_, column)| Fields {
            known: Vec::with_capacity(USUAL_ROWS),
            values: if is_number(column) {
                Values::Numbers(Vec::with_capacity(USUAL_ROWS))
            } else {
                Values::Texts(Vec::new(), Vec::with_capacity(USUAL_ROWS))
            },
        });
        ColumnRows(fields.collect())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.0.first().map_or(0, |fields| fields.known.len())
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all rows and keeps their room.
    fn clear(&mut self) {
        for fields in &mut self.0 {
            fields.known.clear();
            match &mut fields.values {
                Values::Numbers(numbers) => numbers.clear(),
                Values::Texts(texts, ends) => {
                    texts.clear();
                    ends.clear();
                }
            }
        }
    }

    /// Adds a game.
    pub fn push(&mut self, columns: &Columns, row: &GameRow<'_>) {
        for (fields, (_, column)) in self.0.iter_mut().zip(columns.iter()) {
            fields.push(row.value(column));
        }
    }

    /// Adds the rows of another list.
    pub fn append(&mut self, other: ColumnRows) {
        for (fields, mut more) in self.0.iter_mut().zip(other.0) {
            fields.known.append(&mut more.known);
            match (&mut fields.values, more.values) {
                (Values::Numbers(numbers), Values::Numbers(more)) => numbers.extend(more),
                (Values::Texts(texts, ends), Values::Texts(more, more_ends)) => {
                    let before = texts.len();
                    texts.extend(more);
                    ends.extend(more_ends.into_iter().map(|end| before + end));
                }
                // Both lists have the same columns.
                _ => {}
            }
        }
    }
}

impl Fields {
    fn push(&mut self, value: Option<Value<'_>>) {
        self.known.push(i16::from(value.is_some()));
        match (&mut self.values, value) {
            (Values::Numbers(numbers), Some(Value::Number(number))) => {
                numbers.push(i32::try_from(number).unwrap_or(i32::MAX));
            }
            (Values::Texts(texts, ends), Some(Value::Text(text))) => {
                texts.extend_from_slice(text.as_bytes());
                ends.push(texts.len());
            }
            // The value is unknown: a column has only one kind of values.
            _ => {}
        }
    }

    fn write(&self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match &self.values {
            Values::Numbers(numbers) => {
                let writer = column.typed::<Int32Type>();
                writer.write_batch(numbers, Some(&self.known), None)?;
            }
            Values::Texts(texts, ends) => {
                let writer = column.typed::<ByteArrayType>();
                let (mut start, mut rest) = (0, ends.as_slice());
                let mut values: Vec<ByteArray> = Vec::with_capacity(BATCH);
                for known in self.known.chunks(BATCH) {
                    let number = known.iter().filter(|&&known| known > 0).count();
                    let (ends, after) = rest.split_at(number.min(rest.len()));
                    let end = ends.last().copied().unwrap_or(start);
                    let batch = Bytes::copy_from_slice(texts.get(start..end).unwrap_or_default());
                    let mut first = 0;
                    values.extend(ends.iter().map(|end| {
                        let value = first..end - start;
                        first = value.end;
                        ByteArray::from(batch.slice(value))
                    }));
                    writer.write_batch(&values, Some(known), None)?;
                    values.clear();
                    (start, rest) = (end, after);
                }
            }
        }
        Ok(())
    }
}

/// True for a column of numbers.
fn is_number(column: &Column) -> bool {
    matches!(
        column,
        Column::Number
            | Column::Year
            | Column::Month
            | Column::Day
            | Column::WhiteElo
            | Column::BlackElo
            | Column::Plies
    )
}
