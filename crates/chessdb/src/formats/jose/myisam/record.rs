//! A row: locating its fields and reading their values (sections 8.3, 8.6, 8.7).
//!
//! In a record of any size flag bytes come first, a bit for each field of types 1 to 4.
//!
//! - types 1, 2: if the bit is set, a length of one byte and the rest; for a field above 255 bytes, a length from 128
//!   on has seven bits in the first byte, whose high bit is set, and the rest in a second. Otherwise the whole field
//! - 3: if the bit is set, the value is zero and not stored
//! - 4: if the bit is set, the value is empty; otherwise length and data
//! - 8: no bit; a length of one byte, or for texts that may exceed 255 the byte 255 and a u16

use std::borrow::Cow;

use super::layout::{Charset, FieldKind, Layout};
use crate::bytes::{be_u16, slice};
use crate::formats::jose::columns::Column;

/// A row of a table.
pub(in crate::formats::jose) struct Row<'t> {
    pub(super) layout: &'t Layout,
    pub(super) bytes: Cow<'t, [u8]>,
    pub(super) fields: Fields,
    /// Offset of the row in the file.
    pub(in crate::formats::jose) offset: u64,
    /// Offset of the row's bytes in the file; `None` if they are in several pieces.
    pub(super) start: Option<u64>,
    /// Why the row is incomplete.
    pub(in crate::formats::jose) damage: Option<&'static str>,
}

/// The places of the fields in a record.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    places: Vec<(usize, usize)>,
    /// True if the last of the fields is incomplete.
    is_cut: bool,
    /// True if every field is complete and no bytes are left over.
    pub(super) is_exact: bool,
}

impl<'t> Row<'t> {
    /// The bytes of a column; `None` if the column does not exist or is NULL.
    pub(in crate::formats::jose) fn bytes(&self, column: Column) -> Option<&[u8]> {
        let (start, end) = self.range(column)?;
        self.bytes.get(start..end)
    }

    /// An integer of at most four bytes, signed.
    pub(in crate::formats::jose) fn int(&self, column: Column) -> Option<i32> {
        let bytes = self.bytes(column)?;
        let place = self.layout.columns.get(column as usize)?.as_ref()?;
        if self.fields.is_cut && place.field + 1 == self.fields.places.len() {
            return None;
        }
        let last = bytes.get(..4).unwrap_or(bytes).last().copied().unwrap_or(0);
        let fill = if last & 0x80 != 0 { 0xff } else { 0 };
        let mut value = [fill; 4];
        value.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        Some(i32::from_le_bytes(value))
    }

    /// Character set of a column.
    pub(in crate::formats::jose) fn charset(&self, column: Column) -> Charset {
        let place = self.layout.columns.get(column as usize);
        place
            .and_then(Option::as_ref)
            .map_or(Charset::Utf8, |place| place.charset)
    }

    /// True if the table has the column.
    pub(in crate::formats::jose) fn has(&self, column: Column) -> bool {
        self.layout
            .columns
            .get(column as usize)
            .is_some_and(Option::is_some)
    }

    /// Offset of a column in the file; `None` if the row is in several pieces.
    pub(in crate::formats::jose) fn place_of(&self, column: Column) -> Option<u64> {
        let (start, _) = self.range(column)?;
        Some(self.start? + start as u64)
    }

    fn range(&self, column: Column) -> Option<(usize, usize)> {
        let place = self.layout.columns.get(column as usize)?.as_ref()?;
        let is_null = place.null.is_some_and(|null| {
            let bitmap = self.fields.places.first();
            let byte = bitmap.and_then(|&(start, end)| self.bytes.get(start..end)?.get(null.byte));
            byte.is_none_or(|byte| byte & null.mask != 0)
        });
        if is_null {
            return None;
        }
        self.fields.places.get(place.field).copied()
    }
}

/// Locates the fields of a record. The first field that does not fit is cut, and all later ones are missing.
pub(super) fn fields(layout: &Layout, record: &[u8]) -> Fields {
    let mut fields = Fields {
        places: Vec::with_capacity(layout.fields.len().min(record.len() + 64)),
        ..Fields::default()
    };
    let mut at = if layout.is_dynamic { layout.flag_bytes } else { 0 };
    let mut flag = 0;
    for field in &layout.fields {
        let mut is_flagged = false;
        if layout.is_dynamic && !matches!(field.kind, FieldKind::Normal | FieldKind::Varchar) {
            is_flagged = record
                .get(flag / 8)
                .is_some_and(|byte| byte >> (flag % 8) & 1 != 0);
            flag += 1;
        }
        let rest = record.get(at..).unwrap_or_default();
        let Some((head, length)) = packed_size(field.kind, field.length, is_flagged, rest) else {
            // The length of the field is cut.
            fields.places.push((record.len(), record.len()));
            fields.is_cut = true;
            return fields;
        };
        let start = at + head;
        if slice(record, start, length).is_none() {
            fields.places.push((start.min(record.len()), record.len()));
            fields.is_cut = true;
            return fields;
        }
        fields.places.push((start, start + length));
        at = start + length;
    }
    fields.is_exact = at == record.len();
    fields
}

/// Number of bytes before a field's value, and of the value.
#[inline]
fn packed_size(kind: FieldKind, length: usize, is_flagged: bool, rest: &[u8]) -> Option<(usize, usize)> {
    Some(match kind {
        FieldKind::Normal => (0, length),
        FieldKind::SkipZero | FieldKind::Blob if is_flagged => (0, 0),
        FieldKind::SkipZero => (0, length),
        FieldKind::Blob => {
            let bytes = rest.get(..length)?.iter().rev();
            (length, bytes.fold(0, |size, &byte| size << 8 | usize::from(byte)))
        }
        FieldKind::SkipSpace if is_flagged => match *rest.first()? {
            low if length > 255 && low & 0x80 != 0 => {
                (2, usize::from(low & 0x7f) | usize::from(*rest.get(1)?) << 7)
            }
            low => (1, usize::from(low)),
        },
        FieldKind::SkipSpace => (0, length),
        FieldKind::Varchar => match *rest.first()? {
            255 if length > 255 => (3, usize::from(be_u16(rest, 1)?)),
            low => (1, usize::from(low)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_sizes_follow_the_kind() {
        assert_eq!(packed_size(FieldKind::SkipZero, 4, true, &[]), Some((0, 0)));
        assert_eq!(packed_size(FieldKind::Blob, 3, false, &[1, 1, 0]), Some((3, 257)));
        assert_eq!(
            packed_size(FieldKind::Varchar, 765, false, &[255, 1, 0]),
            Some((3, 256))
        );
        assert_eq!(
            packed_size(FieldKind::Varchar, 255, false, &[255]),
            Some((1, 255))
        );
        assert_eq!(
            packed_size(FieldKind::SkipSpace, 300, true, &[0x81, 1]),
            Some((2, 129))
        );
        assert_eq!(packed_size(FieldKind::Blob, 3, false, &[1, 1]), None);
    }
}
