//! Lengths (section 4): one byte 00-7F, or 81-84 and as many bytes, big endian.

use crate::bytes::slice;

/// A length, and the number of bytes that store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) value: u32,
    pub(super) size: usize,
}

/// Reads the length at the start of `data`; `None` if it is cut or invalid.
#[inline]
pub(super) fn read(data: &[u8]) -> Option<Length> {
    let first = *data.first()?;
    match first {
        0x00..=0x7f => Some(Length {
            value: u32::from(first),
            size: 1,
        }),
        0x81..=0x84 => {
            let digits = slice(data, 1, usize::from(first - 0x80))?;
            let value = digits
                .iter()
                .fold(0, |value, &digit| value << 8 | u32::from(digit));
            Some(Length {
                value,
                size: 1 + digits.len(),
            })
        }
        _ => None,
    }
}

/// Number of bytes of a reversed length (section 5.3), if it and the bytes that it counts fill exactly `span`
/// bytes.
pub(super) fn reversed_that_fills(data: &[u8], span: u64) -> Option<usize> {
    let first = *data.first()?;
    if first <= 0x7f && 1 + u64::from(first) == span {
        return Some(1);
    }
    let digits = (1..=4).find(|&count| {
        has_reversed_tag(data, count)
            && slice(data, 0, count).is_some_and(|digits| {
                let value = digits
                    .iter()
                    .rev()
                    .fold(0u64, |value, &digit| value << 8 | u64::from(digit));
                value + count as u64 + 1 == span
            })
    });
    digits.map(|count| count + 1)
}

/// Number of bytes that look like a reversed length, if none fills its span.
pub(super) fn reversed_size(data: &[u8]) -> usize {
    (1..=4)
        .find(|&count| has_reversed_tag(data, count))
        .map_or(1, |count| count + 1)
}

/// True if the byte 81-84 after `count` digits states the same number of digits.
fn has_reversed_tag(data: &[u8], count: usize) -> bool {
    data.get(count).map(|&tag| usize::from(tag)) == Some(0x80 + count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_length() {
        let good = |value, size| Some(Length { value, size });
        assert_eq!(read(&[0x7f]), good(0x7f, 1));
        assert_eq!(read(&[0x81, 0x7f]), good(0x7f, 2));
        assert_eq!(read(&[0x82, 0x00, 0xff, 9]), good(0xff, 3));
        assert_eq!(read(&[0x84, 0xff, 0xff, 0xff, 0xff]), good(u32::MAX, 5));
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[0x82, 0x01]), None);
        assert_eq!(read(&[0x80]), None);
        assert_eq!(read(&[0x85, 0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn reversed_lengths_have_their_tag_behind() {
        // The page's examples: F5 81 counts 0xF5 bytes, D6 07 82 counts 0x07D6.
        assert_eq!(reversed_that_fills(&[0xf5, 0x81], 0xf5 + 2), Some(2));
        assert_eq!(reversed_that_fills(&[0xd6, 0x07, 0x82], 0x07d6 + 3), Some(3));
        assert_eq!(reversed_that_fills(&[0x20], 0x21), Some(1));
        assert_eq!(reversed_that_fills(&[0xd6, 0x07, 0x82], 12), None);
        assert_eq!(reversed_size(&[0xd6, 0x07, 0x82]), 3);
        assert_eq!(reversed_size(&[0x20, 0, 0, 0, 0]), 1);
    }
}
