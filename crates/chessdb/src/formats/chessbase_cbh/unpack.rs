//! The two packings of a `.cbv`: Huffman codes and repetitions (section 12.2).
//!
//! Huffman codes: the unpacked length, u16 in big endian; then bits from the highest on: for each byte from 0 to 255
//! the length of its code in four bits and, if not 0, the code; then the codes.
//!
//! Repetitions: groups of a u16 and up to 16 tokens. From its highest bit on, 0 means a literal byte, 1 a tag with the
//! nibbles h (high) and l. A single byte at the end is a literal.
//!
//! ```text
//! h        means
//! 0        a byte follows, l + 3 times
//! 1        b, byte: the byte l + 16b + 19 times
//! 2        b, c: c + 16 bytes from l + 16b + 3 back
//! 3 to 15  b: h bytes from l + 16b + 3 back
//! ```

use BlockError::{Damaged, TooLong};

use crate::bytes::{be_u16, le_u16};

/// Why a block cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockError {
    /// Its bytes break the rules.
    Damaged,
    /// It unpacks to more bytes than are allowed.
    TooLong,
}

/// Unpacks a block and appends its bytes to `out`, up to an error. Its file starts at `start` in `out`, and repetitions
/// may reach back to there.
pub(super) fn block(payload: &[u8], start: usize, most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let (&mode, data) = payload.split_first().ok_or(Damaged)?;
    match mode {
        0 => append(data, most, out),
        1 => repetitions(data, start, most, out),
        2 => huffman(data, most, out),
        3 => {
            let mut data_between = Vec::new();
            let decoded = huffman(data, MOST_BETWEEN, &mut data_between);
            repetitions(&data_between, start, most, out)?;
            decoded
        }
        _ => Err(Damaged),
    }
}

/// Maximum length of the output of the Huffman codes, whose length has 16 bits.
const MOST_BETWEEN: usize = 1 << 16;

fn append(data: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    if out.len().saturating_add(data.len()) > most {
        return Err(TooLong);
    }
    out.extend_from_slice(data);
    Ok(())
}

/// Reads bits, from the highest of each byte on.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn next(&mut self) -> Option<u16> {
        let byte = *self.bytes.get(self.at / 8)?;
        let bit = (byte >> (7 - self.at % 8)) & 1;
        self.at += 1;
        Some(u16::from(bit))
    }

    fn take(&mut self, count: u16) -> Option<u16> {
        (0..count).try_fold(0, |value, _| Some((value << 1) | self.next()?))
    }
}

/// A node of the tree of codes: its branches for a 0 and a 1. A branch from 1 to 256 is a byte + 1, a larger one is a
/// node, counted from [`FIRST_NODE`]. 0 is a branch that does not exist yet.
type Node = [u16; 2];

/// The number of the root; smaller numbers are bytes.
const FIRST_NODE: u16 = 257;

/// Decodes Huffman codes. The table of the codes comes first.
fn huffman(data: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let len = usize::from(be_u16(data, 0).ok_or(Damaged)?);
    if out.len().saturating_add(len) > most {
        return Err(TooLong);
    }
    let mut bits = Bits {
        bytes: data.get(2..).ok_or(Damaged)?,
        at: 0,
    };
    let mut nodes: Vec<Node> = vec![[0; 2]];
    for byte in 1..=256u16 {
        let len = bits.take(4).ok_or(Damaged)?;
        if len > 0 {
            let code = bits.take(len).ok_or(Damaged)?;
            add_code(&mut nodes, byte, code, len).ok_or(Damaged)?;
        }
    }
    out.reserve(len);
    for _ in 0..len {
        let mut node = FIRST_NODE;
        while node >= FIRST_NODE {
            let branches = nodes.get(usize::from(node - FIRST_NODE)).ok_or(Damaged)?;
            let bit = bits.next().ok_or(Damaged)?;
            node = *branches.get(usize::from(bit)).ok_or(Damaged)?;
        }
        let byte = node.checked_sub(1).ok_or(Damaged)?;
        out.push(u8::try_from(byte).map_err(|_| Damaged)?);
    }
    Ok(())
}

/// Adds the code of a byte to the tree; `None` if one code is the start of another.
fn add_code(nodes: &mut Vec<Node>, byte: u16, code: u16, len: u16) -> Option<()> {
    let mut node = 0;
    for place in (0..len).rev() {
        let bit = usize::from((code >> place) & 1);
        let next = nodes.len();
        let branch = nodes.get_mut(node)?.get_mut(bit)?;
        match (*branch, place) {
            (0, 0) => {
                *branch = byte;
                return Some(());
            }
            (0, _) => {
                *branch = u16::try_from(next).ok()?.checked_add(FIRST_NODE)?;
                nodes.push([0; 2]);
                node = next;
            }
            (found, 1..) if found >= FIRST_NODE => node = usize::from(found - FIRST_NODE),
            _ => return None,
        }
    }
    None
}

