//! Tables as Parquet files: typed columns, in groups of rows.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit, Type as PhysicalType,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::column::{Column, ColumnType};
use super::column_rows::ColumnRows;
use super::columns::Columns;
use crate::parallel::in_order;

/// The names that Parquet has for the parts of a list.
const LIST: &str = "list";
const ITEM: &str = "element";

/// Maximum number of bytes in the dictionary of a column in a group of rows. A dictionary stores repeated texts once.
const MOST_IN_DICTIONARY: usize = 8 << 20;

/// Maximum number of rows in a group. A group ends with a complete game, so it may have more if games have several
/// rows.
const GROUP: u32 = 100_000;

/// Number of bytes in cells and values after which a group of rows ends, so that memory is limited however many columns
/// or how long texts there are. Rows are counted in fixed chunks, so where a group ends depends on the rows alone and
/// not on threads.
const MOST_BYTES: usize = 64 << 20;

/// The schema and properties of a Parquet file.
pub(super) struct Parquet {
    schema: TypePtr,
    properties: WriterPropertiesPtr,
}

impl Parquet {
    /// Writes games of several databases as a file. `lens` are the numbers of games of each database; `rows` reads some
    /// games of one database. Works in `threads` threads. `done` is called with numbers of games.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write<W: Write + Send>(
        out: W,
        columns: &Columns,
        lens: &[u32],
        threads: usize,
        rows: impl Fn(usize, Range<u32>) -> ColumnRows + Sync,
        done: impl Fn(u64),
    ) -> io::Result<()> {
        let mut file = Parquet::new(columns)
            .and_then(|form| form.begin(out))
            .map_err(io_error)?;
        let mut group = ColumnRows::new(columns);
        for (part, &len) in lens.iter().enumerate() {
            let mut first = 0;
            while first < len {
                // If each game is a row, the last one fills the group.
                let more = (len - first).min(GROUP.saturating_sub(group.len() as u32));
                let mut written = Ok(());
                let _ = in_order(
                    more,
                    threads,
                    |games| {
                        let number = games.len() as u64;
                        (number, rows(part, first + games.start..first + games.end))
                    },
                    |(number, rows)| {
                        done(number);
                        group.append(rows);
                        if group.len() >= GROUP as usize || group.bytes() >= MOST_BYTES {
                            written = Parquet::write_group(&mut file, &group);
                            group.clear();
                        }
                        match written {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        }
                    },
                );
                written.map_err(io_error)?;
                first += more;
            }
        }
        if !group.is_empty() {
            Parquet::write_group(&mut file, &group).map_err(io_error)?;
        }
        file.finish().map_err(io_error)?;
        Ok(())
    }

    /// The form of a file with these columns.
    ///
    /// # Errors
    /// If the crate refuses them.
    fn new(columns: &Columns) -> Result<Parquet, ParquetError> {
        let fields = columns
            .iter()
            .map(|(name, column)| field(name, column).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("games").with_fields(fields).build()?;
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("pgnfs version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(MOST_IN_DICTIONARY)
            .set_max_row_group_row_count(None);
        for (name, column) in columns.iter() {
            let path = match item_kind(column.kind()) {
                Some(_) => ColumnPath::new(vec![name.to_owned(), LIST.to_owned(), ITEM.to_owned()]),
                None => ColumnPath::from(name),
            };
            // Values hardly ever repeat, so a dictionary would not help.
            let encoding = match column {
                Column::Number | Column::Ply | Column::Clocks => Encoding::DELTA_BINARY_PACKED,
                Column::Path => Encoding::DELTA_BYTE_ARRAY,
                Column::Plies | Column::Moves | Column::Uci | Column::FinalFen => Encoding::PLAIN,
                Column::Movetext | Column::Pgn | Column::Key => Encoding::PLAIN,
                Column::Fen | Column::Bitboards => Encoding::PLAIN,
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
        let mut fields = rows.fields();
        while let (Some(mut column), Some(fields)) = (group.next_column()?, fields.next()) {
            fields.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}

/// The file's error inside an error of the crate, for example that a pipe is closed.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(outer) => match outer.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(outer) => io::Error::other(outer),
        },
        error => io::Error::other(error),
    }
}

/// The field of a column.
fn field(name: &str, column: &Column) -> Result<Type, ParquetError> {
    let repetition = if column.is_nullable() {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    let Some(kind) = item_kind(column.kind()) else {
        return plain_field(name, column.kind(), repetition);
    };
    let item = plain_field(ITEM, kind, Repetition::OPTIONAL)?;
    let list = Type::group_type_builder(LIST)
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(item)])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_converted_type(ConvertedType::LIST)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
}

/// A field without parts.
fn plain_field(name: &str, kind: ColumnType, repetition: Repetition) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnType::Text | ColumnType::LongText => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Bytes => (PhysicalType::BYTE_ARRAY, None),
        ColumnType::Bool => (PhysicalType::BOOLEAN, None),
        ColumnType::Int8 => (PhysicalType::INT32, Some(LogicalType::integer(8, true))),
        ColumnType::Int16 | ColumnType::Int16List => {
            (PhysicalType::INT32, Some(LogicalType::integer(16, true)))
        }
        ColumnType::Int32 | ColumnType::Int32List => (PhysicalType::INT32, None),
        ColumnType::Int64 => (PhysicalType::INT64, None),
        ColumnType::Bitboards => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnType::Double => (PhysicalType::DOUBLE, None),
        ColumnType::Date => (PhysicalType::INT32, Some(LogicalType::Date)),
        ColumnType::Time => {
            let time = LogicalType::time(false, TimeUnit::MILLIS);
            (PhysicalType::INT32, Some(time))
        }
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
}

/// The type of the items of a list; `None` for other types.
fn item_kind(kind: ColumnType) -> Option<ColumnType> {
    match kind {
        ColumnType::Int16List => Some(ColumnType::Int16),
        ColumnType::Int32List => Some(ColumnType::Int32),
        ColumnType::Bitboards => Some(ColumnType::Bitboards),
        _ => None,
    }
}
