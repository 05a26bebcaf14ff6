//! Searching for bytes that are usually near: faster than `memchr` over a few dozen bytes.

use memchr::{memchr, memchr2, memchr3};
use wide::u8x16;

use super::tag::{LONGEST_TAG, Tag};

/// Number of bytes that are compared at once.
const WIDTH: usize = 16;

/// Maximum number of blocks of [`WIDTH`] bytes that count as near.
const MOST_BLOCKS: usize = 4;

/// The place of the first byte `one`.
#[inline(always)]
pub(in crate::formats) fn near1(one: u8, text: &[u8]) -> Option<usize> {
    let one_16 = u8x16::splat(one);
    find(text, |block| block.simd_eq(one_16), |rest| memchr(one, rest))
}

/// The place of the first byte that is `one` or `two`.
#[inline(always)]
pub(in crate::formats) fn near2(one: u8, two: u8, text: &[u8]) -> Option<usize> {
    let [one_16, two_16] = [one, two].map(u8x16::splat);
    let is_wanted = |block: u8x16| block.simd_eq(one_16) | block.simd_eq(two_16);
    find(text, is_wanted, |rest| memchr2(one, two, rest))
}

/// The place of the first of the four wanted bytes.
#[inline(always)]
pub(in crate::formats) fn near4(wanted: [u8; 4], text: &[u8]) -> Option<usize> {
    let wanted_16 = wanted.map(u8x16::splat);
    let is_wanted = |block: u8x16| {
        let [one, two, three, four] = wanted_16.map(|wanted| block.simd_eq(wanted));
        one | two | three | four
    };
    find(text, is_wanted, |rest| {
        let [one, two, three, four] = wanted;
        let found = memchr3(one, two, three, rest);
        memchr(four, rest.get(..found.unwrap_or(rest.len()))?).or(found)
    })
}

/// Searches the next blocks with `is_wanted`, and the rest with `far`.
#[inline(always)]
fn find(
    text: &[u8],
    is_wanted: impl Fn(u8x16) -> u8x16,
    far: impl Fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let mut rest = text;
    for block in 0..MOST_BLOCKS {
        let Some((next, after)) = rest.split_first_chunk::<WIDTH>() else {
            break;
        };
        let found = is_wanted(u8x16::new(*next)).to_bitmask();
        if found != 0 {
            return Some(block * WIDTH + found.trailing_zeros() as usize);
        }
        rest = after;
    }
    far(rest).map(|found| text.len() - rest.len() + found)
}

/// A line that is a single tag of the usual form: `[`, letters and digits, ` "`, a value without quotation marks, `"]`.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::formats) struct TagLine {
    /// The name as an integer in little endian; 0 if it is longer than eight bytes.
    pub(in crate::formats) name: u64,
    /// Length of the line in bytes, with its end.
    pub(in crate::formats) len: usize,
}

/// Number of bytes that are examined at once for [`tag_line`].
const START: usize = MOST_BLOCKS * WIDTH;

/// Reads the tag line at the start of a text, which starts with a bracket. `None` for any other line, and for some tags
/// in unusual forms.
#[inline(always)]
pub(in crate::formats) fn tag_line(text: &[u8], line_end: u8) -> Option<TagLine> {
    match text.first_chunk() {
        Some(start) => tag_line_of(text, start, line_end),
        None => short_tag_line(text, line_end),
    }
}

/// [`tag_line`] for a text shorter than [`START`].
#[cold]
fn short_tag_line(text: &[u8], line_end: u8) -> Option<TagLine> {
    let mut start = [0; START];
    start.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    tag_line_of(&start, &start, line_end)
}

#[inline(always)]
fn tag_line_of(text: &[u8], start: &[u8; START], line_end: u8) -> Option<TagLine> {
    let (blocks, _) = start.as_chunks::<WIDTH>();
    let end = match places(blocks, line_end) {
        0 => START + memchr(line_end, text.get(START..LONGEST_TAG.min(text.len()))?)?,
        found => found.trailing_zeros() as usize,
    };
    // The bracket counts as part of the name here.
    let named = (alphanumerics(blocks.first()?) | 1).trailing_ones();
    let mut quoted = named as usize;
    if quoted == WIDTH {
        let rest = text.get(WIDTH..)?.iter();
        quoted += rest.take_while(|c| c.is_ascii_alphanumeric()).count();
    }
    let quotes = places(blocks, b'"');
    let closing = match quotes & quotes.wrapping_sub(1) {
        0 => START + memchr(b'"', text.get(START..end)?)?,
        found => found.trailing_zeros() as usize,
    };
    // With another quotation mark, the line may have more than this tag.
    let is_tag = named > 1
        && quotes.trailing_zeros() as usize == quoted + 1
        && text.get(quoted) == Some(&b' ')
        && matches!(text.get(closing + 1..end)?, b"]" | b"]\r");
    let name = u64::from_le_bytes(*start.get(1..)?.first_chunk()?);
    let name = match named {
        ..=9 => name & u64::MAX.unbounded_shr(72 - 8 * named),
        _ => 0,
    };
    is_tag.then_some(TagLine { name, len: end + 1 })
}

