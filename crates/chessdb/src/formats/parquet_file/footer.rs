//! The footer, with the places of the columns in each group of rows (section 2).
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | `PAR1` |
//! | n | pages |
//! | n | the footer: `FileMetaData`, in [`thrift`](super::thrift) |
//! | 4 | its length in little endian |
//! | 4 | `PAR1`, or `PARE` if it is encrypted |
//!
//! The crate `parquet` reads the footer, but only after it was checked here: the crate allocates memory for each item
//! that a list declares, and follows nested structures without a limit, so a small damaged footer could cost it all
//! memory or the stack.

use parquet::basic::CompressionCodec;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};

use super::column::{Meaning, Role, form};
use super::page::Form;
use super::thrift::{Kind, Thrift};
use super::unpack::Codec;
use crate::bytes::{index, le_u32};

/// The first bytes of a file, and the last ones.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The contents of a file as its footer describes them.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) columns: Vec<Column>,
    pub(super) groups: Vec<Group>,
    /// Number of rows of all groups.
    pub(super) rows: u32,
    /// The program that wrote the file.
    pub(super) writer: Option<String>,
    /// Names of the columns that are not read.
    pub(super) others: Vec<String>,
    /// Offsets and descriptions of damage.
    pub(super) damage: Vec<(u64, String)>,
    /// Offset of the footer.
    pub(super) at: u64,
}

/// A column that is read.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) meaning: Meaning,
}

/// A group of rows.
#[derive(Debug)]
pub(super) struct Group {
    /// Number of rows before the group.
    pub(super) first: u32,
    pub(super) rows: u32,
    /// The pages of each column in [`Layout::columns`].
    pub(super) chunks: Vec<Chunk>,
}

/// The pages of a column in a group of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) start: u64,
    pub(super) len: u64,
    /// Length of the unpacked pages, with their headers.
    pub(super) unpacked: u64,
    pub(super) form: Form,
}

/// Number of unpacked bytes that any file may have.
const FREE: u64 = 64 << 20;
/// Maximum ratio of unpacked to packed bytes, beyond [`FREE`].
const MOST_TIMES: u64 = 100;

impl Layout {
    /// Reads the footer of a file.
    ///
    /// # Errors
    /// If the file is not a database: the reason.
    pub(super) fn read(bytes: &[u8]) -> Result<Layout, String> {
        let (at, footer) = footer(bytes)?;
        let wrong = |what: &str| format!("byte {at}: the footer cannot be read: {what}");
        let footer = footer.to_vec();
        check(&footer).ok_or_else(|| wrong("its structure is invalid"))?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer);
        let metadata = metadata.map_err(|error| wrong(&error.to_string()))?;
        let mut layout = Layout {
            at: at as u64,
            writer: metadata.file_metadata().created_by().map(ToOwned::to_owned),
            ..Layout::default()
        };
        let leaves = layout.find_columns(&metadata);
        layout.find_groups(&metadata, &leaves, bytes.len() as u64);
        Ok(layout)
    }

    /// Lists the columns that are read. Returns the number of each among all columns, and its form.
    fn find_columns(&mut self, metadata: &ParquetMetaData) -> Vec<(usize, Form)> {
        let mut leaves = Vec::new();
        for (number, column) in metadata
            .file_metadata()
            .schema_descr()
            .columns()
            .iter()
            .enumerate()
        {
            let path = column.path().parts();
            let name = path.first().map(String::as_str).unwrap_or_default();
            // A list or a structure has several parts in its path.
            let is_flat = path.len() == 1 && column.max_rep_level() == 0 && column.max_def_level() <= 1;
            let found = form(column).filter(|_| is_flat).zip(Role::of(name));
            let found = found.filter(|((stored, _), role)| role.may_be_stored_as(*stored));
            let Some(((stored, meaning), role)) = found else {
                if self.others.last().is_none_or(|last| last != name) {
                    self.others.push(name.to_owned());
                }
                continue;
            };
            self.columns.push(Column {
                name: name.to_owned(),
                role,
                meaning,
            });
            let form = Form {
                stored,
                codec: Codec::Plain,
                is_nullable: column.max_def_level() > 0,
            };
            leaves.push((number, form));
        }
        leaves
    }

    fn find_groups(&mut self, metadata: &ParquetMetaData, leaves: &[(usize, Form)], len: u64) {
        // Each byte of the file belongs to at most one column, and every row has bytes.
        let mut packed_left = len;
        let mut unpacked_left = len.saturating_mul(MOST_TIMES).max(FREE);
        let mut rows_left = u32::try_from(len).unwrap_or(u32::MAX - 1);
        for group in metadata.row_groups() {
            let rows = u32::try_from(group.num_rows()).unwrap_or(u32::MAX);
            if rows > rows_left {
                self.damage.push((
                    self.at,
                    format!(
                        "a group has {} rows, more than the file has bytes: they are left out",
                        group.num_rows()
                    ),
                ));
                continue;
            }
            rows_left -= rows;
            let chunks = leaves.iter().map(|(number, form)| {
                let none = Chunk {
                    start: self.at,
                    len: 0,
                    unpacked: 0,
                    form: *form,
                };
                let found = group
                    .columns()
                    .get(*number)
                    .and_then(|column| chunk(column, *form));
                let fits = |chunk: &Chunk| chunk.len <= packed_left && chunk.unpacked <= unpacked_left;
                let chunk = found.filter(fits).unwrap_or(none);
                packed_left -= chunk.len;
                unpacked_left -= chunk.unpacked;
                chunk
            });
            let chunks = chunks.collect();
            if rows > 0 {
                self.groups.push(Group {
                    first: self.rows,
                    rows,
                    chunks,
                });
            }
            self.rows += rows;
        }
    }

    /// The group of a row.
    pub(super) fn group_of(&self, row: u32) -> Option<(usize, &Group)> {
        let after = self.groups.partition_point(|group| group.first <= row);
        let number = after.checked_sub(1)?;
        let group = self.groups.get(number)?;
        (row - group.first < group.rows).then_some((number, group))
    }
}

