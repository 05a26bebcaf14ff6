//! Unpacking Zstandard.

use std::sync::Arc;

use zstd_safe::{DCtx, InBuffer, OutBuffer, get_error_name};

use super::{FRAME, Frame, SKIPPED_HEADER, frame, is_skipped};
use crate::bytes::{index, le_u32};
use crate::packed::budget::Reserved;
use crate::packed::input::{Input, Reader};
use crate::packed::slices::Slices;
use crate::packed::stream::{Damage, Stream, StreamStep};

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

/// Where the next step begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameState {
    /// Before a frame, or frames to be skipped.
    Before,
    /// At a frame for which no memory was reserved yet. Finding its start needs none.
    Frame,
    Inside,
}

/// Unpacks the frames of a file, starting at any frame.
pub(in crate::packed) struct Frames {
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
    pub(in crate::packed) fn new(input: Input, at: u64, memory: &Arc<Slices>) -> Frames {
        Frames {
            reader: Reader::new(input, at),
            context: None,
            memory: Arc::clone(memory),
            state: FrameState::Before,
            frame: 0,
        }
    }

    /// Waits for the memory that a frame needs. The memory of a smaller frame is given back first.
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
                    if self.reader.is_past_end() {
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
