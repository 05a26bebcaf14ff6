//! Deflate (RFC 1951). Decoding can be resumed between two blocks with the 32 KiB unpacked before.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY,
};
use miniz_oxide::inflate::core::{BlockBoundaryState, DecompressorOxide, decompress_with_limit};

use super::input::{Input, Reader};

/// Number of unpacked bytes that a block may refer to.
pub(super) const WINDOW: usize = 32 << 10;
/// Length of the ring buffer: a power of two, as miniz_oxide requires.
const RING: usize = 2 * WINDOW;

/// The result of one step of [`Inflate`].
pub(super) enum Inflated {
    /// This number of bytes was written.
    Bytes(usize),
    /// A block starts at this bit of the input.
    Block(u64),
    /// The last block ended. The reader is at the byte after it.
    End,
    /// The input ends within a block.
    Cut,
    /// This is not deflate.
    Broken,
}

/// One deflate stream.
pub(super) struct Inflate {
    state: Box<DecompressorOxide>,
    ring: Box<[u8]>,
    /// Index in the ring of the next byte to write.
    at: usize,
    /// The result to return after the bytes already written.
    next: Option<Inflated>,
}

impl Inflate {
    /// Begins at the start of a stream.
    pub(super) fn new() -> Inflate {
        Inflate {
            state: Box::default(),
            ring: vec![0; RING].into_boxed_slice(),
            at: WINDOW,
            next: None,
        }
    }

    /// Begins at the start of a block, with the bytes unpacked before. Also returns the reader for the stream.
    pub(super) fn resume(input: Input, bit: u64, window: &[u8]) -> (Inflate, Reader) {
        let mut inflate = Inflate::new();
        let from = WINDOW.saturating_sub(window.len());
        if let Some(place) = inflate.ring.get_mut(from..WINDOW)
            && place.len() == window.len()
        {
            place.copy_from_slice(window);
        }
        let used = u8::try_from(bit % 8).unwrap_or_default();
        if used > 0 {
            let [byte] = input.array(bit / 8).unwrap_or_default();
            let state = BlockBoundaryState {
                num_bits: 8 - used,
                bit_buf: byte >> used,
                ..BlockBoundaryState::default()
            };
            *inflate.state = DecompressorOxide::from_block_boundary_state(&state);
        }
        (inflate, Reader::new(input, bit.div_ceil(8)))
    }

    /// Resets the state for the next stream.
    pub(super) fn restart(&mut self) {
        self.state.init();
        // A damaged stream may refer to bytes before its start. They must be the same each time it is read.
        self.ring.fill(0);
        self.at = WINDOW;
        self.next = None;
    }

    /// The last 32 KiB written.
    pub(super) fn window(&self) -> Vec<u8> {
        let from = self.at + RING - WINDOW;
        let bytes = (from..from + WINDOW).map(|at| self.ring.get(at % RING).copied().unwrap_or_default());
        bytes.collect()
    }

    /// Unpacks up to `buffer.len()` bytes, which must not be 0.
    pub(super) fn step(&mut self, reader: &mut Reader, buffer: &mut [u8]) -> Inflated {
        if let Some(next) = self.next.take() {
            return next;
        }
        loop {
            let input = reader.bytes();
            let (status, read, written) = decompress_with_limit(
                &mut self.state,
                input,
                &mut self.ring,
                self.at,
                buffer.len(),
                TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY | TINFL_FLAG_HAS_MORE_INPUT,
            );
            reader.consume(read);
            let from = self.ring.get(self.at..self.at + written).unwrap_or_default();
            if let Some(to) = buffer.get_mut(..from.len()) {
                to.copy_from_slice(from);
            }
            self.at = (self.at + written) % RING;
            let next = match status {
                TINFLStatus::Done => Some(Inflated::End),
                TINFLStatus::BlockBoundary => {
                    let state = self.state.block_boundary_state();
                    let kept = state.map_or(0, |state| state.num_bits);
                    Some(Inflated::Block(reader.position() * 8 - u64::from(kept)))
                }
                TINFLStatus::HasMoreOutput if written > 0 => None,
                TINFLStatus::NeedsMoreInput if reader.is_at_end() => Some(Inflated::Cut),
                TINFLStatus::NeedsMoreInput => None,
                _ => Some(Inflated::Broken),
            };
            if written > 0 {
                self.next = next;
                return Inflated::Bytes(written);
            }
            if let Some(next) = next {
                return next;
            }
        }
    }
}
