//! Numbers and texts that are stored as differences from the previous one (section 4.3).
//!
//! | bytes | meaning |
//! |---|---|
//! | 1-10 each | values in a block, parts in a block, number of all values, the first value |
//! | 1-10 | in each block: the least difference |
//! | 1 each | for each part of the block, the bits of its numbers |
//! | n | each part: for each difference, how much it exceeds the least one |
//!
//! Texts are stored as their lengths in this form, followed by all bytes. For texts with shared prefixes, the lengths
//! of the prefixes come first.

use super::hybrid::Bits;
use super::thrift::{signed, varint};

/// `count` numbers, and the offset of their end.
pub(super) fn numbers(bytes: &[u8], count: usize) -> Option<(Vec<i64>, usize)> {
    let mut at = 0;
    let block = usize::try_from(varint(bytes, &mut at)?).ok()?;
    let parts = usize::try_from(varint(bytes, &mut at)?).ok()?;
    let total = usize::try_from(varint(bytes, &mut at)?).ok()?;
    let mut value = signed(varint(bytes, &mut at)?);
    let part = block.checked_div(parts)?;
    // Numbers are written by groups of eight.
    if total != count || part == 0 || part % 8 != 0 || parts > MOST_PARTS {
        return None;
    }
    let mut all = Vec::with_capacity(count);
    if count > 0 {
        all.push(value);
    }
    while all.len() < count {
        let least = signed(varint(bytes, &mut at)?);
        let widths = bytes.get(at..at.checked_add(parts)?)?;
        at += parts;
        for &width in widths {
            // The rest of the block after the last number may be missing.
            if all.len() == count {
                break;
            }
            let width = u32::from(width);
            if width > 64 {
                return None;
            }
            let len = part.checked_mul(usize::try_from(width).ok()?)? / 8;
            let end = at.checked_add(len)?;
            let mut bits = Bits::new(bytes.get(at..end.min(bytes.len()))?);
            for _ in 0..part.min(count - all.len()) {
                let more = bits.next(width)?.cast_signed();
                value = value.wrapping_add(least).wrapping_add(more);
                all.push(value);
            }
            at = end.min(bytes.len());
        }
    }
    Some((all, at))
}

/// Maximum number of parts in a block; programs write four.
const MOST_PARTS: usize = 512;

/// Start and length of each text in the bytes.
pub(super) type Spans = Vec<(u32, u32)>;

/// Finds `count` texts in `bytes` from `start` on. The lengths of all texts come first.
pub(super) fn texts(bytes: &[u8], start: usize, count: usize) -> Option<Spans> {
    let (lens, at) = numbers(bytes.get(start..)?, count)?;
    let mut at = start.checked_add(at)?;
    let span = |len: i64| {
        let place = at;
        at = at.checked_add(usize::try_from(len).ok()?)?;
        let span = (u32::try_from(place).ok()?, u32::try_from(len).ok()?);
        (at <= bytes.len()).then_some(span)
    };
    lens.into_iter().map(span).collect()
}

/// Texts with shared prefixes may be this many times as long as their page. Without a limit, a small damaged page could
/// take all memory.
const MOST_TIMES: usize = 32;

/// `count` texts with shared prefixes, and their bytes.
pub(super) fn prefixed(bytes: &[u8], start: usize, count: usize) -> Option<(Vec<u8>, Spans)> {
    let (shared, at) = numbers(bytes.get(start..)?, count)?;
    let suffixes = texts(bytes, start.checked_add(at)?, count)?;
    let most = bytes.len().saturating_mul(MOST_TIMES);
    let mut out: Vec<u8> = Vec::new();
    let mut spans: Spans = Vec::with_capacity(count);
    for (shared, suffix) in shared.into_iter().zip(suffixes) {
        let shared = u32::try_from(shared).ok()?;
        let (place, len) = spans.last().copied().unwrap_or_default();
        let place = usize::try_from(place).ok()?;
        let beginning = place..place.checked_add(usize::try_from(shared).ok()?)?;
        if shared > len {
            return None;
        }
        // A column often has one text for all rows.
        if suffix.1 == 0 && shared == len {
            spans.push(spans.last().copied().unwrap_or_default());
            continue;
        }
        let start = u32::try_from(out.len()).ok()?;
        out.extend_from_within(beginning);
        out.extend_from_slice(span(bytes, suffix)?);
        spans.push((start, shared.checked_add(suffix.1)?));
        if out.len() > most {
            return None;
        }
    }
    Some((out, spans))
}

/// The bytes of a span.
pub(super) fn span(bytes: &[u8], (start, len): (u32, u32)) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7, 5, 3, 1, 2, 3, 4, 5: the example of Parquet's own description, in blocks of 8 with one part.
    const EXAMPLE: [u8; 8] = [8, 1, 8, 14, 3, 2, 0b1100_0000, 0b0011_1111];

    #[test]
    fn differences_are_added() {
        let expected = vec![7, 5, 3, 1, 2, 3, 4, 5];
        assert_eq!(numbers(&EXAMPLE, 8), Some((expected, 8)));
        assert_eq!(numbers(&EXAMPLE, 7), None);
        assert_eq!(numbers(&EXAMPLE[..7], 8), None);
        assert_eq!(numbers(&[8, 0, 8, 14], 8), None);
        assert_eq!(numbers(&[8, 1, 1, 14], 1), Some((vec![7], 4)));
    }

    #[test]
    fn texts_share_beginnings() {
        // Lengths 3 and 2, which are one block with the least difference -1; then the bytes.
        let lens = |first: u8, second: u8| {
            let difference = i16::from(second) - i16::from(first);
            let zigzag = if difference < 0 {
                -2 * difference - 1
            } else {
                2 * difference
            };
            vec![8, 1, 2, 2 * first, u8::try_from(zigzag).unwrap(), 0]
        };
        let plain = [&lens(3, 2)[..], b"abcde"].concat();
        let spans = texts(&plain, 0, 2).unwrap();
        assert_eq!(spans.map_texts(&plain), ["abc", "de"]);
        let shared = [&lens(0, 2)[..], &plain].concat();
        let (bytes, spans) = prefixed(&shared, 0, 2).unwrap();
        assert_eq!(spans.map_texts(&bytes), ["abc", "abde"]);
        let too_long = [&lens(0, 4)[..], &plain].concat();
        assert_eq!(prefixed(&too_long, 0, 2), None);
    }

    trait MapTexts {
        fn map_texts(self, bytes: &[u8]) -> Vec<String>;
    }

    impl MapTexts for Spans {
        fn map_texts(self, bytes: &[u8]) -> Vec<String> {
            let text = |text| crate::text::utf8(span(bytes, text).unwrap()).unwrap();
            self.into_iter().map(text).collect()
        }
    }

    #[test]
    fn texts_are_not_far_longer_than_their_page() {
        // Each text is the previous one and another letter.
        let growing = |count: u8| {
            let shared = [128, 1, 1, count, 0, 2, 0];
            let suffixes = [128, 1, 1, count, 2, 0, 0];
            [&shared[..], &suffixes, &vec![b'a'; count.into()]].concat()
        };
        assert_eq!(prefixed(&growing(100), 0, 100), None);
        assert_eq!(
            prefixed(&growing(50), 0, 50).map(|(_, spans)| spans.len()),
            Some(50)
        );
    }
}
