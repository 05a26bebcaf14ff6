//! Lengths (section 4): one byte 00-7F, or 81-84 and as many bytes, big endian.

use crate::bytes::slice;

/// A length and the number of bytes that it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) value: u32,
    pub(super) size: usize,
}

/// Why there is no length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadLength {
    /// The bytes end inside it.
    Cut,
    /// Its first byte is none that begins a length.
    Malformed,
}

/// The length that begins `data`.
#[inline]
pub(super) fn read(data: &[u8]) -> Result<Length, BadLength> {
    let first = *data.first().ok_or(BadLength::Cut)?;
    match first {
        0x00..=0x7f => Ok(Length {
            value: u32::from(first),
            size: 1,
        }),
        0x81..=0x84 => {
            let digits = slice(data, 1, usize::from(first - 0x80)).ok_or(BadLength::Cut)?;
            let value = digits
                .iter()
                .fold(0, |value, &digit| value << 8 | u32::from(digit));
            Ok(Length {
                value,
                size: 1 + digits.len(),
            })
        }
        _ => Err(BadLength::Malformed),
    }
}

/// Number of bytes of a reversed length (section 5.3) that fills `span` bytes exactly together with what it counts.
pub(super) fn reversed_that_fills(data: &[u8], span: u64) -> Option<usize> {
    let first = *data.first()?;
    if first <= 0x7f && 1 + u64::from(first) == span {
        return Some(1);
    }
    (1..=4).find(|&size| {
        reversed_tag(data, size)
            && slice(data, 0, size).is_some_and(|digits| {
                let value = digits
                    .iter()
                    .rev()
                    .fold(0u64, |value, &digit| value << 8 | u64::from(digit));
                value + size as u64 + 1 == span
            })
    })
}

/// Number of bytes of what looks like a reversed length, where none fills its span.
pub(super) fn reversed_size(data: &[u8]) -> usize {
    (1..=4)
        .find(|&size| reversed_tag(data, size))
        .map_or(1, |size| size + 1)
}

/// True where a byte 81-84 behind `size` bytes announces just as many.
fn reversed_tag(data: &[u8], size: usize) -> bool {
    data.get(size).map(|&tag| usize::from(tag)) == Some(0x80 + size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_length() {
        let good = |value, size| Ok(Length { value, size });
        assert_eq!(read(&[0x7f]), good(0x7f, 1));
        assert_eq!(read(&[0x81, 0x7f]), good(0x7f, 2));
        assert_eq!(read(&[0x82, 0x00, 0xff, 9]), good(0xff, 3));
        assert_eq!(read(&[0x84, 0xff, 0xff, 0xff, 0xff]), good(u32::MAX, 5));
        assert_eq!(read(&[]), Err(BadLength::Cut));
        assert_eq!(read(&[0x82, 0x01]), Err(BadLength::Cut));
        assert_eq!(read(&[0x80]), Err(BadLength::Malformed));
        assert_eq!(read(&[0x85, 0, 0, 0, 0, 0]), Err(BadLength::Malformed));
    }

    #[test]
    fn reversed_lengths_have_their_tag_behind() {
        // The page's examples: F5 81 counts 0xF5 bytes, D6 07 82 counts 0x07D6.
        assert_eq!(reversed_that_fills(&[0xf5, 0x81], 0xf5 + 2), Some(1));
        assert_eq!(reversed_that_fills(&[0xd6, 0x07, 0x82], 0x07d6 + 3), Some(2));
        assert_eq!(reversed_that_fills(&[0x20], 0x21), Some(1));
        assert_eq!(reversed_that_fills(&[0xd6, 0x07, 0x82], 12), None);
        assert_eq!(reversed_size(&[0xd6, 0x07, 0x82]), 3);
        assert_eq!(reversed_size(&[0x20, 0, 0, 0, 0]), 1);
    }
}