/// The footer and its offset.
fn footer(bytes: &[u8]) -> Result<(usize, &[u8]), String> {
    if !bytes.starts_with(MAGIC) {
        return Err("the file does not begin as Parquet files do".to_owned());
    }
    let cut = "the file does not end as Parquet files do: it was cut, or is still being written";
    let end = bytes.len().checked_sub(8).filter(|&end| end >= MAGIC.len());
    let end = end.ok_or(cut)?;
    match bytes.get(end + 4..) {
        Some(MAGIC) => {}
        Some(b"PARE") => return Err("the file is encrypted, which is not supported".to_owned()),
        _ => return Err(cut.to_owned()),
    }
    let len = le_u32(bytes, end).map_or(usize::MAX, |len| index(len.into()));
    let start = end.checked_sub(len).filter(|&start| start >= MAGIC.len());
    let start = start
        .ok_or_else(|| format!("byte {end}: the file has no {len} bytes before its end for the footer"))?;
    Ok((start, bytes.get(start..end).unwrap_or_default()))
}

fn chunk(column: &ColumnChunkMetaData, form: Form) -> Option<Chunk> {
    // The pages are in another file.
    if column.file_path().is_some() {
        return None;
    }
    let data = u64::try_from(column.data_page_offset()).ok()?;
    // Some programs write 0 for a dictionary that does not exist.
    let dictionary = column
        .dictionary_page_offset()
        .and_then(|at| u64::try_from(at).ok());
    let start = dictionary.filter(|&at| at > 0).map_or(data, |at| at.min(data));
    Some(Chunk {
        start,
        len: u64::try_from(column.compressed_size()).ok()?,
        unpacked: u64::try_from(column.uncompressed_size()).ok()?,
        form: Form {
            codec: match column.compression_codec() {
                CompressionCodec::UNCOMPRESSED => Codec::Plain,
                CompressionCodec::SNAPPY => Codec::Snappy,
                CompressionCodec::GZIP => Codec::Gzip,
                CompressionCodec::LZ4 => Codec::OldLz4,
                CompressionCodec::LZ4_RAW => Codec::Lz4,
                CompressionCodec::ZSTD => Codec::Zstandard,
                CompressionCodec::BROTLI => Codec::Other("Brotli"),
                CompressionCodec::LZO => Codec::Other("LZO"),
            },
            ..form
        },
    })
}

