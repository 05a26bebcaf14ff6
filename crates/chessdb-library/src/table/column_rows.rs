//! Rows in memory, column by column.

use bytes::Bytes;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;

use super::column::ColumnType;
use super::columns::Columns;
use super::row::TableRow;
use super::value::Value;

/// Number of rows whose values are passed to the writer at once; it writes as many at a time.
const BATCH: usize = 1024;

/// Initial capacity of a column in rows.
const USUAL_ROWS: usize = 16;

/// Rows in memory, column by column.
pub(super) struct ColumnRows(Vec<Fields>);

/// The fields of a column.
pub(super) struct Fields {
    /// 1 for each row whose field is known, 0 for others.
    known: Vec<i16>,
    values: Values,
}

enum Values {
    /// Numbers, days from 1970, and times in milliseconds.
    Numbers(Vec<i32>),
    LongNumbers(Vec<i64>),
    Doubles(Vec<f64>),
    Bools(Vec<bool>),
    /// All texts or bytes, concatenated, and the offset where each ends.
    Texts(Vec<u8>, Vec<usize>),
    Lists(Lists<i32>),
    Bitboards(Lists<i64>),
}

/// Lists of numbers with the levels of Parquet.
#[derive(Default)]
struct Lists<T> {
    /// The known items of all lists.
    items: Vec<T>,
    /// For each item 2, or 1 if it is unknown; 0 for an empty list.
    definitions: Vec<i16>,
    /// For each of them 0 if it starts a list, otherwise 1.
    repetitions: Vec<i16>,
}

impl ColumnRows {
    /// An empty list of rows.
    pub fn new(columns: &Columns) -> ColumnRows {
        let fields = columns.iter().map(|(_, column)| Fields {
            known: Vec::with_capacity(USUAL_ROWS),
            values: Values::new(column.kind()),
        });
        ColumnRows(fields.collect())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.0.first().map_or(0, |fields| fields.known.len())
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all cells and of their values.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |fields: &Fields| size_of_val(&*fields.known) + fields.values.bytes();
        self.0.iter().map(bytes).sum()
    }

    /// The fields of each column.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Fields> {
        self.0.iter()
    }

    /// Removes all rows and keeps their room.
    pub(super) fn clear(&mut self) {
        for fields in &mut self.0 {
            fields.known.clear();
            fields.values.clear();
        }
    }

    /// Adds a row.
    pub fn push(&mut self, columns: &Columns, row: &(impl TableRow + ?Sized)) {
        for (n, (fields, (_, column))) in self.0.iter_mut().zip(columns.iter()).enumerate() {
            let value = row.field(n, column);
            fields.known.push(i16::from(value.is_some()));
            if let Some(value) = value {
                fields.values.push(value);
            }
        }
    }

    /// Adds the rows of another list.
    pub fn append(&mut self, other: ColumnRows) {
        for (fields, mut more) in self.0.iter_mut().zip(other.0) {
            fields.known.append(&mut more.known);
            fields.values.append(more.values);
        }
    }
}