/// Unpacks repetitions. Before each group of up to 16 tokens, a word shows which of them are plain bytes.
fn repetitions(data: &[u8], start: usize, most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let mut data = Tokens { data, at: 0 };
    while let Some(word) = data.word() {
        for place in (0..16).rev() {
            if data.is_at_end() {
                return Ok(());
            }
            if (word >> place) & 1 == 0 {
                append(&[data.byte()?], most, out)?;
            } else {
                token(&mut data, start, most, out)?;
            }
        }
    }
    // A single byte at the end is a literal.
    append(data.rest(), most, out)
}

/// Unpacks a token for several bytes.
fn token(data: &mut Tokens<'_>, start: usize, most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let tag = data.byte()?;
    let (kind, low) = (tag >> 4, usize::from(tag & 15));
    let far = |byte: u8| (usize::from(byte) << 4) + low + 3;
    match kind {
        0 => repeat(data.byte()?, low + 3, most, out),
        1 => {
            let len = far(data.byte()?) + 16;
            repeat(data.byte()?, len, most, out)
        }
        2 => {
            let distance = far(data.byte()?);
            copy(distance, usize::from(data.byte()?) + 16, start, most, out)
        }
        len => copy(far(data.byte()?), len.into(), start, most, out),
    }
}

fn repeat(byte: u8, len: usize, most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let end = out.len().saturating_add(len);
    if end > most {
        return Err(TooLong);
    }
    out.resize(end, byte);
    Ok(())
}

/// Repeats the `len` bytes that start `distance` bytes before the end. If `len` is larger than `distance`, they include
/// bytes that this call has written, so they are copied one by one.
fn copy(distance: usize, len: usize, start: usize, most: usize, out: &mut Vec<u8>) -> Result<(), BlockError> {
    let from = out.len().checked_sub(distance).filter(|&from| from >= start);
    let from = from.ok_or(Damaged)?;
    if out.len().saturating_add(len) > most {
        return Err(TooLong);
    }
    for place in from..from + len {
        let byte = *out.get(place).ok_or(Damaged)?;
        out.push(byte);
    }
    Ok(())
}

/// Packed bytes.
struct Tokens<'a> {
    data: &'a [u8],
    at: usize,
}

impl Tokens<'_> {
    fn word(&mut self) -> Option<u16> {
        let word = le_u16(self.data, self.at)?;
        self.at += 2;
        Some(word)
    }

    fn byte(&mut self) -> Result<u8, BlockError> {
        let byte = *self.data.get(self.at).ok_or(Damaged)?;
        self.at += 1;
        Ok(byte)
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.data.len()
    }

    fn rest(&self) -> &[u8] {
        self.data.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(payload: &[u8]) -> Result<Vec<u8>, BlockError> {
        let mut out = b"before".to_vec();
        block(payload, 6, 1000, &mut out)?;
        Ok(out.split_off(6))
    }

    #[test]
    fn repetitions_are_unpacked() {
        assert_eq!(unpacked(b"\0abc").unwrap(), b"abc");
        // Three plain bytes, a run, a copy of what is being written.
        let payload = [1, 0b0000_0000, 0b0001_1000, b'a', b'b', b'c', 0x01, b'x', 0x54, 0];
        assert_eq!(unpacked(&payload).unwrap(), b"abcxxxxabcxx");
        assert_eq!(unpacked(&[1, 0, 0x80, 0x30, 9]), Err(Damaged));
        assert_eq!(unpacked(&[1, b'z']).unwrap(), b"z");
        assert_eq!(
            unpacked(&[1, 0, 0x80, 0x1f, 255, b'z']).map(|bytes| bytes.len()),
            Err(TooLong)
        );
        assert_eq!(unpacked(&[9]), Err(Damaged));
    }

    #[test]
    fn huffman_codes_are_decoded() {
        // Code 0 for a, 10 for b, 11 for c.
        let mut bits = String::new();
        for byte in 0..=255 {
            bits += match byte {
                b'a' => "00010",
                b'b' => "001010",
                b'c' => "001011",
                _ => "0000",
            };
        }
        bits += "0101100";
        let mut payload = vec![2, 0, 5];
        let bits: Vec<u8> = bits.bytes().map(|bit| bit - b'0').collect();
        payload.extend(bits.chunks(8).map(|bits| {
            let bits = bits.iter().chain([0; 7].iter()).take(8);
            bits.fold(0, |byte, bit| (byte << 1) | bit)
        }));
        assert_eq!(unpacked(&payload).unwrap(), b"abcaa");
        assert_eq!(unpacked(&payload[..100]), Err(Damaged));
    }
}
