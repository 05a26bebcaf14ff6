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

#[cfg(feature = "zstd")]
mod frames;

use super::input::Input;
use super::stream::{PackedLayout, PackedPart};
use crate::bytes::{le_u32, le_u64};
#[cfg(feature = "zstd")]
pub(super) use frames::Frames;

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
    // If this is false, the table belongs to another file, or data was appended to this one.
    (at == table).then_some(parts)
}

/// The frames from the start of the file, as long as each ends where the next begins.
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
        // If this is not a frame, or a skippable frame that is cut, reading will report the damage.
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

/// True at the end of the input, and at the start of a frame.
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

/// The offset where a frame ends; `None` if the input ends first.
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
