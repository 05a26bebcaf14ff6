//! Thrift's compact protocol, the encoding of the footer and the headers of pages (section 2).
//!
//! | bytes | meaning |
//! |---|---|
//! | 1 | field: 4 bits with the difference from the last field's number, 4 bits of kind; 0 ends a structure |
//! | 1-3 | number of the field, if the difference is 0 |
//! | 1-10 | integer: 7 bits a byte, lowest first, the sign in the lowest bit |
//! | 1-10, n | length and bytes of a text |
//! | 1-11 | list: 4 bits of length, or 15 and a length, 4 bits of kind |

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    const TRUE: u8 = 1;
    const FALSE: u8 = 2;
    const BYTE: u8 = 3;
    const INTEGERS: [u8; 3] = [4, 5, 6];
    const DOUBLE: u8 = 7;
    const BINARY: u8 = 8;
    const LISTS: [u8; 2] = [9, 10];
    const MAP: u8 = 11;
    /// A structure.
    pub(super) const STRUCTURE: Kind = Kind(12);
}

/// Maximum nesting of values. Parquet itself needs less than ten levels.
const DEEPEST: u32 = 32;

/// Reads values one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    pub(super) at: usize,
}

impl<'a> Thrift<'a> {
    /// Values that begin at an offset.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Thrift<'a> {
        Thrift { bytes, at }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn unsigned(&mut self) -> Option<u64> {
        varint(self.bytes, &mut self.at)
    }

    /// The next integer.
    pub(super) fn integer(&mut self) -> Option<i64> {
        self.unsigned().map(signed)
    }

    /// The kind of a structure's next field, or `Some(None)` at the end of the structure. `last` is the number of the
    /// previous field, and becomes the number of this one.
    ///
    /// The outer option is `None` if the bytes are not a structure.
    pub(super) fn field(&mut self, last: &mut i64) -> Option<Option<Kind>> {
        let byte = self.byte()?;
        let kind = Kind(byte & 0xf);
        if kind.0 == 0 {
            return Some(None);
        }
        *last = match byte >> 4 {
            0 => self.integer()?,
            more => last.checked_add(more.into())?,
        };
        Some(Some(kind))
    }

    /// The head of a list: its length and the kind of its items.
    pub(super) fn list(&mut self) -> Option<(usize, Kind)> {
        let byte = self.byte()?;
        let len = match byte >> 4 {
            15 => usize::try_from(self.unsigned()?).ok()?,
            len => usize::from(len),
        };
        // Each item has a byte or more.
        let rest = self.bytes.len().saturating_sub(self.at);
        (len <= rest).then_some((len, Kind(byte & 0xf)))
    }

    /// Skips a value; `None` if it does not end within the bytes.
    pub(super) fn skip(&mut self, kind: Kind) -> Option<()> {
        self.skip_within(kind, DEEPEST)
    }

    fn skip_within(&mut self, kind: Kind, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind.0 {
            Kind::TRUE | Kind::FALSE => {}
            Kind::BYTE => drop(self.byte()?),
            Kind::DOUBLE => self.pass(8)?,
            Kind::BINARY => {
                let len = self.unsigned()?;
                self.pass(usize::try_from(len).ok()?)?;
            }
            Kind::MAP => {
                let len = self.unsigned()?;
                if len > 0 {
                    let kinds = self.byte()?;
                    for _ in 0..len {
                        self.skip_item(Kind(kinds >> 4), depth)?;
                        self.skip_item(Kind(kinds & 0xf), depth)?;
                    }
                }
            }
            kind if Kind::INTEGERS.contains(&kind) => drop(self.unsigned()?),
            kind if Kind::LISTS.contains(&kind) => {
                let (len, kind) = self.list()?;
                for _ in 0..len {
                    self.skip_item(kind, depth)?;
                }
            }
            kind if Kind(kind) == Kind::STRUCTURE => {
                let mut number = 0;
                while let Some(kind) = self.field(&mut number)? {
                    self.skip_within(kind, depth)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Skips an item of a list or map. There a truth value takes a byte, unlike in a field.
    fn skip_item(&mut self, kind: Kind, depth: u32) -> Option<()> {
        match kind.0 {
            Kind::TRUE | Kind::FALSE => self.pass(1),
            _ => self.skip_within(kind, depth),
        }
    }

    fn pass(&mut self, len: usize) -> Option<()> {
        self.at = self.at.checked_add(len).filter(|&end| end <= self.bytes.len())?;
        Some(())
    }

    /// True if a field of this kind is a truth value that is false.
    pub(super) fn is_false(kind: Kind) -> bool {
        kind.0 == Kind::FALSE
    }
}

/// Reads an integer of 7 bits a byte, lowest first, and moves the offset to the byte after it.
pub(super) fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// An integer whose sign is its lowest bit.
pub(super) fn signed(number: u64) -> i64 {
    let half = (number >> 1).cast_signed();
    if number & 1 == 0 { half } else { !half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_their_sign_in_the_lowest_bit() {
        for (bytes, number) in [
            (&[0][..], 0),
            (&[1], -1),
            (&[2], 1),
            (&[0xac, 0x02], 150),
            (
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
                i64::MIN,
            ),
        ] {
            assert_eq!(Thrift::new(bytes, 0).integer(), Some(number));
        }
        assert_eq!(Thrift::new(&[0x80], 0).integer(), None);
        assert_eq!(Thrift::new(&[0x80; 11], 0).integer(), None);
    }

    #[test]
    fn values_inside_of_each_other_are_skipped_up_to_a_depth() {
        let skip = |bytes: &[u8]| Thrift::new(bytes, 0).skip(Kind::STRUCTURE);
        for (depth, is_read) in [(1, true), (31, true), (32, false)] {
            let mut bytes = vec![0x1c; depth];
            bytes.extend(vec![0; depth + 1]);
            assert_eq!(skip(&bytes).is_some(), is_read, "{depth}");
        }
        // A list of texts, a truth value, a map, and a list that is longer than the rest.
        assert_eq!(
            skip(&[0x19, 0x28, 1, b'a', 0, 0x11, 0x1b, 1, 0x55, 2, 4, 0]),
            Some(())
        );
        assert_eq!(skip(&[0x19, 0xf8, 0xff, 0xff, 3, 0]), None);
    }
}
