//! Fields that follow each other, in little endian.

use crate::bytes::{le_u16, le_u32, slice};

/// Reads bytes one field after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields { bytes, at: 0 }
    }

    /// The place of the next field.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The remaining bytes.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.rest().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    /// Skips this number of bytes, even beyond the end.
    pub(super) fn pass(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
    }

    /// The next `len` bytes; `None`, without skipping any, if there are fewer.
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let bytes = slice(self.bytes, self.at, len)?;
        self.at += len;
        Some(bytes)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        le_u16(self.take(2)?, 0)
    }

    pub(super) fn i16(&mut self) -> Option<i16> {
        self.u16().map(u16::cast_signed)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        le_u32(self.take(4)?, 0)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }

    /// A string: its length in bytes as an i32, then its bytes. `None`, without skipping any, if it does not fit.
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let len = usize::try_from(ahead.i32()?).ok()?;
        let bytes = ahead.take(len)?;
        *self = ahead;
        Some(bytes)
    }

    /// A short string, including the zero byte at its end. The byte before it is its length, with this zero.
    pub(super) fn short_string(&mut self) -> Option<&'a [u8]> {
        let len = usize::from(self.u8()?);
        self.take(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_after_their_length() {
        let bytes = [2, 0, 0, 0, b'a', b'b', 3, b'c', b'd', 0, 0xff, 0xff, 0xff, 0xff];
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.string(), Some(&b"ab"[..]));
        assert_eq!(fields.short_string(), Some(&b"cd\0"[..]));
        // A negative length.
        assert_eq!((fields.string(), fields.at()), (None, 10));
        assert_eq!(
            (fields.i32(), fields.u8(), fields.is_empty()),
            (Some(-1), None, true)
        );
    }
}
