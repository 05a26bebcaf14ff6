//! Frames of the `.2cbg` and the `.2cba` (section 3).
//!
//! | offset | type | frame |
//! |---|---|---|
//! | 0 | 8 | `88 77 66 55 44 33 22 11` |
//! | 8 | i32 | bytes of content |
//! | 12 | i32 | spare bytes after the content, without meaning |
//! | 16 | u64 | checksum of the content, big endian |
//! | 24 | 2 | kind of content |
//! | 26 | | content, then spare bytes |
//! | | i64 | length of the whole frame |
//!
//! The length at the end is the number of content and spare bytes, plus 34. Byte i of the checksum, from the least
//! significant, is the sum of the bytes of the i-th eighth of the content, modulo 256. The remainder of the division
//! by eight does not count; content below eight bytes is its own checksum.

use crate::bytes::{be_u64, index, le_u16, le_u32, le_u64, slice};

const MAGIC: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// Size of everything in front of the content.
const HEAD: usize = 26;
/// Size of a frame without its content and spare bytes: 26 bytes in front, 8 at the end.
const FRAME: u64 = 34;
/// Maximum size of the content. A larger size can only be damage.
const MOST: usize = 64 << 20;

/// The kinds of content.
pub(super) const GAME: u16 = 0x0001;
pub(super) const CHESS960: u16 = 0x0002;
pub(super) const WITHOUT_KING: u16 = 0x000a;
pub(super) const TEXT: u16 = 0x1000;
pub(super) const ANNOTATIONS: u16 = 0x2000;

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// Its place in the file.
    pub(super) at: u64,
    pub(super) tag: u16,
    pub(super) content: &'a [u8],
    /// True if the file ends inside the content.
    pub(super) is_cut: bool,
    /// True if the length at the end is right.
    pub(super) has_end: bool,
}

impl<'a> Frame<'a> {
    /// The frame at a place.
    ///
    /// # Errors
    /// If no frame can be read there, with the reason.
    pub(super) fn at(file: &'a [u8], at: i64) -> Result<Frame<'a>, &'static str> {
        let outside = "its place is outside of the file";
        let at = u64::try_from(at).map_err(|_| outside)?;
        let frame = file
            .get(index(at)..)
            .filter(|frame| !frame.is_empty())
            .ok_or(outside)?;
        if !frame.starts_with(&MAGIC) {
            return Err("no frame begins at its place");
        }
        let head = slice(frame, 0, HEAD).ok_or("the file ends inside of the head of its frame")?;
        let size = |at| le_u32(head, at).and_then(|size| i32::try_from(size).ok());
        let sizes = [size(8), size(12)].map(|size| size.and_then(|size| usize::try_from(size).ok()));
        let [Some(len @ ..=MOST), Some(spare)] = sizes else {
            return Err("the sizes of its frame are impossible");
        };
        let there = frame.get(HEAD..).unwrap_or_default();
        let whole = (len as u64).saturating_add(spare as u64);
        let end = le_u64(frame, index(whole).saturating_add(HEAD));
        Ok(Frame {
            at,
            tag: le_u16(head, 24).unwrap_or(0),
            content: there.get(..len).unwrap_or(there),
            is_cut: len > there.len(),
            has_end: end == Some(whole + FRAME),
        })
    }

    /// Place of the content in the file.
    pub(super) fn content_at(&self) -> u64 {
        self.at + HEAD as u64
    }

    /// True if the content matches its checksum.
    pub(super) fn is_sound(&self, file: &[u8]) -> bool {
        be_u64(file, index(self.at).saturating_add(16)) == Some(checksum(self.content))
    }
}