/// Maximum depth of nested columns.
const DEEPEST: usize = 32;
/// Minimum number of bytes that the footer has for a column in a group, and for a group. Limits the crate's memory.
const LEAST_CHUNK: usize = 12;
const LEAST_GROUP: usize = 6;

/// Checks a footer before the crate reads it; `None` if the crate must not read it.
fn check(footer: &[u8]) -> Option<()> {
    let mut thrift = Thrift::new(footer, 0);
    let (mut number, mut columns) = (0, 0);
    while let Some(kind) = thrift.field(&mut number)? {
        match number {
            2 => columns = check_schema(&mut thrift)?,
            4 => {
                check_list(&mut thrift, LEAST_GROUP, |thrift| {
                    let (mut number, mut chunks) = (0, 0);
                    while let Some(kind) = thrift.field(&mut number)? {
                        match number {
                            1 => {
                                let skip = |thrift: &mut Thrift<'_>| thrift.skip(Kind::STRUCTURE);
                                chunks = check_list(thrift, LEAST_CHUNK, skip)?;
                            }
                            _ => thrift.skip(kind)?,
                        }
                    }
                    // Each group must list as many columns as the schema, because the crate allocates memory for each
                    // column of each group.
                    (chunks == columns).then_some(())
                })?;
            }
            _ => thrift.skip(kind)?,
        }
    }
    Some(())
}

/// Skips a list of structures and returns their number; `None` if one has less than `least` bytes.
fn check_list<'a>(
    thrift: &mut Thrift<'a>,
    least: usize,
    each: impl Fn(&mut Thrift<'a>) -> Option<()>,
) -> Option<usize> {
    let (len, kind) = thrift.list()?;
    for _ in 0..len {
        let start = thrift.at;
        each(thrift)?;
        if kind != Kind::STRUCTURE || thrift.at - start < least {
            return None;
        }
    }
    Some(len)
}

/// Skips the columns and counts those without parts. A column comes before its parts.
fn check_schema(thrift: &mut Thrift<'_>) -> Option<usize> {
    let (len, kind) = thrift.list()?;
    let mut columns = 0;
    // For each open column, the number of its parts that are still to come.
    let mut open: Vec<u64> = Vec::new();
    for place in 0..len {
        let mut parts = 0;
        let mut number = 0;
        while let Some(kind) = thrift.field(&mut number)? {
            match number {
                5 => parts = u64::try_from(thrift.integer()?).ok()?,
                _ => thrift.skip(kind)?,
            }
        }
        // The first column contains all others.
        if kind != Kind::STRUCTURE || (place == 0) != open.is_empty() || parts > len as u64 {
            return None;
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        columns += usize::from(parts == 0 && place > 0);
        open.push(parts);
        while open.last() == Some(&0) && open.len() > 1 {
            open.pop();
        }
        if open.len() > DEEPEST {
            return None;
        }
        // All columns are complete, but the list goes on.
        if open == [0] && place + 1 < len {
            return None;
        }
    }
    (open == [0]).then_some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_inside_of_each_other_up_to_a_depth() {
        for (depth, is_sound) in [(1, true), (32, true), (33, false)] {
            // A list of structures: columns with one part each, and a last one without parts.
            let mut schema = vec![0xf0 | 12, u8::try_from(depth + 1).unwrap()];
            schema.extend([0x55, 2, 0].repeat(depth));
            schema.extend([0x55, 0, 0]);
            let checked = check_schema(&mut Thrift::new(&schema, 0));
            assert_eq!(checked.is_some(), is_sound, "{depth}");
        }
        // A column that declares more parts than there are columns.
        let schema = [0x2c, 0x55, 6, 0, 0x55, 0, 0];
        assert_eq!(check_schema(&mut Thrift::new(&schema, 0)), None);
        assert_eq!(check_schema(&mut Thrift::new(&[0x0c], 0)), None);
    }

    #[test]
    fn lists_declare_no_more_than_they_have() {
        // Groups that are empty structures. The crate would allocate memory for each of them.
        let footer = [&[0x49, 0xfc, 100][..], &[0; 100], &[0]].concat();
        assert_eq!(check(&footer), None);
        assert_eq!(check(&[0x49, 0xfc, 0xff, 0xff, 3, 0]), None);
    }
}
