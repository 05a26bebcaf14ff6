//! The header before each page (section 3), in Thrift.
//!
//! | field | contents |
//! |---|---|
//! | 1 | kind: 0 data, 1 index, 2 dictionary, 3 data of version 2 |
//! | 2, 3 | length of the page unpacked, and in the file |
//! | 4 | CRC-32 of the bytes in the file; may be missing |
//! | 5 | data: 1 number of values, 2 encoding, 3 encoding of the levels |
//! | 7 | dictionary: 1 number of values, 2 encoding |
//! | 8 | data of version 2: 1 number of values, 2 nulls, 4 encoding, 5 and 6 length of the levels, 7 whether it is packed |

use super::thrift::{Kind, Thrift};

/// The header of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: i64,
    /// Length of the page unpacked.
    pub(super) unpacked: usize,
    /// Length of the page in the file.
    pub(super) packed: usize,
    pub(super) checksum: Option<u32>,
    /// Number of values, nulls included.
    pub(super) values: u32,
    pub(super) encoding: i64,
    /// Encoding of the levels, which mark null values.
    pub(super) levels: i64,
    /// Length of the levels in bytes, in version 2.
    pub(super) levels_len: usize,
    /// Length in bytes of the other levels before them, in version 2.
    pub(super) repeats_len: usize,
    /// True if the values are not packed, in version 2.
    pub(super) is_plain: bool,
}

/// A page of values.
pub(super) const DATA: i64 = 0;
/// A page of values that other pages refer to by number.
pub(super) const DICTIONARY: i64 = 2;
/// A page of values, version 2.
pub(super) const DATA_2: i64 = 3;

impl Head {
    /// The header at an offset, and the offset of its end.
    pub(super) fn read(bytes: &[u8], at: usize) -> Option<(Head, usize)> {
        let mut thrift = Thrift::new(bytes, at);
        let mut head = Head {
            kind: -1,
            ..Head::default()
        };
        let (mut number, mut parts) = (0, 0);
        while let Some(kind) = thrift.field(&mut number)? {
            match number {
                1 => head.kind = thrift.integer()?,
                2 => head.unpacked = size(&mut thrift)?,
                3 => head.packed = size(&mut thrift)?,
                4 => {
                    let [a, b, c, d, ..] = thrift.integer()?.to_le_bytes();
                    head.checksum = Some(u32::from_le_bytes([a, b, c, d]));
                }
                5 | 7 | 8 if kind == Kind::STRUCTURE => {
                    head.read_part(&mut thrift, number)?;
                    parts += 1;
                }
                _ => thrift.skip(kind)?,
            }
        }
        (parts > 0 || head.kind == 1).then_some((head, thrift.at))
    }

    fn read_part(&mut self, thrift: &mut Thrift<'_>, part: i64) -> Option<()> {
        let mut number = 0;
        while let Some(kind) = thrift.field(&mut number)? {
            match (part, number) {
                (_, 1) => self.values = u32::try_from(thrift.integer()?).ok()?,
                (5 | 7, 2) | (8, 4) => self.encoding = thrift.integer()?,
                (5, 3) => self.levels = thrift.integer()?,
                (8, 5) => self.levels_len = size(thrift)?,
                (8, 6) => self.repeats_len = size(thrift)?,
                (8, 7) => self.is_plain = Thrift::is_false(kind),
                _ => thrift.skip(kind)?,
            }
        }
        Some(())
    }

    /// True for a page of values.
    pub(super) fn is_data(&self) -> bool {
        matches!(self.kind, DATA | DATA_2)
    }
}

fn size(thrift: &mut Thrift<'_>) -> Option<usize> {
    usize::try_from(thrift.integer()?).ok()
}
