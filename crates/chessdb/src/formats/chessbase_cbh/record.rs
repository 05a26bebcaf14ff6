//! Records of the `.cbg` (section 7): how a game is coded, where it starts, its moves.
//!
//! ```text
//! 1   bit 6: not the usual start position; bits 0-5: mode of the moves
//! 3   size, these 4 bytes included
//! 28  start position, if bit 6 is set
//! 8   kings and rooks, after a start position in modes 10 and 11
//!     moves
//! ```
//!
//! Kings and rooks are the squares of the white king, black king, White's rooks short and long, Black's rooks short
//! and long, then two bytes with the number of the start position.

use crate::bytes::{be_u32, slice};

/// The record begins with a byte of flags and 24 bits of its size.
const HEAD: usize = 4;
/// The game does not begin in the usual position.
const HAS_START: u8 = 0x40;
/// The low bits of the flags are the mode of the moves.
const MODE: u8 = 0x3f;
/// Bytes of a start position.
pub(super) const START: usize = 28;
/// Bytes after it in Chess960.
pub(super) const ROOKS: usize = 8;

/// The record of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Its place in the file.
    pub(super) offset: usize,
    /// How the moves are coded.
    pub(super) mode: u8,
    /// The start position, where it is not the usual one.
    pub(super) start: Option<&'a [u8; START]>,
    /// Where kings and rooks stand at the start of a game of Chess960.
    pub(super) rooks: Option<&'a [u8; ROOKS]>,
    /// The bytes of the moves.
    pub(super) moves: &'a [u8],
    /// Their place in the file.
    pub(super) moves_at: usize,
    /// The file ends before the record does.
    pub(super) is_cut: bool,
}

impl<'a> Record<'a> {
    /// The record at a place; none where the file ends before its moves or its size is impossible.
    pub(super) fn at(cbg: &'a [u8], offset: usize) -> Option<Record<'a>> {
        let head = be_u32(cbg, offset)?;
        let [flags, ..] = head.to_be_bytes();
        let size = usize::try_from(head & 0xff_ffff).ok()?;
        let rest = cbg.get(offset..)?;
        let bytes = slice(rest, 0, size).unwrap_or(rest).get(HEAD..)?;
        let mode = flags & MODE;
        let mut record = Record {
            offset,
            mode,
            start: None,
            rooks: None,
            moves: bytes,
            moves_at: offset.checked_add(HEAD)?,
            is_cut: size > rest.len(),
        };
        if flags & HAS_START != 0 {
            record.start = Some(record.take()?);
            if matches!(mode, 10 | 11) {
                record.rooks = Some(record.take()?);
            }
        }
        Some(record)
    }

    /// Takes bytes from the front of the moves.
    fn take<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.moves.split_first_chunk()?;
        self.moves = rest;
        self.moves_at += N;
        Some(taken)
    }
}
