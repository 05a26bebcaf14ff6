//! bzip2: blocks of up to 900,000 bytes that begin at any bit and decode independently.
//!
//! | bits | of a stream |
//! |---|---|
//! | 32 | `BZh` and a digit |
//! | 48 | `314159265359`: a block begins; its checksum and contents follow |
//! | 48 | `177245385090`: the stream ends; a checksum of 32 bits follows, and the rest of its last byte |
//!
//! A block does not contain its length, so the start of the next block is searched for. Each block is decoded as if it
//! were a whole stream.

#[cfg(feature = "bzip2")]
mod blocks;

use super::input::{Input, Reader};
use super::stream::{PackedLayout, PackedPart};
use crate::bytes::be_u64;
#[cfg(feature = "bzip2")]
pub(super) use blocks::BlockStream;

/// Number of bits of the marks for the start of a block and the end of a stream.
const MARK: u64 = 48;
const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;

/// Bits of a stream before its first block.
const HEADER: u64 = 32;
/// Bits of a checksum.
const SUM: u64 = 32;

/// Maximum length of a block in bytes: each of its 900,000 symbols has at most 20 bits, and its tables are
/// small.
const LONGEST_BLOCK: u64 = 4 << 20;

/// True for the first bytes of a stream.
pub(super) fn is_stream(start: [u8; 4]) -> bool {
    matches!(start, [b'B', b'Z', b'h', b'1'..=b'9'])
}

/// True if a file starts with a stream that has a block or is empty.
pub(super) fn begins(input: &Input) -> bool {
    input.array(0).is_some_and(is_stream) && matches!(bits(input, HEADER), Some(BLOCK | END))
}

/// The blocks of a file.
pub(super) fn parts(input: &Input) -> PackedLayout {
    let (mut at, mut parts) = (Some(0), Vec::new());
    while let Some(bit) = at {
        let (bit, end) = match next(input, bit) {
            Next::Block { from, end } => (from, end),
            // Reading this part will report the damage.
            Next::Other(bit) => (bit, None),
            Next::End => break,
        };
        parts.push(PackedPart { bit, len: None });
        at = end;
    }
    PackedLayout::Parts(parts, None)
}

/// The item at a bit after a block, or at the start of a stream.
enum Next {
    /// A block from `from` to `end`, which is `None` if the input ends first.
    Block { from: u64, end: Option<u64> },
    /// The end of the input.
    End,
    /// Something else, at this bit.
    Other(u64),
}

fn next(input: &Input, mut bit: u64) -> Next {
    loop {
        // A stream starts at the start of the file and after another stream.
        if bit.is_multiple_of(8) && input.array(bit / 8).is_some_and(is_stream) {
            bit += HEADER;
        }
        match bits(input, bit) {
            Some(BLOCK) => {
                let end = find_mark(input, bit + MARK);
                return Next::Block { from: bit, end };
            }
            Some(END) => {
                bit = (bit + MARK + SUM).next_multiple_of(8);
                if bit / 8 >= input.len() {
                    return Next::End;
                }
                if !input.array(bit / 8).is_some_and(is_stream) {
                    return Next::Other(bit);
                }
            }
            _ => return Next::Other(bit),
        }
    }
}

/// The 48 bits at a place.
fn bits(input: &Input, bit: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    let len = input.copy(bit / 8, &mut bytes) as u64;
    let word = be_u64(&bytes, 0)? << (bit % 8) >> (64 - MARK);
    (bit % 8 + MARK <= len * 8).then_some(word)
}

/// One bit for each byte value, set if the byte can be the last but one of the bytes that contain a mark.
const IN_MARK: [u128; 2] = {
    let (mut low, mut high, mut number) = (0, 0, 0);
    while number < 16 {
        let mark = if number < 8 { BLOCK } else { END };
        let byte = (mark << (number % 8) >> 8) & 0xff;
        if byte < 128 {
            low |= 1 << byte;
        } else {
            high |= 1 << (byte - 128);
        }
        number += 1;
    }
    [low, high]
};

/// The next mark from a bit on.
fn find_mark(input: &Input, bit: u64) -> Option<u64> {
    let mut reader = Reader::new(input.clone(), bit / 8);
    let (mut word, mut after) = (0u64, bit / 8 * 8);
    let last = bit + LONGEST_BLOCK * 8;
    while after < last {
        let bytes = reader.bytes();
        let len = bytes.len();
        for &byte in bytes {
            word = word << 8 | u64::from(byte);
            after += 8;
            // Most bytes cannot be part of a mark at any bit offset.
            let [.., before, _] = word.to_be_bytes();
            let [low, high] = IN_MARK;
            if (if before < 128 { low } else { high }) >> (before % 128) & 1 == 0 {
                continue;
            }
            for more in (0..8).rev() {
                let mark = word >> more & ((1 << MARK) - 1);
                if (mark == BLOCK || mark == END) && after - more >= bit + MARK {
                    return Some(after - more - MARK);
                }
            }
        }
        if len == 0 {
            break;
        }
        reader.consume(len);
    }
    None
}
