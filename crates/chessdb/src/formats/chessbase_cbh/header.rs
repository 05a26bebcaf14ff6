//! Records of the `.cbh` (section 3): one for each game and each guiding text.
//!
//! Header of the `.cbh`:
//!
//! ```text
//! offset  size
//! 0       1     0
//! 1       2     002c; 0024 in ChessBase 6 to 8
//! 3       2     46, the size of a record
//! 6       4     number of records + 1 (not used: the file's length decides)
//! ```
//!
//! A game:
//!
//! ```text
//! offset          size
//! 1               4     place in the .cbg
//! 5               4     place in the .cba, 0 for none
//! 9, 12           3, 3  White, Black: numbers in the .cbp
//! 15, 18, 21      3     tournament, annotator, source
//! 24              3     date
//! 27              1     result
//! 28              1     glyph of a line if the result is 3
//! 29, 30          1, 1  round, subround, 0 for none
//! 31, 33          2, 2  Elo of White, Black, 0 for none
//! 35, 37          2, 2  opening, medals
//! 39              6     search flags
//! 45              1     full moves of the main line, at most 255; a first move by Black counts as one
//! ```
//!
//! A guiding text has the tournament at 7, the source at 10, the annotator at 13.
//!
//! A date has its day in bits 0-4, month in 5-8, year in 9-20; 0 is unknown. Results: 0 is 0-1, 1 a draw, 2 is 1-0; 4,
//! 5, 6 the same by forfeit; 3 a line and 7 both lost, `*`. An opening below 128 is unknown; otherwise `opening / 128 -
//! 1` is 0 for A00 to 499 for E99, and `opening % 128` the sub-code. From 64576 on it is a Chess960 start.

use crate::bytes::{be_u16, be_u32};
use crate::formats::chessbase_common::Kind;
use crate::formats::chessbase_common::values::{self, date};
use crate::game::{Date, Eco, Outcome};

/// Size of a record, and of the header of the file.
pub(super) const RECORD: usize = 46;

/// Offsets of the fields of a game's record, as in the table above.
pub(super) mod field {
    pub(in super::super) const MOVES: usize = 1;
    pub(in super::super) const ANNOTATIONS: usize = 5;
    pub(in super::super) const WHITE: usize = 9;
    pub(in super::super) const BLACK: usize = 12;
    pub(in super::super) const TOURNAMENT: usize = 15;
    pub(in super::super) const ANNOTATOR: usize = 18;
    pub(in super::super) const SOURCE: usize = 21;
    pub(in super::super) const DATE: usize = 24;
    pub(in super::super) const RESULT: usize = 27;
    pub(in super::super) const GLYPH: usize = 28;
    pub(in super::super) const ROUND: usize = 29;
    pub(in super::super) const SUBROUND: usize = 30;
    pub(in super::super) const WHITE_ELO: usize = 31;
    pub(in super::super) const BLACK_ELO: usize = 33;
    pub(in super::super) const OPENING: usize = 35;
    pub(in super::super) const MEDALS: usize = 37;
    pub(in super::super) const FULL_MOVES: usize = 45;
}

/// The header of the file.
pub(super) struct FileHeader<'a>(pub(super) &'a [u8]);

impl FileHeader<'_> {
    /// The version in files of ChessBase 6 to 8.
    pub(super) const OLD: u16 = 0x24;
    /// The version in files of ChessBase 9 and later.
    pub(super) const NEW: u16 = 0x2c;

    pub(super) fn version(&self) -> Option<u16> {
        be_u16(self.0, 1)
    }

    /// Size of a record.
    pub(super) fn record_size(&self) -> Option<u16> {
        be_u16(self.0, 3)
    }

    /// Number of records + 1, which is the number of the next record.
    pub(super) fn next_number(&self) -> Option<u32> {
        be_u32(self.0, 6)
    }
}

/// The result of a line.
const LINE: u8 = 3;

/// Bits of a record's first byte.
const USED: u8 = 1;
const TEXT: u8 = 2;
const DELETED: u8 = 0x80;

/// A copy of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header([u8; RECORD]);

impl Header {
    /// The record with number `place` in the file, from 0.
    pub(super) fn at(cbh: &[u8], place: usize) -> Option<Header> {
        let offset = place.checked_add(1)?.checked_mul(RECORD)?;
        cbh.get(offset..)?.first_chunk().map(|bytes| Header(*bytes))
    }

    fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn u16(&self, at: usize) -> u16 {
        be_u16(&self.0, at).unwrap_or(0)
    }

    fn u24(&self, at: usize) -> u32 {
        (u32::from(self.byte(at)) << 16) | u32::from(self.u16(at + 1))
    }

    fn u32(&self, at: usize) -> u32 {
        be_u32(&self.0, at).unwrap_or(0)
    }

    /// The kind of the record with number `place` in the file. Called for all records, so it reads as few bytes as
    /// possible.
    #[inline]
    pub(super) fn kind_at(cbh: &[u8], place: usize) -> Option<Kind> {
        let first = place.checked_add(1)?.checked_mul(RECORD)?;
        Some(match *cbh.get(first)? {
            kind if kind & TEXT != 0 => Kind::Text,
            kind if kind & USED != 0 => Kind::Game,
            _ => {
                if Header::at(cbh, place)?.0.iter().all(|&byte| byte == 0) {
                    Kind::Unused
                } else {
                    Kind::Game
                }
            }
        })
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.byte(0) & DELETED != 0
    }

