//! `.MYI`: the physical layout of a row (section 8.2).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 4 | `fe fe 07`, version |
//! | 4 | 2 | options, bit 0: dynamic rows |
//! | 6 | 2 | header length H |
//! | 12 | 2 | place B of the base data |
//! | 24 | 2 | number of programs that have the table open |
//! | 28 | 8 | number of records, for a message only |
//! | B+48 | 4 | row size of fixed tables |
//! | B+64 | 4 | number of fields n |
//! | B+76 | 2 | flag bytes of a dynamic record |
//! | H-7n | 7n | the fields: type u16, length u16, NULL bit u8, NULL byte u16 |
//!
//! Types of fields are 0 and 9 plain, 1 and 2 without spaces at the end or the beginning, 3 omitted if zero, 4 blob
//! (length of its length + 8), 8 text (longest + 1, or + 2 above 255).

use super::layout::{Field, FieldKind};
use crate::bytes::{be_u16, be_u32, be_u64, index, slice};

/// Maximum number of fields: the columns of a `.frm` and a NULL bitmap.
const MOST_FIELDS: usize = 4097;

/// The contents of a `.MYI`.
#[derive(Clone, Debug)]
pub(super) struct Myi {
    pub(super) is_dynamic: bool,
    pub(super) row_size: usize,
    pub(super) flag_bytes: usize,
    pub(super) fields: Vec<(Field, Option<NullBit>)>,
}

/// The bit of a row that marks a column as NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NullBit {
    pub(super) byte: usize,
    pub(super) mask: u8,
}

/// Counters that are worth reporting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    pub(super) open_count: u16,
    pub(super) records: u64,
}

/// Parses the header of a `.MYI`; `None` if it is invalid.
pub(super) fn read(data: &[u8]) -> Option<Myi> {
    if !is_myi(data) {
        return None;
    }
    let header = slice(data, 0, usize::from(be_u16(data, 6)?))?;
    let base = header.get(usize::from(be_u16(header, 12)?)..)?;
    let count = index(be_u32(base, 64)?.into());
    if count == 0 || count > MOST_FIELDS {
        return None;
    }
    let entries = header.get(header.len().checked_sub(count * 7)?..)?;
    let fields = entries.chunks_exact(7).map(field).collect::<Option<Vec<_>>>()?;
    Some(Myi {
        is_dynamic: be_u16(header, 4)? & 1 != 0,
        row_size: index(be_u32(base, 48)?.into()),
        flag_bytes: usize::from(be_u16(base, 76)?),
        fields,
    })
}

/// The counters of a `.MYI`.
pub(super) fn counters(data: &[u8]) -> Option<Counters> {
    is_myi(data).then_some(())?;
    Some(Counters {
        open_count: be_u16(data, 24)?,
        records: be_u64(data, 28)?,
    })
}

fn is_myi(data: &[u8]) -> bool {
    data.starts_with(&[0xfe, 0xfe, 0x07])
}

fn field(entry: &[u8]) -> Option<(Field, Option<NullBit>)> {
    let length = usize::from(be_u16(entry, 2)?);
    let kind = match be_u16(entry, 0)? {
        0 | 9 => FieldKind::Normal,
        1 | 2 => FieldKind::SkipSpace,
        3 => FieldKind::SkipZero,
        4 => FieldKind::Blob,
        8 => FieldKind::Varchar,
        _ => return None,
    };
    let length = match kind {
        FieldKind::Blob => length.checked_sub(8).filter(|bytes| (1..=4).contains(bytes))?,
        FieldKind::Varchar if length > 257 => length - 2,
        FieldKind::Varchar => length.saturating_sub(1),
        _ => length,
    };
    let mask = *entry.get(4)?;
    let null = NullBit {
        byte: usize::from(be_u16(entry, 5)?),
        mask,
    };
    Some((Field { kind, length }, (mask != 0).then_some(null)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_at_most_4097_fields() {
        for fields in [4_096u16, 4_097, 4_098] {
            let len = 200 + 7 * fields;
            let mut data = vec![0; len.into()];
            data[..3].copy_from_slice(&[0xfe, 0xfe, 0x07]);
            data[6..8].copy_from_slice(&len.to_be_bytes());
            data[12..14].copy_from_slice(&100u16.to_be_bytes());
            data[164..168].copy_from_slice(&u32::from(fields).to_be_bytes());
            let found = read(&data).map(|myi| myi.fields.len());
            assert_eq!(found, (fields <= 4_097).then_some(fields.into()), "{fields}");
        }
    }
}
