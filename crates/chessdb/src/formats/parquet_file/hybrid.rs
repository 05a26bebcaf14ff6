//! Small numbers in runs (section 4.2): levels, and numbers of values in a dictionary.
//!
//! | bytes | meaning |
//! |---|---|
//! | 1-5 | 7 bits a byte: twice the length of a run of one number; or twice the number of groups of eight numbers, and 1 |
//! | n | the number of the run, in as many bytes as its bits need; or the groups, each number in its bits, lowest first |

use super::thrift::varint;

/// Reads exactly `count` numbers of `width` bits each. Passes each number and the length of its run to `each`, and
/// stops if that returns `None`.
fn runs(
    bytes: &[u8],
    width: u32,
    count: usize,
    mut each: impl FnMut(u32, usize) -> Option<()>,
) -> Option<()> {
    let number_len = usize::try_from(width.div_ceil(8)).ok()?;
    let mask = (1u64 << width.min(32)) - 1;
    let (mut at, mut left) = (0, count);
    if width > 32 {
        return None;
    }
    while left > 0 {
        let head = varint(bytes, &mut at)?;
        let len = usize::try_from(head >> 1).ok()?;
        if head & 1 == 0 {
            let number = bytes.get(at..at.checked_add(number_len)?)?;
            at += number_len;
            let fold = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
            let number = number.iter().rev().fold(0, fold) & mask;
            let run = len.min(left);
            // Runs of length 0 are possible; many of them end with the bytes at the latest.
            each(u32::try_from(number).ok()?, run)?;
            left -= run;
            continue;
        }
        let len = len.checked_mul(usize::try_from(width).ok()?)?;
        // The last group may be cut.
        let end = at.checked_add(len)?.min(bytes.len());
        let mut bits = Bits::new(bytes.get(at..end)?);
        at = end;
        let numbers = usize::try_from(head >> 1).ok()?.checked_mul(8)?.min(left);
        for _ in 0..numbers {
            each(u32::try_from(bits.next(width)? & mask).ok()?, 1)?;
        }
        left -= numbers;
    }
    Some(())
}

/// `count` numbers of `width` bits each, all below `most`.
pub(super) fn numbers(bytes: &[u8], width: u32, count: usize, most: usize) -> Option<Vec<u32>> {
    let mut all = Vec::with_capacity(count);
    runs(bytes, width, count, |number, run| {
        let is_below = usize::try_from(number).is_ok_and(|number| number < most);
        all.resize(all.len() + run, number);
        (is_below || run == 0).then_some(())
    })?;
    Some(all)
}

/// For each of `count` rows the number of its value, or [`NULL`]; the list is `None` if no row is null. The second
/// result is the number of values.
pub(super) fn present(bytes: &[u8], count: usize) -> Option<(Option<Vec<u32>>, usize)> {
    let (mut values, mut ranks) = (0u32, Vec::new());
    let mut rows = 0usize;
    runs(bytes, 1, count, |level, run| {
        if level == 0 && run > 0 && ranks.is_empty() {
            ranks.reserve(count);
            ranks.extend(0..values);
        }
        let has_nulls = level == 0 || !ranks.is_empty();
        for _ in 0..run {
            if has_nulls {
                ranks.push(if level == 0 { NULL } else { values });
            }
            values += level;
        }
        rows += run;
        Some(())
    })?;
    let has_nulls = usize::try_from(values).ok()? < rows;
    Some((has_nulls.then_some(ranks), usize::try_from(values).ok()?))
}

/// The entry for a null row in the result of [`present`].
pub(super) const NULL: u32 = u32::MAX;

/// Numbers of a few bits each, lowest first.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Bits that were read from the bytes but not used yet.
    rest: u128,
    rest_len: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits {
            bytes,
            at: 0,
            rest: 0,
            rest_len: 0,
        }
    }

    /// The next number of up to 64 bits.
    pub(super) fn next(&mut self, width: u32) -> Option<u64> {
        while self.rest_len < width {
            let taken = self.bytes.get(self.at..).unwrap_or_default();
            let (more, len) = match taken.first_chunk() {
                Some(eight) => (u64::from_le_bytes(*eight), 8u8),
                None => (u64::from(*taken.first()?), 1),
            };
            self.at += usize::from(len);
            self.rest |= u128::from(more) << self.rest_len;
            self.rest_len += 8 * u32::from(len);
        }
        let [low, ..] = [self.rest & ((1u128 << width) - 1)];
        self.rest >>= width;
        self.rest_len -= width;
        u64::try_from(low).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_groups_are_read() {
        // Five times 7, then 0 to 7 in three bits each: the example of Parquet's own description.
        let bytes = [10, 7, 3, 0x88, 0xc6, 0xfa];
        let expected = [7, 7, 7, 7, 7, 0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(numbers(&bytes, 3, 13, 8).as_deref(), Some(&expected[..]));
        assert_eq!(numbers(&bytes, 3, 7, 8).as_deref(), Some(&expected[..7]));
        assert_eq!(numbers(&bytes, 3, 14, 8), None, "there are fewer");
        assert_eq!(numbers(&bytes, 3, 13, 7), None, "a number is too high");
        assert_eq!(numbers(&[8], 0, 4, 1), Some(vec![0; 4]));
        assert_eq!(numbers(&[8], 33, 4, 1), None);
        assert_eq!(numbers(&[0, 0, 8, 1], 1, 4, 2), Some(vec![1; 4]));
    }

    #[test]
    fn rows_have_the_numbers_of_their_values() {
        assert_eq!(present(&[8, 1], 4), Some((None, 4)));
        let null = NULL;
        // Two rows with a value, a null row, and a group with the bits 0b101.
        let some = vec![0, 1, null, 2, null, 3];
        assert_eq!(present(&[4, 1, 2, 0, 3, 0b101], 6), Some((Some(some), 4)));
        assert_eq!(present(&[8, 0], 4), Some((Some(vec![null; 4]), 0)));
        assert_eq!(present(&[8, 0], 5), None);
    }
}
