//! Zstandard (RFC 8878): consecutive frames that decode independently.
//!
//! | bytes | of a frame |
//! |---|---|
//! | 4 | `28 B5 2F FD`; `5x 2A 4D 18` for a frame that decoders skip |
//! | 1 | lengths of the fields below, and whether there is a checksum |
//! | 0-1, 0-4, 0-8 | window, dictionary, number of unpacked bytes |
//! | 3 and more | blocks: 1 bit for the last one, 2 for the kind, 21 for the number of bytes |
//! | 0, 4 | checksum |
//!
//! pzstd writes a skippable frame before each frame, with the number of packed bytes. A seekable file ends
//! with a skippable frame that contains the sizes of all frames.

use std::sync::Arc;

use zstd_safe::{DCtx, InBuffer, OutBuffer, get_error_name};

use super::budget::Reserved;
use super::input::{Input, Reader};
use super::slices::Slices;
use super::stream::{Damage, PackedLayout, PackedPart, Stream, StreamStep};
use crate::bytes::{index, le_u32, le_u64};

/// The first bytes of a frame.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The last bytes of a seekable file.
const SEEKABLE: [u8; 4] = [0xb1, 0xea, 0x92, 0x8f];
/// Number of bytes before the contents of a skippable frame.
const SKIPPED_HEADER: u64 = 8;
/// Number of stored bytes of a block that repeats one byte.
const REPEATED: u64 = 1;

/// True for the first bytes of a frame, including a skippable one.
pub(super) fn is_frame(start: [u8; 4]) -> bool {
    start == FRAME || is_skipped(start)
}

fn is_skipped([low, rest @ ..]: [u8; 4]) -> bool {
    low & 0xf0 == 0x50 && rest == [0x2a, 0x4d, 0x18]
}

/// The frames of a file, without decoding them.
pub(super) fn parts(input: &Input) -> PackedLayout {
    let parts = match seek_table(input) {
        Some(parts) => parts,
        None => frames(input),
    };
    let one = parts.len() == 1;
    PackedLayout::Parts(
        parts,
        one.then_some(
            "it is one frame, so reading in the middle unpacks all before; pack it with pzstd, or unpack it",
        ),
    )
}

/// The frames that the table at the end of a seekable file lists.
fn seek_table(input: &Input) -> Option<Vec<PackedPart>> {
    let end = input.len();
    let footer: [u8; 9] = input.array(end.checked_sub(9)?)?;
    let [.., descriptor, _, _, _, _] = footer;
    if !footer.ends_with(&SEEKABLE) {
        return None;
    }
    let number = u64::from(le_u32(&footer, 0)?);
    let row = if descriptor & 0x80 == 0 { 8 } else { 12 };
    let len = number * row + 9;
    let table = end.checked_sub(len + SKIPPED_HEADER)?;
    let header: [u8; 8] = input.array(table)?;
    if !is_skipped(*header.first_chunk()?) || u64::from(le_u32(&header, 4)?) != len {
        return None;
    }
    let (mut at, mut parts) = (0, Vec::new());
    for number in 0..number {
        let row: [u8; 8] = input.array(table + SKIPPED_HEADER + number * row)?;
        let [packed, unpacked] = [le_u32(&row, 0)?, le_u32(&row, 4)?].map(u64::from);
        if unpacked > 0 {
            let len = Some(unpacked);
            parts.push(PackedPart { bit: at * 8, len });
        }
        at += packed;
    }
    // Otherwise the table belongs to another file, or data were appended to this one.
    (at == table).then_some(parts)
}

