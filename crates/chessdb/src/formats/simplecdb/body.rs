//! Items of a body (section 6.1); the parse is purely positional.
//!
//! | first byte | item | size |
//! |---|---|---|
//! | 00-7F | move | 2 |
//! | 80, 84 | begin of a variation | 1 |
//! | 85 | end of a variation | 1 |
//! | 86 | text: length, UTF-8 | 1 + length |
//! | 87 | NAGs: length, one byte each | 1 + length |
//! | 88 | null move | 1 |

use super::length;
use crate::board::{CastlingSide, Square};
use crate::bytes::slice;

/// One item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    Move(StoredMove),
    Start,
    End,
    Text(&'a [u8]),
    Nags(&'a [u8]),
    NullMove,
}

/// A stored move: bits 14-12 promotion code, 11-6 from, 5-0 to; a1 = 0, b1 = 1, h8 = 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredMove(u16);

impl StoredMove {
    #[inline]
    pub(super) fn from(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    #[inline]
    pub(super) fn to(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// The side that a king castles to if this is a king's move: two files from the home square, without a promotion.
    #[inline]
    pub(super) fn castling_step(self) -> Option<CastlingSide> {
        const E1_C1: u16 = 4 << 6 | 2;
        const E8_C8: u16 = 60 << 6 | 58;
        // The squares of the c-file and the g-file differ only in this bit.
        const TO_G: u16 = 4;
        let to_c = self.0 & !TO_G;
        // No short circuit: a branch misprediction costs more than the second test.
        let castles = (to_c == E1_C1) | (to_c == E8_C8);
        castles.then_some(if self.0 & TO_G == 0 {
            CastlingSide::QueenSide
        } else {
            CastlingSide::KingSide
        })
    }

    /// The promotion code from 0 to 7; 0 means none.
    #[inline]
    pub(super) fn promotion_code(self) -> usize {
        usize::from(self.0 >> 12 & 7)
    }
}

/// An item that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadItem {
    /// Where it begins.
    pub(super) at: usize,
    pub(super) reason: &'static str,
}

/// Reads items one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'a> {
    bytes: &'a [u8],
    /// Where the next item begins.
    pub(super) at: usize,
}

impl<'a> Items<'a> {
    /// Items of `bytes` from `at`.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Items<'a> {
        Items { bytes, at }
    }

    /// The next item, if it is a move. Nearly all items are moves.
    #[inline(always)]
    pub(super) fn next_move(&mut self) -> Option<StoredMove> {
        let pair = *self.bytes.get(self.at..)?.first_chunk()?;
        let stored = u16::from_be_bytes(pair);
        (stored < 0x8000).then(|| {
            self.at += 2;
            StoredMove(stored)
        })
    }

    /// The next item; `None` at the end. An error does not change the place.
    pub(super) fn next(&mut self) -> Result<Option<Item<'a>>, BadItem> {
        let Some(&first) = self.bytes.get(self.at) else {
            return Ok(None);
        };
        let bad = |reason| BadItem { at: self.at, reason };
        let (item, size) = match first {
            0x00..=0x7f => {
                let Some(&second) = self.bytes.get(self.at + 1) else {
                    return Err(bad("one byte of a move is left"));
                };
                (Item::Move(StoredMove(u16::from_be_bytes([first, second]))), 2)
            }
            0x80 | 0x84 => (Item::Start, 1),
            0x85 => (Item::End, 1),
            0x86 => {
                let (text, size) = self.block().ok_or(bad("the text leads out of the game"))?;
                (Item::Text(text), size)
            }
            0x87 => {
                let (nags, size) = self.block().ok_or(bad("the NAGs lead out of the game"))?;
                (Item::Nags(nags), size)
            }
            0x88 => (Item::NullMove, 1),
            _ => return Err(bad("unknown item")),
        };
        self.at += size;
        Ok(Some(item))
    }

    /// The bytes counted by the length after the item's first byte, and the size of the item.
    fn block(&self) -> Option<(&'a [u8], usize)> {
        let rest = self.bytes.get(self.at + 1..)?;
        let length = length::read(rest)?;
        let block = slice(rest, length.size, length.value as usize)?;
        Some((block, 1 + length.size + block.len()))
    }
}
