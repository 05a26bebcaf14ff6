//! Frames: the `.2cbg` and the `.2cba` consist of them (section 3).

const HEADER: usize = 12;
const MAGIC: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// Bytes of a frame without its content and its spare area.
const AROUND: usize = 34;
/// The size of a frame is a multiple of this; spare bytes fill the rest.
const ROUND: usize = 16;

/// The kind of a frame's content.
pub type Tag = [u8; 2];

pub const GAME: Tag = [1, 0];
pub const GAME_OF_CHESS960: Tag = [2, 0];
pub const ANNOTATIONS: Tag = [0, 0x20];

/// A file of frames.
pub struct Frames {
    version: u8,
    bytes: Vec<u8>,
}

impl Frames {
    pub fn new(version: u8) -> Frames {
        Frames {
            version,
            bytes: vec![0; HEADER],
        }
    }

    /// Appends a frame and returns its place.
    pub fn add(&mut self, tag: Tag, content: &[u8]) -> i64 {
        let used = content.len() + AROUND;
        self.add_with_spare(tag, content, used.next_multiple_of(ROUND) - used)
    }

    /// Appends a frame with `spare` spare bytes, and returns its place.
    pub fn add_with_spare(&mut self, tag: Tag, content: &[u8], spare: usize) -> i64 {
        let at = self.bytes.len();
        self.bytes.extend(MAGIC);
        for len in [content.len(), spare] {
            self.bytes.extend((len as i32).to_le_bytes());
        }
        self.bytes.extend(checksum(content).to_be_bytes());
        self.bytes.extend(tag);
        self.bytes.extend(content);
        self.bytes.resize(self.bytes.len() + spare, 0);
        self.bytes
            .extend(((content.len() + spare + AROUND) as i64).to_le_bytes());
        at as i64
    }

    /// The file.
    pub fn file(mut self) -> Vec<u8> {
        let len = self.bytes.len() as i64;
        self.bytes[..8].copy_from_slice(&len.to_le_bytes());
        self.bytes[8..10].copy_from_slice(&(HEADER as u16).to_le_bytes());
        self.bytes[11] = self.version;
        self.bytes
    }
}

/// The checksum of a content: each byte is the sum of an eighth of it.
pub fn checksum(content: &[u8]) -> u64 {
    let mut sums = [0u8; 8];
    match content.len() / 8 {
        0 => sums[..content.len()].copy_from_slice(content),
        eighth => {
            for (sum, part) in sums.iter_mut().zip(content.chunks_exact(eighth)) {
                *sum = part.iter().fold(0, |sum, byte| sum.wrapping_add(*byte));
            }
        }
    }
    u64::from_le_bytes(sums)
}