/// The frames from the beginning on, as long as each ends where the next begins.
fn frames(input: &Input) -> Vec<PackedPart> {
    let (mut at, mut parts, mut announced) = (0, Vec::new(), None);
    while at < input.len() {
        let start = input.array::<4>(at).unwrap_or_default();
        if is_skipped(start)
            && let Some(len) = input.array::<4>(at + 4).map(u32::from_le_bytes)
            && at + SKIPPED_HEADER + u64::from(len) <= input.len()
        {
            // Probably written by pzstd; other programs may use the same number.
            announced = (start.first() == Some(&0x50) && len == 4)
                .then(|| input.array::<4>(at + SKIPPED_HEADER))
                .flatten();
            at += SKIPPED_HEADER + u64::from(len);
            continue;
        }
        // If this is not a frame, or one to be skipped that is cut, reading will report the damage.
        let frame = (start == FRAME).then(|| frame(input, at)).flatten();
        let after = announced
            .take()
            .map(|len| at + u64::from(u32::from_le_bytes(len)));
        let after = after.filter(|&after| is_border(input, after));
        let Some(frame) = frame else {
            parts.push(PackedPart {
                bit: at * 8,
                len: None,
            });
            match after {
                Some(after) => at = after,
                None => break,
            }
            continue;
        };
        let end = after.or_else(|| end_of_blocks(input, frame.blocks, frame.has_checksum));
        let len = frame.unpacked.filter(|_| end.is_some());
        if len != Some(0) {
            parts.push(PackedPart { bit: at * 8, len });
        }
        match end {
            Some(end) => at = end,
            None => break,
        }
    }
    parts
}

/// True at the end of the input and at the beginning of a frame.
fn is_border(input: &Input, at: u64) -> bool {
    at == input.len() || input.array(at).is_some_and(is_frame)
}

/// Data from the header of a frame.
struct Frame {
    /// Offset of the first block.
    blocks: u64,
    has_checksum: bool,
    /// Number of unpacked bytes.
    unpacked: Option<u64>,
    /// Number of unpacked bytes that a block may refer to.
    window: u64,
}

impl Frame {
    /// Memory in bytes that unpacking needs.
    fn memory(&self) -> usize {
        let window = self.window.min(self.unpacked.unwrap_or(u64::MAX));
        CONTEXT + index(window.min(LARGEST_WINDOW))
    }
}

/// Memory in bytes that unpacking needs in addition to the window, with the buffer for packed bytes.
const CONTEXT: usize = 512 << 10;
/// Largest window that the decoder accepts.
const LARGEST_WINDOW: u64 = 128 << 20;

fn frame(input: &Input, at: u64) -> Option<Frame> {
    let [flags] = input.array(at + 4)?;
    let has_window = flags & 0x20 == 0;
    let dictionary: u8 = (1 << (flags & 3)) >> 1;
    let before = 5 + u64::from(has_window) + u64::from(dictionary);
    let field = |width: u64| {
        let mut bytes = [0; 8];
        let len = input.copy(at + before, &mut bytes);
        let kept = bytes.get_mut(usize::try_from(width).ok()?..)?;
        kept.fill(0);
        (len as u64 >= width).then_some(le_u64(&bytes, 0)?)
    };
    let (width, unpacked) = match flags >> 6 {
        0 if has_window => (0, None),
        0 => (1, Some(field(1)?)),
        1 => (2, Some(field(2)? + 256)),
        2 => (4, Some(field(4)?)),
        _ => (8, Some(field(8)?)),
    };
    let [descriptor] = input.array(at + 5)?;
    let base = 1u64 << (10 + (descriptor >> 3));
    let window = base + base / 8 * u64::from(descriptor & 7);
    Some(Frame {
        window: unpacked.filter(|_| !has_window).unwrap_or(window),
        blocks: at + before + width,
        has_checksum: flags & 4 != 0,
        unpacked,
    })
}

/// The offset at which a frame ends; `None` if the input ends first.
fn end_of_blocks(input: &Input, mut at: u64, has_checksum: bool) -> Option<u64> {
    loop {
        let [low, middle, high] = input.array(at)?;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let len = match header >> 1 & 3 {
            1 => REPEATED,
            _ => u64::from(header >> 3),
        };
        at += 3 + len;
        if header & 1 == 1 {
            at += if has_checksum { 4 } else { 0 };
            return (at <= input.len()).then_some(at);
        }
    }
}

/// Where the next step begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameState {
    /// Before a frame, or frames to be skipped.
    Before,
    /// At a frame for which there is no memory yet: finding its beginning needs none.
    Frame,
    Inside,
}

