//! The `.cbj`: fields of games that newer versions added, because a record of the `.cbh` has no room for them
//! (section 4).
//!
//! The header of 32 bytes has the version, the size of a record and their number, in little endian. The records are
//! in big endian. Each version added fields at the end, so a field exists where it fits.
//!
//! The record of number n in the `.cbh`, from 0, is at `32 + size * n`. At 0 and 4 are the teams of White and Black
//! (32 bits, numbers in the `.cbe`, -1 for none), at 12 and 30 places in the `.cba` and `.cbg` (64 bits), at 116 the
//! title of the game (32 bits, a number in the `.cbl`, -1 for none).

use crate::bytes::{be_u32, be_u64, le_u32, slice};
use crate::files::SourceFile;
use crate::formats::chessbase_common::records;
use crate::problem::Problem;

const HEADER: usize = 32;
/// Offset of the number of the title.
const TITLE: usize = 116;
/// Maximum size of a record in bytes. The records of all known versions are shorter.
const LONGEST: usize = 1 << 12;

/// The `.cbj` of a database. Without the file, all fields are unknown.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    file: Option<SourceFile>,
    /// Size of a record.
    size: usize,
}

impl Extended {
    /// Opens the file. A damaged header or a wrong length is reported in `problems`.
    pub(super) fn open(file: Option<&SourceFile>, problems: &mut Vec<Problem>) -> Extended {
        let bytes: &[u8] = file.map_or(&[], |file| &file.bytes);
        let field = |at| le_u32(bytes, at).and_then(|value| usize::try_from(value).ok());
        let (record_size, count) = (field(4), field(8));
        let size = record_size.filter(|size| (1..=LONGEST).contains(size));
        let read = file.filter(|_| !bytes.is_empty());
        problems.extend(read.and_then(|file| match (size, count) {
            (Some(size), Some(count)) => records::wrong_number(file, HEADER, size, count),
            _ => Some(records::no_header(file)),
        }));
        Extended {
            file: file.filter(|_| size.is_some()).cloned(),
            size: size.unwrap_or(1),
        }
    }

    /// The fields of the game whose record is number `place` in the `.cbh`, from 0.
    pub(super) fn get(&self, place: usize) -> Fields<'_> {
        let bytes: &[u8] = self.file.as_ref().map_or(&[], |file| &file.bytes);
        let offset = place.saturating_mul(self.size).saturating_add(HEADER);
        let fields = slice(bytes, offset, self.size).unwrap_or_default();
        Fields(if is_blank(fields) { &[] } else { fields })
    }

    /// True if games may have titles.
    pub(super) fn has_titles(&self) -> bool {
        let len = self.file.as_ref().map_or(0, |file| file.bytes.len());
        self.size >= TITLE + 4 && len >= HEADER + self.size
    }

    /// The name of the file if the record at a place has only zeros.
    pub(super) fn lacks(&self, place: usize) -> Option<&str> {
        let file = self.file.as_ref()?;
        let offset = place.saturating_mul(self.size).saturating_add(HEADER);
        let is_lost = slice(&file.bytes, offset, self.size).is_some_and(is_blank);
        is_lost.then_some(&file.name)
    }
}

/// True for a record of zeros. Unknown places have other numbers, so a record that is long enough for them has lost its
/// fields.
fn is_blank(record: &[u8]) -> bool {
    record.len() >= PLACES_END && record.iter().all(|&byte| byte == 0)
}

/// Where the places of the moves and annotations end in a record (section 4).
const PLACES_END: usize = 38;

/// The fields of a record; empty if the record does not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// Numbers of the teams of White and Black.
    pub(super) fn teams(&self) -> [Option<u32>; 2] {
        [self.entity(0), self.entity(4)]
    }

    /// Number of the title.
    pub(super) fn title(&self) -> Option<u32> {
        self.entity(TITLE)
    }

    /// Number of an entity, which is not negative.
    fn entity(&self, at: usize) -> Option<u32> {
        be_u32(self.0, at).filter(|&id| i32::try_from(id).is_ok())
    }

    /// Place in the `.cba`.
    pub(super) fn annotations_at(&self) -> Option<u64> {
        be_u64(self.0, 12)
    }

    /// Place in the `.cbg`.
    pub(super) fn moves_at(&self) -> Option<u64> {
        be_u64(self.0, 30)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_record_has_at_most_4096_bytes() {
        for (size, is_read) in [(4_095u32, true), (4_096, true), (4_097, false)] {
            let mut bytes = vec![0; HEADER + size as usize];
            bytes[4..8].copy_from_slice(&size.to_le_bytes());
            bytes[8..12].copy_from_slice(&1u32.to_le_bytes());
            bytes[HEADER + 3] = 7;
            let file = SourceFile {
                name: "x.cbj".to_owned(),
                bytes: Arc::new(bytes),
            };
            let mut problems = Vec::new();
            let extended = Extended::open(Some(&file), &mut problems);
            assert_eq!(extended.get(0).teams()[0], is_read.then_some(7), "{size}");
            assert_eq!(problems.is_empty(), is_read, "{size}: {problems:?}");
        }
    }
}