/// Reads a tag of the usual form at the start of a text: `[`, letters and digits, ` "`, a value without quotation
/// marks, `"]` and the end of the line. `None` for any other tag, and for tags longer than [`START`].
#[inline(always)]
pub(in crate::formats) fn short_tag(text: &[u8], line_end: u8) -> Option<Tag<'_>> {
    let start: &[u8; START] = text.first_chunk()?;
    let (blocks, _) = start.as_chunks::<WIDTH>();
    let named = (alphanumerics(blocks.first()?) | 1).trailing_ones() as usize;
    let quotes = places(blocks, b'"');
    let closing = (quotes & quotes.wrapping_sub(1)).trailing_zeros() as usize;
    let is_tag = text.starts_with(b"[")
        && named > 1
        && start.get(named..named + 2) == Some(b" \"")
        && quotes.trailing_zeros() as usize == named + 1
        && matches!(start.get(closing + 1..closing + 3), Some([b']', b'\n' | b'\r']))
        && places(blocks, line_end).trailing_zeros() as usize > closing;
    is_tag.then_some(Tag {
        name: text.get(1..named)?,
        value: text.get(named + 2..closing)?,
        flaw: None,
        len: closing + 2,
    })
}

/// A bit for each place of a byte.
#[inline(always)]
fn places(blocks: &[[u8; WIDTH]], wanted: u8) -> u64 {
    let wanted = u8x16::splat(wanted);
    blocks.iter().rev().fold(0, |found, block| {
        found << WIDTH | u64::from(u8x16::new(*block).simd_eq(wanted).to_bitmask())
    })
}

/// A bit for each ASCII letter or digit.
#[inline(always)]
fn alphanumerics(block: &[u8; WIDTH]) -> u32 {
    let block = u8x16::new(*block);
    let is_below = |value: u8x16, most: u8| value.min(u8x16::splat(most)).simd_eq(value);
    let digits = is_below(block - u8x16::splat(b'0'), 9);
    let letters = is_below((block | u8x16::splat(0x20)) - u8x16::splat(b'a'), 25);
    (digits | letters).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of critical characters.
    fn text(number: &mut u64) -> Vec<u8> {
        let mut next = || {
            *number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (*number >> 33) as usize
        };
        let mut text = [&b"["[..], b"[name", b"[name \""][next() % 3].to_vec();
        while text.len() < next() % 200 {
            let piece: &[u8] = [
                &b"a"[..],
                b"Z9",
                b"@",
                b"`",
                b"{",
                b"\xe9",
                b"[",
                b" ",
                b" \"",
                b"\"]",
                b"\"]\n",
                b"\r",
                b"\n",
                b"name",
            ][next() % 14];
            text.extend(piece);
        }
        text
    }

    #[test]
    fn the_first_byte_is_found() {
        let mut number = 1;
        for _ in 0..20_000 {
            let text = text(&mut number);
            let first = |wanted: &[u8]| text.iter().position(|c| wanted.contains(c));
            assert_eq!(near1(b'{', &text), first(b"{"));
            assert_eq!(near2(b'\n', b'{', &text), first(b"\n{"));
            assert_eq!(near4(*b"\n{9@", &text), first(b"\n{9@"));
        }
        let far = [vec![b' '; 1000], b"{".to_vec()].concat();
        assert_eq!(near2(b'\n', b'{', &far), Some(1000));
        for wanted in [*b"\n{9@", *b"\n@9{"] {
            assert_eq!(near4(wanted, &far), Some(1000));
        }
    }

    #[test]
    fn usual_tags_are_recognised() {
        let mut number = 2;
        let mut found = 0;
        for _ in 0..50_000 {
            let text = text(&mut number);
            let name: Vec<u8> = text[1..]
                .iter()
                .copied()
                .take_while(u8::is_ascii_alphanumeric)
                .collect();
            let key = match name.len() {
                ..=8 => name.iter().rev().fold(0, |key, &c| key << 8 | u64::from(c)),
                _ => 0,
            };
            let wanted = text.iter().position(|&c| c == b'\n').and_then(|end| {
                let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
                let value = line[1 + name.len()..].strip_prefix(b" \"")?;
                let value = value.strip_suffix(b"\"]")?;
                let is_tag = !name.is_empty() && !value.contains(&b'"');
                is_tag.then_some(TagLine {
                    name: key,
                    len: end + 1,
                })
            });
            assert_eq!(tag_line(&text, b'\n'), wanted, "{}", text.escape_ascii());
            found += usize::from(tag_line(&text, b'\n').is_some());
        }
        assert!(found > 1_000, "{found}");
    }
}
