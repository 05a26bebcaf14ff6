//! Unpacking bzip2.

use std::sync::Arc;

use bzip2::{Decompress, Status};

use super::{END, LONGEST_BLOCK, Next, next};
use crate::bytes::{be_u32, index};
use crate::packed::budget::Reserved;
use crate::packed::input::Input;
use crate::packed::slices::Slices;
use crate::packed::stream::{Damage, Stream, StreamStep};

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
    // The checksum of a stream with one block is the checksum of the block.
    let sum = be_u32(&stream, 10).unwrap_or_default();
    let tail = u128::from(rest) << 80 | u128::from(END) << 32 | u128::from(sum);
    let tail = (tail << (48 - left)).to_be_bytes();
    stream.extend(tail.iter().take(if left == 0 { 10 } else { 11 }));
    stream
}

/// Unpacks the blocks of a file, starting at any block.
pub(in crate::packed) struct BlockStream {
    input: Input,
    /// The bit where the next block starts.
    bit: u64,
    block: Option<Block>,
    memory: Reserved,
}

/// A block that is being unpacked.
struct Block {
    stream: Vec<u8>,
    consumed: usize,
    state: Decompress,
    /// The bit where the block ends.
    end: u64,
}

impl BlockStream {
    /// Starts at a block, or at the start of the file.
    pub(in crate::packed) fn new(input: Input, bit: u64, memory: &Arc<Slices>) -> BlockStream {
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
