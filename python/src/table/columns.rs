//! The columns of a table as arrays of Arrow.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder,
    LargeBinaryBuilder, LargeStringBuilder, ListBuilder, StringBuilder, Time32MillisecondBuilder,
};
use arrow_array::{ArrayRef, FixedSizeListArray, UInt64Array};
use arrow_schema::{DataType, Field, TimeUnit};

use chessdb::board::Color;
use chessdb_library::library::LibraryEntry;
use chessdb_library::table::{BITBOARDS, Column, ColumnType, Columns, GamePath, GameRow, Value};
use chessdb_library::task;

/// Name and type of a column.
pub fn field(name: &str, column: &Column) -> Field {
    let list = |item| DataType::List(Arc::new(Field::new_list_field(item, true)));
    let kind = match column.kind() {
        ColumnType::Text => DataType::Utf8,
        ColumnType::LongText => DataType::LargeUtf8,
        ColumnType::Bytes => DataType::LargeBinary,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Int8 => DataType::Int8,
        ColumnType::Int16 => DataType::Int16,
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Double => DataType::Float64,
        ColumnType::Date => DataType::Date32,
        ColumnType::Time => DataType::Time32(TimeUnit::Millisecond),
        ColumnType::Int16List => list(DataType::Int16),
        ColumnType::Int32List => list(DataType::Int32),
        ColumnType::Bitboards => DataType::FixedSizeList(bitboard(), BITBOARDS as i32),
    };
    Field::new(name, kind, column.is_nullable())
}

/// One of the numbers of a position.
fn bitboard() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::UInt64, false))
}

/// A column that grows.
enum Builder {
    Text(StringBuilder),
    LongText(LargeStringBuilder),
    Bytes(LargeBinaryBuilder),
    Bool(BooleanBuilder),
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Double(Float64Builder),
    Date(Date32Builder),
    Time(Time32MillisecondBuilder),
    Int16List(ListBuilder<Int16Builder>),
    Int32List(ListBuilder<Int32Builder>),
    Bitboards(Vec<u64>),
}

impl Builder {
    fn new(kind: ColumnType, rows: usize) -> Builder {
        match kind {
            ColumnType::Text => Builder::Text(StringBuilder::with_capacity(rows, 16 * rows)),
            ColumnType::LongText => Builder::LongText(LargeStringBuilder::new()),
            ColumnType::Bytes => Builder::Bytes(LargeBinaryBuilder::new()),
            ColumnType::Bool => Builder::Bool(BooleanBuilder::with_capacity(rows)),
            ColumnType::Int8 => Builder::Int8(Int8Builder::with_capacity(rows)),
            ColumnType::Int16 => Builder::Int16(Int16Builder::with_capacity(rows)),
            ColumnType::Int32 => Builder::Int32(Int32Builder::with_capacity(rows)),
            ColumnType::Int64 => Builder::Int64(Int64Builder::with_capacity(rows)),
            ColumnType::Double => Builder::Double(Float64Builder::with_capacity(rows)),
            ColumnType::Date => Builder::Date(Date32Builder::with_capacity(rows)),
            ColumnType::Time => Builder::Time(Time32MillisecondBuilder::with_capacity(rows)),
            ColumnType::Int16List => Builder::Int16List(ListBuilder::new(Int16Builder::new())),
            ColumnType::Int32List => Builder::Int32List(ListBuilder::new(Int32Builder::new())),
            ColumnType::Bitboards => Builder::Bitboards(Vec::new()),
        }
    }