impl Values {
    fn new(kind: ColumnType) -> Values {
        match kind {
            ColumnType::Text | ColumnType::LongText | ColumnType::Bytes => {
                Values::Texts(Vec::new(), Vec::with_capacity(USUAL_ROWS))
            }
            ColumnType::Bool => Values::Bools(Vec::with_capacity(USUAL_ROWS)),
            ColumnType::Int8
            | ColumnType::Int16
            | ColumnType::Int32
            | ColumnType::Date
            | ColumnType::Time => Values::Numbers(Vec::with_capacity(USUAL_ROWS)),
            ColumnType::Double => Values::Doubles(Vec::with_capacity(USUAL_ROWS)),
            ColumnType::Int64 => Values::LongNumbers(Vec::with_capacity(USUAL_ROWS)),
            ColumnType::Int16List | ColumnType::Int32List => Values::Lists(Lists::default()),
            ColumnType::Bitboards => Values::Bitboards(Lists::default()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Values::Numbers(numbers) => size_of_val(&**numbers),
            Values::LongNumbers(numbers) => size_of_val(&**numbers),
            Values::Doubles(numbers) => size_of_val(&**numbers),
            Values::Bools(values) => size_of_val(&**values),
            Values::Texts(texts, ends) => texts.len() + size_of_val(&**ends),
            Values::Lists(lists) => lists.bytes(),
            Values::Bitboards(lists) => lists.bytes(),
        }
    }

    fn clear(&mut self) {
        match self {
            Values::Numbers(numbers) => numbers.clear(),
            Values::LongNumbers(numbers) => numbers.clear(),
            Values::Doubles(numbers) => numbers.clear(),
            Values::Bools(values) => values.clear(),
            Values::Texts(texts, ends) => {
                texts.clear();
                ends.clear();
            }
            Values::Lists(lists) => lists.clear(),
            Values::Bitboards(lists) => lists.clear(),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            (Values::Texts(texts, ends), Value::Text(text)) => {
                texts.extend_from_slice(text.as_bytes());
                ends.push(texts.len());
            }
            (Values::Texts(texts, ends), Value::Bytes(bytes)) => {
                texts.extend(bytes);
                ends.push(texts.len());
            }
            (Values::Bools(values), Value::Bool(value)) => values.push(value),
            (Values::Lists(lists), Value::List(list)) => lists.push(&list),
            (Values::Bitboards(lists), Value::Bitboards(numbers)) => {
                lists.push(&numbers.map(|number| Some(number.cast_signed())));
            }
            (Values::LongNumbers(numbers), Value::Number(number)) => numbers.push(number),
            (Values::Doubles(numbers), Value::Halves(halves)) => numbers.push(f64::from(halves) / 2.0),
            (Values::Numbers(numbers), value) => numbers.extend(value.number()),
            // A column has only one kind of values.
            _ => {}
        }
    }

    fn append(&mut self, more: Values) {
        match (self, more) {
            (Values::Numbers(numbers), Values::Numbers(more)) => numbers.extend(more),
            (Values::LongNumbers(numbers), Values::LongNumbers(more)) => numbers.extend(more),
            (Values::Doubles(numbers), Values::Doubles(more)) => numbers.extend(more),
            (Values::Bools(values), Values::Bools(more)) => values.extend(more),
            (Values::Texts(texts, ends), Values::Texts(more, more_ends)) => {
                let before = texts.len();
                texts.extend(more);
                ends.extend(more_ends.into_iter().map(|end| before + end));
            }
            (Values::Lists(lists), Values::Lists(more)) => lists.append(more),
            (Values::Bitboards(lists), Values::Bitboards(more)) => lists.append(more),
            // Both lists have the same columns.
            _ => {}
        }
    }
}

impl<T: Copy> Lists<T> {
    fn bytes(&self) -> usize {
        size_of_val(&*self.items) + size_of_val(&*self.definitions) + size_of_val(&*self.repetitions)
    }

    fn clear(&mut self) {
        self.items.clear();
        self.definitions.clear();
        self.repetitions.clear();
    }

    fn append(&mut self, more: Lists<T>) {
        self.items.extend(more.items);
        self.definitions.extend(more.definitions);
        self.repetitions.extend(more.repetitions);
    }

    fn push(&mut self, list: &[Option<T>]) {
        self.items.extend(list.iter().flatten());
        self.definitions
            .extend(list.iter().map(|item| 1 + i16::from(item.is_some())));
        self.repetitions.extend((0..list.len()).map(|n| i16::from(n > 0)));
        if list.is_empty() {
            self.definitions.push(0);
            self.repetitions.push(0);
        }
    }
}

impl Fields {
    pub(super) fn write(&self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match &self.values {
            Values::Numbers(numbers) => {
                let writer = column.typed::<Int32Type>();
                writer.write_batch(numbers, Some(&self.known), None)?;
            }
            Values::LongNumbers(numbers) => {
                let writer = column.typed::<Int64Type>();
                writer.write_batch(numbers, Some(&self.known), None)?;
            }
            Values::Doubles(numbers) => {
                let writer = column.typed::<DoubleType>();
                writer.write_batch(numbers, Some(&self.known), None)?;
            }
            Values::Bools(values) => {
                let writer = column.typed::<BoolType>();
                writer.write_batch(values, Some(&self.known), None)?;
            }
            Values::Bitboards(lists) => {
                let writer = column.typed::<Int64Type>();
                let levels = (&lists.definitions, &lists.repetitions);
                writer.write_batch(&lists.items, Some(levels.0), Some(levels.1))?;
            }
            Values::Lists(lists) => {
                let writer = column.typed::<Int32Type>();
                let levels = (&lists.definitions, &lists.repetitions);
                writer.write_batch(&lists.items, Some(levels.0), Some(levels.1))?;
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