/// Byte i of the checksum is the sum of the bytes of the i-th eighth. The bytes that remain after the division do not
/// count.
pub(super) fn checksum(content: &[u8]) -> u64 {
    let len = content.len() / 8;
    let mut sums = [0; 8];
    match len {
        0 => sums.iter_mut().zip(content).for_each(|(sum, byte)| *sum = *byte),
        _ => {
            for (sum, part) in sums.iter_mut().zip(content.chunks_exact(len)) {
                *sum = part.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
            }
        }
    }
    u64::from_le_bytes(sums)
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
mod tests {
    use super::*;

    fn frame(content: &[u8], spare: usize) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend((spare as u32).to_le_bytes());
        bytes.extend(checksum(content).to_be_bytes());
        bytes.extend([0x01, 0x00]);
        bytes.extend(content);
        bytes.extend(vec![0x55; spare]);
        bytes.extend((content.len() as u64 + spare as u64 + FRAME).to_le_bytes());
        bytes
    }

    #[test]
    fn the_checksum_is_that_of_the_page() {
        assert_eq!(checksum(&[0xff, 0xff, 0xff, 0x7f]), 0x7fff_ffff);
        let words: [u16; 20] = [
            0xfffc, 0xace1, 0x8929, 0xfffd, 0xac83, 0xb02e, 0xfffd, 0x2ca1, 0xffff, 0xb0ea, 0x2ca1, 0xffff,
            0xafcf, 0xfffd, 0xac83, 0xb02e, 0xffff, 0xb08b, 0xadfc, 0xffff,
        ];
        let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(checksum(&content), 0x5767_da9a_c47b_b4b1);
        // The last bytes do not count.
        assert_eq!(checksum(&[content.as_slice(), &[9]].concat()), checksum(&content));
        assert_eq!(checksum(&[]), 0);
    }

    #[test]
    fn frames_are_read_with_any_spare_bytes() {
        for spare in [0, 1, 300] {
            let file = [vec![0; 12], frame(b"content", spare)].concat();
            let found = Frame::at(&file, 12).unwrap();
            assert_eq!(
                (found.content, found.tag, found.content_at()),
                (&b"content"[..], GAME, 38)
            );
            assert!(found.has_end && !found.is_cut && found.is_sound(&file));
        }
    }

    #[test]
    fn what_cannot_be_a_frame_is_none() {
        let file = frame(b"content", 4);
        let with = |at: usize, byte| {
            let mut file = file.clone();
            file[at] = byte;
            file
        };
        for at in [-1, i64::MIN, i64::MAX, file.len() as i64] {
            assert_eq!(Frame::at(&file, at), Err("its place is outside of the file"));
        }
        assert_eq!(Frame::at(&file, 1), Err("no frame begins at its place"));
        for at in [11, 15] {
            assert_eq!(
                Frame::at(&with(at, 0x80), 0),
                Err("the sizes of its frame are impossible")
            );
        }
        assert_eq!(
            Frame::at(&with(11, 0x04), 0),
            Err("the sizes of its frame are impossible")
        );
        assert!(Frame::at(&file[..25], 0).is_err());
    }

    #[test]
    fn damage_of_a_frame_is_seen() {
        let file = frame(b"some content", 4);
        let cut = &file[..30];
        let found = Frame::at(cut, 0).unwrap();
        assert_eq!(
            (found.content, found.is_cut, found.has_end),
            (&b"some"[..], true, false)
        );
        let mut torn = file.clone();
        torn[30] ^= 1;
        assert!(!Frame::at(&torn, 0).unwrap().is_sound(&torn));
        let mut longer = file.clone();
        *longer.last_mut().unwrap() = 1;
        let found = Frame::at(&longer, 0).unwrap();
        assert!(found.is_sound(&longer) && !found.has_end);
        // If only spare bytes are beyond the end of the file, the content is complete.
        let found = Frame::at(&file[..38], 0).unwrap();
        assert!(!found.is_cut && !found.has_end);
    }

    #[test]
    fn a_frame_has_at_most_64_mebibytes() {
        for (len, is_read) in [(MOST - 1, true), (MOST, true), (MOST + 1, false)] {
            let mut file = frame(b"x", 0);
            file[8..12].copy_from_slice(&(len as u32).to_le_bytes());
            assert_eq!(
                Frame::at(&file, 0).is_ok_and(|frame| frame.is_cut),
                is_read,
                "{len}"
            );
        }
    }
}
