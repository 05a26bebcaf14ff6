//! `.frm`: names and types of the columns (section 8.1).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 2 | `fe 01` |
//! | 2 | 1 | version: from 8 on column entries have 17 bytes, before that (MySQL 4.0) 11, which are not read |
//! | 4 | 2 | N: the u32 at 64 + N is the place F of the column data |
//! | 0x1e | 2 | create options, bit 0: dynamic rows |
//! | F+258 | 2 | number of columns |
//! | F+260 | 2 | length S of the screens |
//! | F+268 | 2 | length of the names |
//! | F+288+S | | column entries, then the names; their first byte is the separator, which is in front of each name |
//!
//! An entry of a column has its length at +3 (u16), flags at +8 (u16, 8000 may be NULL), the type at +13 and the
//! character set at +14: 8 latin1, 63 bytes, else utf8. Types are 1 2 3 8 9 integers of 1, 2, 4, 8, 3 bytes; 10 and 14
//! date; 7 and 17 timestamp; 15 text; 253 and 254 padded text; 249 252 250 251 blob with a length of 1 to 4 bytes.

use super::layout::{Charset, ColumnSpec, Type};
use crate::bytes::{index, le_u16, le_u32, slice};
use crate::text::utf8;

/// Maximum length of a file that is read (section 13).
const LONGEST: usize = 1 << 20;
/// Maximum number of columns (section 13).
const MOST_COLUMNS: usize = 4096;

/// The first version with entries of this many bytes for columns.
const FIRST_VERSION: u8 = 8;
const ENTRY: usize = 17;

/// The contents of a `.frm`.
#[derive(Clone, Debug)]
pub(super) struct Frm {
    pub(super) is_dynamic: bool,
    pub(super) columns: Vec<ColumnSpec<String>>,
}

/// Parses a `.frm`; `None` if it is invalid.
pub(super) fn read(data: &[u8]) -> Option<Frm> {
    if data.len() > LONGEST || !data.starts_with(&[0xfe, 0x01]) || *data.get(2)? < FIRST_VERSION {
        return None;
    }
    let form = index(le_u32(data, 64 + usize::from(le_u16(data, 4)?))?.into());
    let form = data.get(form..)?;
    let count = usize::from(le_u16(form, 258)?);
    let screens = usize::from(le_u16(form, 260)?);
    let names_len = usize::from(le_u16(form, 268)?);
    if count == 0 || count > MOST_COLUMNS {
        return None;
    }
    let entries = slice(form, 288 + screens, count * ENTRY)?;
    let names = slice(form, 288 + screens + count * ENTRY, names_len)?;
    let (&separator, names) = names.split_first()?;
    let mut columns = Vec::with_capacity(count);
    for (entry, name) in entries.chunks_exact(ENTRY).zip(names.split(|&c| c == separator)) {
        columns.push(column(entry, name)?);
    }
    (columns.len() == count).then_some(Frm {
        is_dynamic: le_u16(data, 0x1e)? & 1 != 0,
        columns,
    })
}

fn column(entry: &[u8], name: &[u8]) -> Option<ColumnSpec<String>> {
    let length = le_u16(entry, 3)?;
    let (kind, length) = match entry.get(13)? {
        1 => (Type::Integer, 1),
        2 => (Type::Integer, 2),
        3 => (Type::Integer, 4),
        8 => (Type::Integer, 8),
        9 => (Type::Integer, 3),
        10 | 14 => (Type::Date, 3),
        7 | 17 => (Type::Timestamp, 4),
        15 => (Type::Varchar, length),
        253 | 254 => (Type::Char, length),
        249 => (Type::Blob, 1),
        252 => (Type::Blob, 2),
        250 => (Type::Blob, 3),
        251 => (Type::Blob, 4),
        _ => return None,
    };
    let charset = match entry.get(14) {
        Some(8) => Charset::Latin1,
        _ => Charset::Utf8,
    };
    Some(ColumnSpec {
        name: utf8(name).ok()?,
        kind,
        length,
        charset,
        nullable: le_u16(entry, 8)? & 0x8000 != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this number of columns, all for integers of four bytes.
    fn file(columns: u16) -> Vec<u8> {
        const FORM: usize = 128;
        let mut data = vec![0; FORM + 288];
        data[..3].copy_from_slice(&[0xfe, 0x01, 10]);
        data[64..68].copy_from_slice(&128u32.to_le_bytes());
        let names = b"\xffx".repeat(columns.into());
        for (at, number) in [(258, columns), (268, 2 * columns + 1)] {
            data[FORM + at..FORM + at + 2].copy_from_slice(&number.to_le_bytes());
        }
        let mut entry = [0; 17];
        (entry[3], entry[13]) = (4, 3);
        data.extend(entry.repeat(columns.into()));
        data.extend(names);
        data.push(0xff);
        data
    }

    #[test]
    fn a_file_has_at_most_a_mebibyte() {
        for (len, is_read) in [(LONGEST - 1, true), (LONGEST, true), (LONGEST + 1, false)] {
            let mut data = file(1);
            data.resize(len, 0);
            assert_eq!(read(&data).is_some(), is_read, "{len}");
        }
    }

    /// MySQL 4.0 wrote entries of another size, although byte 27 is the same.
    #[test]
    fn versions_before_8_are_not_read() {
        for (version, is_read) in [(6, false), (7, false), (8, true), (9, true), (10, true)] {
            let mut data = file(1);
            (data[2], data[27]) = (version, 2);
            assert_eq!(read(&data).is_some(), is_read, "{version}");
        }
    }

    #[test]
    fn a_table_has_at_most_4096_columns() {
        for columns in [4_095, 4_096, 4_097] {
            let read = read(&file(columns)).map(|frm| frm.columns.len());
            assert_eq!(read, (columns <= 4_096).then_some(columns.into()), "{columns}");
        }
    }
}
