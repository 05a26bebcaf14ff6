//! bzip2: blocks of up to 900,000 bytes that begin at any bit and decode independently.
//!
//! | bits | of a stream |
//! |---|---|
//! | 32 | `BZh` and a digit |
//! | 48 | `314159265359`: a block begins; its checksum and contents follow |
//! | 48 | `177245385090`: the stream ends; a checksum of 32 bits follows, and the rest of its last byte |
//!
//! A block does not contain its length, so the beginning of the next block is searched for. A block is
//! decoded as a stream of its own.

use std::sync::Arc;

use bzip2::{Decompress, Status};

use super::budget::Reserved;
use super::input::{Input, Reader};
use super::slices::Slices;
use super::stream::{Damage, PackedLayout, PackedPart, Stream, StreamStep};
use crate::bytes::{be_u32, be_u64, index};

/// Number of bits that mark the beginning of a block and the end of a stream.
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

/// True if a stream with a block, or an empty one, begins a file.
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

/// The item at a bit after a block, or at the beginning of a stream.
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
        // A stream begins at the beginning of the file and after another stream.
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

/// A bit for each byte that can be the last but one of the bytes that contain a mark.
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

/// A block as a stream of its own.
fn alone(input: &Input, from: u64, end: u64) -> Vec<u8> {
    let [len, left] = [(end - from) / 8, (end - from) % 8];
    let mut bytes = vec![0; index(len.min(LONGEST_BLOCK)) + 2];
    input.copy(from / 8, &mut bytes);
    let aligned = bytes.windows(2).map(|pair| match *pair {
        [first, second] => (u16::from_be_bytes([first, second]) << (from % 8)).to_be_bytes()[0],
        _ => 0,
    });
    let mut stream = b"BZh9".to_vec();
    stream.extend(aligned);
    let rest = stream.pop().unwrap_or_default() >> (8 - left).min(7);
    let rest = if left == 0 { 0 } else { rest };
    // The checksum of a stream with one block equals the checksum of the block.
    let sum = be_u32(&stream, 10).unwrap_or_default();
    let tail = u128::from(rest) << 80 | u128::from(END) << 32 | u128::from(sum);
    let tail = (tail << (48 - left)).to_be_bytes();
    stream.extend(tail.iter().take(if left == 0 { 10 } else { 11 }));
    stream
}

/// The blocks of a file from one block on.
pub(super) struct BlockStream {
    input: Input,
    /// The bit at which the next block begins.
    bit: u64,
    block: Option<Block>,
    memory: Reserved,
}

/// A block that is being unpacked.
struct Block {
    stream: Vec<u8>,
    consumed: usize,
    state: Decompress,
    /// The bit at which the block ends.
    end: u64,
}

impl BlockStream {
    /// Starts at the beginning of a block or of the file.
    pub(super) fn new(input: Input, bit: u64, memory: &Arc<Slices>) -> BlockStream {
        BlockStream {
            input,
            bit,
            block: None,
            memory: memory.reserve(BLOCK_MEMORY),
        }
    }

    fn damage(&self, what: &str) -> Damage {
        Damage::new(self.input.in_file(self.bit / 8), what)
    }

    fn begin(&mut self) -> Result<StreamStep, Damage> {
        match next(&self.input, self.bit) {
            Next::End => Ok(StreamStep::End),
            Next::Other(bit) => {
                self.bit = bit;
                Err(self.damage("there is no block of bzip2 here"))
            }
            Next::Block { from, end: None } => {
                self.bit = from;
                Err(self.damage("the file ends inside this block"))
            }
            Next::Block { from, end: Some(end) } => {
                self.bit = from;
                self.block = Some(Block {
                    stream: alone(&self.input, from, end),
                    consumed: 0,
                    state: Decompress::new(false),
                    end,
                });
                Ok(StreamStep::Point(from))
            }
        }
    }
}

impl Stream for BlockStream {
    fn step(&mut self, buffer: &mut [u8]) -> Result<StreamStep, Damage> {
        self.memory.moves();
        let Some(block) = &mut self.block else {
            return self.begin();
        };
        let [read, written] = [block.state.total_in(), block.state.total_out()];
        let rest = block.stream.get(block.consumed..).unwrap_or_default();
        let status = block.state.decompress(rest, buffer);
        block.consumed += index(block.state.total_in() - read);
        let written = index(block.state.total_out() - written);
        match status {
            Ok(Status::StreamEnd) => {
                self.bit = block.end;
                self.block = None;
            }
            Ok(_) if written > 0 => {}
            Ok(_) | Err(_) => return Err(self.damage("this block is damaged")),
        }
        Ok(StreamStep::Bytes(written))
    }
}

/// Memory in bytes that libbzip2 needs to unpack a block of 900,000 bytes, including the packed bytes.
const BLOCK_MEMORY: usize = 5 << 20;
