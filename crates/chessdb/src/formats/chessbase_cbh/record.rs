//! Records of the `.cbg` (section 7): the coding of a game, its start position, its moves.
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

/// Size of the head: a byte of flags and the size of the record in 24 bits.
const HEAD: usize = 4;
/// Flag of a game that starts from a set-up position.
const HAS_START: u8 = 0x40;
/// The low bits of the flags are the mode of the moves.
const MODE: u8 = 0x3f;
/// The modes of games of Chess960.
const CHESS960_MODES: [u8; 2] = [10, 11];
/// Size of a start position.
pub(super) const START: usize = 28;
/// Size of the kings and rooks after it in Chess960.
pub(super) const ROOKS: usize = 8;

/// The record of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Place of the record in the file.
    pub(super) offset: usize,
    /// The number of the moves' coding.
    pub(super) mode: u8,
    /// The start position, unless it is the usual one.
    pub(super) start: Option<&'a [u8; START]>,
    /// The squares of kings and rooks at the start of a game of Chess960.
    pub(super) rooks: Option<&'a [u8; ROOKS]>,
    /// The bytes of the moves.
    pub(super) moves: &'a [u8],
    /// Place of the moves in the file.
    pub(super) moves_at: usize,
    /// True if the file ends before the record does.
    pub(super) is_cut: bool,
}

impl<'a> Record<'a> {
    /// The record at a place; `None` if the file ends before its moves, or its size is impossible.
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
            if record.is_chess960() {
                record.rooks = Some(record.take()?);
            }
        }
        Some(record)
    }

    /// True if the game is Chess960, even if it starts from the usual position.
    pub(super) fn is_chess960(&self) -> bool {
        CHESS960_MODES.contains(&self.mode)
    }

    /// Takes bytes from the front of the moves.
    fn take<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.moves.split_first_chunk()?;
        self.moves = rest;
        self.moves_at += N;
        Some(taken)
    }
}