    /// Place in the `.cbg`.
    pub(super) fn moves_at(&self) -> u32 {
        self.u32(field::MOVES)
    }

    /// Place in the `.cba`; 0 without annotations.
    pub(super) fn annotations_at(&self) -> u32 {
        self.u32(field::ANNOTATIONS)
    }

    pub(super) fn white_id(&self) -> u32 {
        self.u24(field::WHITE)
    }

    pub(super) fn black_id(&self) -> u32 {
        self.u24(field::BLACK)
    }

    pub(super) fn tournament(&self) -> u32 {
        self.u24(field::TOURNAMENT)
    }

    pub(super) fn annotator(&self) -> u32 {
        self.u24(field::ANNOTATOR)
    }

    pub(super) fn source(&self) -> u32 {
        self.u24(field::SOURCE)
    }

    pub(super) fn date(&self) -> Date {
        date(self.u24(field::DATE))
    }

    pub(super) fn outcome(&self) -> Outcome {
        values::outcome(self.byte(field::RESULT))
    }

    /// The glyph of a line without a result; 0 for none.
    pub(super) fn glyph_of_line(&self) -> u8 {
        match self.byte(field::RESULT) {
            LINE => self.byte(field::GLYPH),
            _ => 0,
        }
    }

    /// True if the value is a result.
    pub(super) fn has_possible_outcome(&self) -> bool {
        self.byte(field::RESULT) <= 7
    }

    /// False if the month is above 12.
    pub(super) fn has_possible_date(&self) -> bool {
        (self.u24(field::DATE) >> 5) & 15 <= 12
    }

    /// False for a number between the last opening and the first position of Chess960.
    pub(super) fn has_possible_opening(&self) -> bool {
        values::is_possible_opening(self.u16(field::OPENING))
    }

    /// Round and subround; 0 if they are not set.
    pub(super) fn round(&self) -> (u8, u8) {
        (self.byte(field::ROUND), self.byte(field::SUBROUND))
    }

    /// Ratings of White and Black; 0 if they are not known.
    pub(super) fn elo(&self) -> [u16; 2] {
        [self.u16(field::WHITE_ELO), self.u16(field::BLACK_ELO)]
    }

    /// The opening code and its sub-code; `None` if it is unknown.
    pub(super) fn eco(&self) -> Option<(Eco, u16)> {
        values::opening(self.u16(field::OPENING))
    }

    pub(super) fn medals(&self) -> u16 {
        self.u16(field::MEDALS)
    }

    /// Number of full moves in the main line; 255 means 255 or more.
    pub(super) fn full_moves(&self) -> u8 {
        self.byte(field::FULL_MOVES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of the opening codes for games of Chess960.
    const CHESS960: u16 = 0xfc40;

    fn with(place: usize, bytes: &[u8]) -> Header {
        let mut record = [0; RECORD];
        record[0] = 1;
        record[place..place + bytes.len()].copy_from_slice(bytes);
        Header(record)
    }

    #[test]
    fn dates_are_packed_in_bits() {
        let stored: u32 = (1992 << 9) | (11 << 5) | 28;
        assert_eq!(date(stored), Date::new(1992, 11, 28));
        assert_eq!(
            with(field::DATE, &stored.to_be_bytes()[1..]).date(),
            Date::new(1992, 11, 28)
        );
        assert_eq!(date(0), Date::default());
    }

    #[test]
    fn opening_codes_have_a_sub_code() {
        let eco = |stored: u16| {
            let eco = with(field::OPENING, &stored.to_be_bytes()).eco();
            eco.map(|(eco, sub)| (eco.to_string(), sub))
        };
        assert_eq!(eco(128), Some(("A00".to_owned(), 0)));
        assert_eq!(eco(128 * 198 + 5), Some(("B97".to_owned(), 5)));
        assert_eq!(eco(128 * 500), Some(("E99".to_owned(), 0)));
        assert_eq!(eco(127), None);
        assert_eq!(eco(128 * 501), None);
        assert_eq!(eco(CHESS960), None);
    }

    #[test]
    fn some_values_are_impossible() {
        let is_opening = |stored: u16| with(field::OPENING, &stored.to_be_bytes()).has_possible_opening();
        assert_eq!(
            [0, 128 * 501 - 1, 128 * 501, CHESS960 - 1, CHESS960].map(is_opening),
            [true, true, false, false, true]
        );
        assert_eq!(
            [7, 8].map(|byte| with(field::RESULT, &[byte]).has_possible_outcome()),
            [true, false]
        );
        let has_month = |month: u8| with(25, &[month >> 3, month << 5]).has_possible_date();
        assert_eq!(
            [0, 7, 12, 13, 15].map(has_month),
            [true, true, true, false, false]
        );
    }

    #[test]
    fn only_zeros_are_unused() {
        let kind = |record: Header| Header::kind_at(&[[0; RECORD], record.0].concat(), 0);
        assert_eq!(kind(Header([0; RECORD])), Some(Kind::Unused));
        assert_eq!(kind(with(0, &[1])), Some(Kind::Game));
        assert_eq!(kind(with(0, &[0, 0, 7])), Some(Kind::Game));
        assert_eq!(kind(with(0, &[3])), Some(Kind::Text));
        assert!(with(0, &[0x81]).is_deleted());
    }
}