/// The frames of a file from one frame on.
pub(super) struct Frames {
    reader: Reader,
    /// The decoder and its memory, from the first frame on.
    context: Option<(DCtx<'static>, Reserved)>,
    memory: Arc<Slices>,
    state: FrameState,
    /// Offset of the frame in the file.
    frame: u64,
}

impl Frames {
    /// Starts at a frame.
    pub(super) fn new(input: Input, at: u64, memory: &Arc<Slices>) -> Frames {
        Frames {
            reader: Reader::new(input, at),
            context: None,
            memory: Arc::clone(memory),
            state: FrameState::Before,
            frame: 0,
        }
    }

    /// Waits for the memory that a frame needs. The memory of a smaller one is given back before.
    fn prepare(&mut self) -> Result<(), Damage> {
        let frame = frame(self.reader.input(), self.reader.position());
        let bytes = frame.map_or(CONTEXT, |frame| frame.memory());
        let has_less = |(_, memory): &(_, Reserved)| memory.bytes() < bytes;
        if self.context.as_ref().is_none_or(has_less) {
            self.context = None;
            let memory = self.memory.reserve(bytes);
            let context = DCtx::try_create().ok_or_else(|| self.damage("there is not enough memory"))?;
            self.context = Some((context, memory));
        }
        self.state = FrameState::Inside;
        Ok(())
    }

    fn damage(&self, what: impl Into<String>) -> Damage {
        Damage::new(self.frame, what)
    }

    /// Proceeds to the next frame.
    fn begin(&mut self) -> Result<StreamStep, Damage> {
        loop {
            self.frame = self.reader.in_file();
            let Some(start) = self.reader.peek::<8>().or_else(|| {
                let [a, b, c, d] = self.reader.peek::<4>()?;
                Some([a, b, c, d, 0, 0, 0, 0])
            }) else {
                return if self.reader.is_at_end() {
                    Ok(StreamStep::End)
                } else {
                    Err(self.damage("the file ends inside the header of a frame"))
                };
            };
            match start.first_chunk() {
                Some(&magic) if is_skipped(magic) => {
                    let len = le_u32(&start, 4).unwrap_or_default();
                    self.reader.skip(SKIPPED_HEADER + u64::from(len));
                    if self.reader.is_behind_end() {
                        return Err(self.damage("the file ends inside this frame"));
                    }
                }
                Some(&FRAME) => {
                    self.state = FrameState::Frame;
                    let bit = self.reader.position() * 8;
                    return Ok(StreamStep::Point(bit));
                }
                _ => return Err(self.damage("there is no frame of Zstandard here")),
            }
        }
    }
}

impl Stream for Frames {
    fn step(&mut self, buffer: &mut [u8]) -> Result<StreamStep, Damage> {
        match self.state {
            FrameState::Before => return self.begin(),
            FrameState::Frame => self.prepare()?,
            FrameState::Inside => {}
        }
        loop {
            let mut output = OutBuffer::around(buffer);
            let Some((context, memory)) = &mut self.context else {
                return self.begin();
            };
            memory.moves();
            let (result, read) = {
                let mut input = InBuffer::around(self.reader.bytes());
                let result = context.decompress_stream(&mut output, &mut input);
                (result, input.pos())
            };
            self.reader.consume(read);
            let written = output.pos();
            match result {
                Err(code) => {
                    self.state = FrameState::Before;
                    return Err(self.damage(match get_error_name(code) {
                        "Frame requires too much memory for decoding" => {
                            "the frame needs more than 128 MiB of memory; unpack the file with zstd -d --long=31"
                                .to_owned()
                        }
                        name => format!("Zstandard reports: {name}"),
                    }));
                }
                Ok(0) => {
                    self.state = FrameState::Before;
                    return match written {
                        0 => self.begin(),
                        _ => Ok(StreamStep::Bytes(written)),
                    };
                }
                Ok(_) if written > 0 => return Ok(StreamStep::Bytes(written)),
                Ok(_) if read == 0 && self.reader.is_at_end() => {
                    self.state = FrameState::Before;
                    return Err(self.damage("the file ends inside this frame"));
                }
                Ok(_) => {}
            }
        }
    }
}