    fn append(&mut self, value: Option<Value<'_>>) {
        let value = value.as_ref();
        let number = value.and_then(Value::number);
        let text = match value {
            Some(Value::Text(text)) => Some(text.as_ref()),
            _ => None,
        };
        let list = match value {
            Some(Value::List(list)) => list.as_slice(),
            _ => &[],
        };
        match self {
            Builder::Text(texts) => texts.append_option(text),
            Builder::LongText(texts) => texts.append_option(text),
            Builder::Bytes(all) => match value {
                Some(Value::Bytes(bytes)) => all.append_value(bytes),
                _ => all.append_null(),
            },
            Builder::Bool(values) => match value {
                Some(Value::Bool(value)) => values.append_value(*value),
                _ => values.append_null(),
            },
            Builder::Int8(numbers) => numbers.append_option(number.and_then(|number| number.try_into().ok())),
            Builder::Int16(numbers) => {
                numbers.append_option(number.and_then(|number| number.try_into().ok()))
            }
            Builder::Int32(numbers) => numbers.append_option(number),
            Builder::Int64(numbers) => match value {
                Some(Value::Number(number)) => numbers.append_value(*number),
                _ => numbers.append_null(),
            },
            Builder::Double(numbers) => match value {
                Some(Value::Halves(halves)) => numbers.append_value(f64::from(*halves) / 2.0),
                _ => numbers.append_null(),
            },
            Builder::Date(days) => days.append_option(number),
            Builder::Time(times) => times.append_option(number),
            Builder::Int16List(lists) => {
                let items = list.iter().map(|item| item.and_then(|item| item.try_into().ok()));
                lists.append_value(items);
            }
            Builder::Int32List(lists) => lists.append_value(list.iter().copied()),
            Builder::Bitboards(numbers) => {
                if let Some(Value::Bitboards(bitboards)) = value {
                    numbers.extend_from_slice(*bitboards);
                }
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(column) => Arc::new(column.finish()),
            Builder::LongText(column) => Arc::new(column.finish()),
            Builder::Bytes(column) => Arc::new(column.finish()),
            Builder::Bool(column) => Arc::new(column.finish()),
            Builder::Int8(column) => Arc::new(column.finish()),
            Builder::Int16(column) => Arc::new(column.finish()),
            Builder::Int32(column) => Arc::new(column.finish()),
            Builder::Int64(column) => Arc::new(column.finish()),
            Builder::Double(column) => Arc::new(column.finish()),
            Builder::Date(column) => Arc::new(column.finish()),
            Builder::Time(column) => Arc::new(column.finish()),
            Builder::Int16List(column) => Arc::new(column.finish()),
            Builder::Int32List(column) => Arc::new(column.finish()),
            Builder::Bitboards(numbers) => {
                let numbers = UInt64Array::from(std::mem::take(numbers));
                Arc::new(FixedSizeListArray::new(
                    bitboard(),
                    BITBOARDS as i32,
                    Arc::new(numbers),
                    None,
                ))
            }
        }
    }
}

/// The columns of some games or of their positions.
pub fn arrays(
    columns: &Columns,
    entry: &LibraryEntry,
    games: impl ExactSizeIterator<Item = u32>,
    colors: &HashMap<u32, Color>,
) -> Vec<ArrayRef> {
    let mut builders: Vec<Builder> = columns
        .iter()
        .map(|(_, column)| Builder::new(column.kind(), games.len()))
        .collect();
    each_game(entry, games, |game, row| {
        let row = row.with_player(colors.get(&game).copied());
        columns.each_row(&row, |row| {
            for (n, (builder, (_, column))) in builders.iter_mut().zip(columns.iter()).enumerate() {
                builder.append(row.field(n, column));
            }
        });
    });
    builders.iter_mut().map(Builder::finish).collect()
}

/// The number of rows of some games. No values are read.
pub fn count(columns: &Columns, entry: &LibraryEntry, games: impl Iterator<Item = u32>) -> usize {
    let mut number = 0;
    each_game(entry, games, |_, row| number += columns.count_rows(&row));
    number
}

fn each_game(entry: &LibraryEntry, games: impl Iterator<Item = u32>, mut each: impl FnMut(u32, GameRow<'_>)) {
    for game in games {
        task::check();
        each(game, GameRow::new(entry, GamePath::of(entry, game)));
    }
}
