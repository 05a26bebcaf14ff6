//! Packed bytes. They are copied before use, because mapped bytes may change at any moment, and the behaviour
//! of a decoder is undefined if bytes change after it has checked them.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use crate::bytes::index;
use crate::files::Bytes;

/// A file, or the part of it that holds one member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Input {
    bytes: Arc<dyn Bytes>,
    range: Range<usize>,
}

impl Input {
    pub(super) fn new(bytes: Arc<dyn Bytes>) -> Input {
        let range = 0..bytes.len();
        Input { bytes, range }
    }

    /// A part of the input, cut at the bounds of the input.
    pub(super) fn part(&self, part: Range<u64>) -> Input {
        let place = |at: u64| self.range.start.saturating_add(index(at)).min(self.range.end);
        Input {
            bytes: Arc::clone(&self.bytes),
            range: place(part.start)..place(part.end).max(place(part.start)),
        }
    }

    /// Number of bytes.
    pub(super) fn len(&self) -> u64 {
        self.range.len() as u64
    }

    /// Number of bytes without the long holes of the file.
    pub(super) fn data_len(&self) -> u64 {
        let part = |at: usize| at.clamp(self.range.start, self.range.end);
        let gaps = self.bytes.gaps().iter();
        let passed = gaps.map(|gap| part(gap.end).saturating_sub(part(gap.start)));
        self.len().saturating_sub(passed.sum::<usize>() as u64)
    }

    /// Converts an offset in this part to an offset in the file.
    pub(super) fn in_file(&self, at: u64) -> u64 {
        at.saturating_add(self.range.start as u64)
    }

    /// Copies bytes from offset `at` into a buffer. Returns their number, which is smaller than the buffer
    /// only at the end.
    pub(super) fn copy(&self, at: u64, buffer: &mut [u8]) -> usize {
        let part = self.bytes.get(self.range.clone()).unwrap_or_default();
        let rest = part.get(index(at)..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
            // As in `text`: without this, the compiler might read the source again.
            black_box(to);
        }
        len
    }

    /// A copy of `N` bytes; `None` if there are fewer.
    pub(super) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut array = [0; N];
        (self.copy(at, &mut array) == N).then_some(array)
    }
}

/// Reads an input sequentially.
#[derive(Debug)]
pub(super) struct Reader {
    input: Input,
    /// Offset in the input of the end of the buffer.
    after: u64,
    buffer: Box<[u8]>,
    /// The bytes of the buffer that have not been consumed.
    rest: Range<usize>,
}

/// Bytes that are copied at a time, unless the input is shorter: the size that zstd recommends.
const BUFFER: usize = 128 << 10;

impl Reader {
    pub(super) fn new(input: Input, at: u64) -> Reader {
        let len = BUFFER.min(input.range.len());
        Reader {
            input,
            after: at,
            buffer: vec![0; len].into_boxed_slice(),
            rest: 0..0,
        }
    }

    /// The input that is read.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// Offset of the next byte in the input.
    pub(super) fn position(&self) -> u64 {
        self.after - self.rest.len() as u64
    }

    /// Offset of the next byte in the file.
    pub(super) fn in_file(&self) -> u64 {
        self.input.in_file(self.position())
    }

    /// True if no byte is left in the input.
    pub(super) fn is_at_end(&self) -> bool {
        self.position() >= self.input.len()
    }

    /// True if bytes beyond the end were skipped.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    pub(super) fn is_past_end(&self) -> bool {
        self.position() > self.input.len()
    }

    /// The next bytes; empty at the end.
    pub(super) fn bytes(&mut self) -> &[u8] {
        if self.rest.is_empty() {
            let len = self.input.copy(self.after, &mut self.buffer);
            self.after += len as u64;
            self.rest = 0..len;
        }
        self.buffer.get(self.rest.clone()).unwrap_or_default()
    }

    /// Consumes some of the bytes that [`Reader::bytes`] returned.
    pub(super) fn consume(&mut self, len: usize) {
        self.rest.start = (self.rest.start + len).min(self.rest.end);
    }

    /// Continues at another offset.
    pub(super) fn seek(&mut self, at: u64) {
        self.after = at;
        self.rest = 0..0;
    }

    /// The next `N` bytes, without consuming them; `None` if there are fewer.
    pub(super) fn peek<const N: usize>(&self) -> Option<[u8; N]> {
        self.input.array(self.position())
    }

    /// Consumes the next `N` bytes; `None` if there are fewer.
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let array = self.peek()?;
        self.skip(N as u64);
        Some(array)
    }

    /// Skips bytes.
    pub(super) fn skip(&mut self, len: u64) {
        match usize::try_from(len) {
            Ok(len) if len <= self.rest.len() => self.consume(len),
            _ => self.seek(self.position().saturating_add(len)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::Holed;

    #[test]
    fn long_holes_are_no_data() {
        let file = Holed((0..100).collect(), vec![0..5, 8..12, 20..30, 40..90]);
        let input = Input::new(Arc::new(file));
        assert_eq!(input.data_len(), 31);
        assert_eq!(input.part(10..50).data_len(), 18);
        assert_eq!(input.part(50..60).data_len(), 0);
    }
}
