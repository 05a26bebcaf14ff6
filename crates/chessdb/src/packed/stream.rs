//! Streams of unpacked bytes from a point of a file, and the damage that ends them.

use std::fmt;

/// The parts of a file that are known without unpacking it.
pub(super) enum PackedLayout {
    /// The parts that decode independently, in order, and a warning about them.
    Parts(Vec<PackedPart>, Option<&'static str>),
    /// No parts are known: the file has to be unpacked from its start.
    Stream,
}

/// A part that decodes independently.
pub(super) struct PackedPart {
    /// The bit where the part starts.
    pub(super) bit: u64,
    /// Number of unpacked bytes, if the file contains it.
    pub(super) len: Option<u64>,
}

/// Unpacked bytes from a point of a file to its end.
pub(super) trait Stream: Send {
    /// Performs the next step. `buffer` is not empty.
    fn step(&mut self, buffer: &mut [u8]) -> Result<StreamStep, Damage>;

    /// The last 32 KiB unpacked, after [`StreamStep::Inside`].
    fn window(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// The result of a step of a stream.
pub(super) enum StreamStep {
    /// This number of bytes was written to the buffer.
    Bytes(usize),
    /// A part that decodes independently starts at this bit.
    Point(u64),
    /// Decoding can be resumed at this bit with the window.
    Inside(u64),
    /// The unpacked bytes do not match their checksum.
    Doubt(Damage),
    /// The stream has ended.
    End,
}

/// Damage at a byte of a compressed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Offset of the byte in the file.
    pub offset: u64,
    /// The damage, in lower case, without a full stop.
    pub what: String,
}

impl Damage {
    pub(super) fn new(offset: u64, what: impl Into<String>) -> Damage {
        let what = what.into();
        Damage { offset, what }
    }

    /// Parses a line that was written with `Display`.
    pub(super) fn of_line(line: &str) -> Option<Damage> {
        let (offset, what) = line.strip_prefix("byte ")?.split_once(": ")?;
        Some(Damage::new(offset.parse().ok()?, what))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.what)
    }
}
