//! gzip (RFC 1952): consecutive members with deflate, and BGZF, whose members contain their lengths.
//!
//! | bytes | of a member |
//! |---|---|
//! | 10 | `1F 8B 08`, flags, time, system |
//! | 2, then as many | with flag 4: further fields; in BGZF the field `BC` has the number of bytes of the member less one |
//! | to a 0 | with flag 8: name; with flag 16: comment |
//! | 2 | with flag 2: checksum of the header |
//! | any | deflate |
//! | 4 | CRC-32 of the unpacked bytes |
//! | 4 | number of unpacked bytes, modulo 2^32 |

use std::sync::Arc;

use crc32fast::Hasher;

use super::budget::Reserved;
use super::inflate::{Inflate, Inflated};
use super::input::{Input, Reader};
use super::slices::Slices;
use super::stream::{Damage, PackedLayout, PackedPart, Stream, StreamStep};
use crate::bytes::{le_u16, le_u32};

/// The first bytes of a member.
pub(super) const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];

/// The parts of a file that are known without unpacking it.
pub(super) fn parts(input: &Input) -> PackedLayout {
    let (mut at, mut parts) = (0, Vec::new());
    while let Some(len) = block(input, at) {
        let Some(trailer) = input.array::<4>(at + len - 4) else {
            break;
        };
        match u64::from(u32::from_le_bytes(trailer)) {
            0 if is_empty(input, at, len) => {}
            // A block whose end was lost, as in a file that was not copied completely, has zeros there.
            0 => break,
            // The file is not BGZF.
            unpacked if unpacked > MOST_OF_BLOCK => return PackedLayout::Stream,
            unpacked => parts.push(PackedPart {
                bit: at * 8,
                len: Some(unpacked),
            }),
        }
        at += len;
    }
    match at {
        0 => PackedLayout::Stream,
        at if at < input.len() => {
            parts.push(PackedPart {
                bit: at * 8,
                len: None,
            });
            PackedLayout::Parts(parts, None)
        }
        _ => PackedLayout::Parts(parts, None),
    }
}

/// True for the member without contents with which BGZF ends: an empty block of deflate, and no bytes with their checksum.
fn is_empty(input: &Input, at: u64, len: u64) -> bool {
    const EMPTY: [u8; 10] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    len == 28 && input.array(at + 18) == Some(EMPTY)
}

/// Maximum number of unpacked bytes of a member of BGZF.
const MOST_OF_BLOCK: u64 = 64 << 10;

/// Length in bytes of a member of BGZF; `None` for any other or an incomplete member.
fn block(input: &Input, at: u64) -> Option<u64> {
    let header: [u8; 18] = input.array(at)?;
    let is_bgzf = header.starts_with(&MEMBER)
        && header.get(3) == Some(&4)
        && header.get(10..16) == Some(&[6, 0, b'B', b'C', 2, 0]);
    let len = u64::from(le_u16(&header, 16)?) + 1;
    (is_bgzf && len >= 26 && at + len <= input.len()).then_some(len)
}

/// Checksum and number of the unpacked bytes of a member.
#[derive(Default)]
struct Sum {
    hasher: Hasher,
    /// Modulo 2^32.
    len: u32,
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        // Fewer than 2^32 bytes are unpacked at a time.
        self.len = self
            .len
            .wrapping_add(u32::try_from(bytes.len()).unwrap_or_default());
    }

    /// The message if the stored checksum or length is known and differs.
    fn differs(self, sum: Option<u32>, len: Option<u32>) -> Option<&'static str> {
        if sum.is_some_and(|sum| sum != self.hasher.finalize()) {
            return Some("the checksum of this member differs");
        }
        let has_other_len = len.is_some_and(|len| len != self.len);
        has_other_len.then_some("this member has another length than its trailer says")
    }
}

/// Unpacks members from a place on, or a single deflate stream without a header.
pub(super) struct MemberStream {
    reader: Reader,
    inflate: Inflate,
    state: MemberState,
    /// The checksum of the member so far; `None` if reading did not begin at its start.
    sum: Option<Sum>,
    /// Offset of the member in the file.
    member: u64,
    /// For deflate alone: the checksum of the unpacked bytes, if it is known.
    bare: Option<Option<u32>>,
    memory: Reserved,
}

/// Maximum number of zeros after the last member.
const MOST_PADDING: usize = 1 << 20;

/// Memory in bytes that unpacking needs, with the buffer for packed bytes.
const MEMORY: usize = 256 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Header,
    Contents,
    End,
}

impl MemberStream {
    /// Begins at the start of a member.
    pub(super) fn new(input: Input, at: u64, memory: &Arc<Slices>) -> MemberStream {
        let member = input.in_file(at);
        MemberStream {
            reader: Reader::new(input, at),
            inflate: Inflate::new(),
            state: MemberState::Header,
            sum: None,
            member,
            bare: None,
            memory: memory.reserve(MEMORY),
        }
    }

