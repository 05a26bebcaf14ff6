//! Finds the record of a game in the `.d02` (sections 6.1 and 8.3).
//!
//! A record begins with its length, which does not include the length itself: one byte below 80 hex, or two
//! bytes, the first with seven bits. The form of greater lengths is unknown.

use crate::bytes::index;

/// Form of the length of a long record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LengthForm {
    /// Seven bits in the first byte, eight in the second.
    TwoBytes,
    /// Seven bits in each byte; the highest bit is set if another byte follows.
    Leb128,
}

/// The codes of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'d> {
    /// The bytes; fewer if the file ends earlier.
    pub(super) codes: &'d [u8],
    /// Their offset in the file.
    pub(super) start: usize,
    /// Number of bytes that are missing because the file ends.
    pub(super) missing: u64,
    /// True if there are only zeros, which would be many empty games one after another.
    pub(super) is_blank: bool,
    /// True if the length can be read in both forms with different results.
    pub(super) is_ambiguous: bool,
}

/// The record at an address; `None` if the file ends inside its length.
#[inline]
pub(super) fn read(d02: &[u8], address: u32, form: LengthForm) -> Option<Record<'_>> {
    let address = index(address.into());
    let rest = d02.get(address..)?;
    let (length, size) = match (rest.first().copied()?, form) {
        (short @ 0..0x80, _) => (u64::from(short), 1),
        (low, LengthForm::TwoBytes) => {
            let high = *rest.get(1)?;
            (u64::from(low & 0x7f) | u64::from(high) << 7, 2)
        }
        (_, LengthForm::Leb128) => leb128(rest)?,
    };
    let there = rest.get(size..).unwrap_or_default();
    let codes = there.get(..index(length)).unwrap_or(there);
    Some(Record {
        codes,
        start: address + size,
        missing: length - codes.len() as u64,
        is_blank: length == 0 && is_blank(rest),
        is_ambiguous: matches!(*rest, [low, high, ..] if low.min(high) >= 0x80),
    })
}

/// Number of zeros that are damage, fewer at the end of a file.
const BLANK: std::ops::RangeInclusive<usize> = 8..=32;

fn is_blank(rest: &[u8]) -> bool {
    let rest = rest.get(..*BLANK.end()).unwrap_or(rest);
    BLANK.contains(&rest.len()) && rest.iter().all(|&byte| byte == 0)
}

/// Reads a number of up to five bytes with seven bits each, and its size.
fn leb128(bytes: &[u8]) -> Option<(u64, usize)> {
    let last = bytes.iter().take(5).position(|&byte| byte < 0x80)?;
    let digits = bytes.get(..=last)?;
    let value = digits
        .iter()
        .rev()
        .fold(0, |value, &digit| value << 7 | u64::from(digit & 0x7f));
    Some((value, digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_many_zeros_is_damaged() {
        let is_blank = |bytes: &[u8]| read(bytes, 0, LengthForm::TwoBytes).unwrap().is_blank;
        // Empty games are zeros too: a few are no damage at the end of a file, and more in front of another game.
        for (zeros, is_damage) in [(1, false), (7, false), (8, true), (32, true), (33, true)] {
            assert_eq!(is_blank(&vec![0; zeros]), is_damage, "{zeros}");
            let followed = [&vec![0; zeros][..], &[1]].concat();
            assert_eq!(is_blank(&followed), zeros >= 32, "{zeros}");
        }
    }

    fn length(bytes: &[u8], form: LengthForm) -> Option<(u64, usize)> {
        read(bytes, 0, form).map(|record| (record.codes.len() as u64 + record.missing, record.start))
    }

    #[test]
    fn lengths_have_one_or_two_bytes_or_more() {
        for form in [LengthForm::TwoBytes, LengthForm::Leb128] {
            assert_eq!(length(&[0x7f], form), Some((127, 1)));
            assert_eq!(length(&[0x80, 0x01], form), Some((128, 2)));
            assert_eq!(length(&[0xff, 0x7f], form), Some((16_383, 2)));
            assert_eq!(length(&[0x80], form), None);
            assert_eq!(length(&[], form), None);
        }
        assert_eq!(length(&[0xff, 0xff, 1], LengthForm::TwoBytes), Some((32_767, 2)));
        assert_eq!(length(&[0x80, 0x80, 1], LengthForm::Leb128), Some((16_384, 3)));
        assert_eq!(length(&[0xff; 9], LengthForm::Leb128), None);
    }

    #[test]
    fn missing_bytes_of_a_record_are_counted() {
        let record = read(&[0, 3, 7, 8], 1, LengthForm::TwoBytes).unwrap();
        assert_eq!((record.codes, record.start, record.missing), (&[7, 8][..], 2, 1));
    }
}