    /// Reads deflate without headers. `sum` is the checksum of the unpacked bytes.
    pub(super) fn bare(input: Input, sum: Option<u32>, memory: &Arc<Slices>) -> MemberStream {
        MemberStream {
            state: MemberState::Contents,
            sum: Some(Sum::default()),
            bare: Some(sum),
            ..MemberStream::new(input, 0, memory)
        }
    }

    /// Resumes within a member.
    pub(super) fn resume(
        input: Input,
        bit: u64,
        window: &[u8],
        is_bare: bool,
        memory: &Arc<Slices>,
    ) -> MemberStream {
        let (inflate, reader) = Inflate::resume(input.clone(), bit, window);
        MemberStream {
            reader,
            inflate,
            state: MemberState::Contents,
            bare: is_bare.then_some(None),
            ..MemberStream::new(input, bit / 8, memory)
        }
    }

    fn damage(&self, what: &str) -> Damage {
        Damage::new(self.reader.in_file(), what)
    }

    /// Reads the header of the next member.
    fn begin(&mut self) -> Result<StreamStep, Damage> {
        self.member = self.reader.in_file();
        let at = self.reader.position();
        if self.reader.bytes().first().is_none_or(|&byte| byte == 0) {
            return self.pass_padding();
        }
        if self.reader.peek::<3>() != Some(MEMBER) {
            return Err(self.damage("there is no member of gzip here"));
        }
        if self.header().is_none() {
            return Err(Damage::new(
                self.member,
                "the file ends inside the header of a member",
            ));
        }
        self.inflate.restart();
        self.sum = Some(Sum::default());
        self.state = MemberState::Contents;
        Ok(StreamStep::Point(at * 8))
    }

    /// Passes zeros after the last member, which are padding, as on tapes. More zeros, or zeros before other bytes, are in
    /// the place of lost members.
    fn pass_padding(&mut self) -> Result<StreamStep, Damage> {
        let mut passed = 0;
        loop {
            let zeros = self.reader.bytes();
            let len = zeros.len();
            if len == 0 {
                self.state = MemberState::End;
                return Ok(StreamStep::End);
            }
            passed += len;
            if passed > MOST_PADDING || zeros.iter().any(|&byte| byte != 0) {
                return Err(Damage::new(
                    self.member,
                    "there is no member of gzip here, but zeros",
                ));
            }
            self.reader.consume(len);
        }
    }

    fn header(&mut self) -> Option<()> {
        let header: [u8; 10] = self.reader.take()?;
        let flags = header.get(3)?;
        if flags & 4 != 0 {
            let len = self.reader.take::<2>().map(u16::from_le_bytes)?;
            self.reader.skip(len.into());
        }
        for text in [8, 16] {
            if flags & text != 0 {
                self.pass_text()?;
            }
        }
        if flags & 2 != 0 {
            self.reader.take::<2>()?;
        }
        Some(())
    }

    /// Skips a text that ends with a 0.
    fn pass_text(&mut self) -> Option<()> {
        loop {
            let bytes = self.reader.bytes();
            match bytes.iter().position(|&byte| byte == 0) {
                Some(end) => {
                    self.reader.consume(end + 1);
                    return Some(());
                }
                None if bytes.is_empty() => return None,
                None => {
                    let len = bytes.len();
                    self.reader.consume(len);
                }
            }
        }
    }

    /// Compares the checksum after the contents with the checksum of the bytes that were read.
    fn end(&mut self) -> Result<StreamStep, Damage> {
        self.state = MemberState::Header;
        let (sum, len) = match self.bare {
            Some(sum) => {
                self.state = MemberState::End;
                (sum, None)
            }
            None => {
                let trailer = self.reader.take::<8>();
                let cut = || self.damage("the file ends inside the trailer of a member");
                let trailer = trailer.ok_or_else(cut)?;
                (le_u32(&trailer, 0), le_u32(&trailer, 4))
            }
        };
        let differs = self.sum.take().and_then(|read| read.differs(sum, len));
        match differs {
            Some(what) => Ok(StreamStep::Doubt(Damage::new(self.member, what))),
            None if self.state == MemberState::End => Ok(StreamStep::End),
            None => self.begin(),
        }
    }
}

impl Stream for MemberStream {
    fn step(&mut self, buffer: &mut [u8]) -> Result<StreamStep, Damage> {
        self.memory.moves();
        match self.state {
            MemberState::Header => return self.begin(),
            MemberState::End => return Ok(StreamStep::End),
            MemberState::Contents => {}
        }
        match self.inflate.step(&mut self.reader, buffer) {
            Inflated::Bytes(len) => {
                if let (Some(sum), Some(bytes)) = (&mut self.sum, buffer.get(..len)) {
                    sum.add(bytes);
                }
                Ok(StreamStep::Bytes(len))
            }
            Inflated::Block(bit) => Ok(StreamStep::Inside(bit)),
            Inflated::End => self.end(),
            Inflated::Cut => Err(self.damage("the file ends inside packed data")),
            Inflated::Broken => Err(self.damage("what is packed here is damaged")),
        }
    }

    fn window(&self) -> Vec<u8> {
        self.inflate.window()
    }
}
