//! Records of the `.2cbh` (section 2): one for each game, analysis and guiding text.
//!
//! A game (¹ is known only from public descriptions):
//!
//! ```text
//! offset            type
//! 0x08, 0x10        i64   place in the .2cbg, .2cba
//! 0x18, 0x20        i64   White, Black: numbers of players
//! 0x28, 0x30, 0x38  i64   tournament, annotator (a player), source
//! 0x40, 0x48, 0x50  i64   teams of White and Black, title; -1 for none
//! 0x58              u8    result, as in a .cbh
//! 0x5a, 0x5c, 0x5e  i16   round, subround, board¹; 0 for none
//! 0x60, 0x70        i16   Elo of White, Black; the rating's kind in the next 14 bytes is not shown
//! 0x80, 0x82        u16   opening, as in a .cbh; medals
//! 0x8a              i16   full moves of the main line; a first move by Black counts as one
//! 0xbc              i32   date, as in a .cbh
//! ```
//!
//! A guiding text has its place in the `.2cbg` at 0x08 and its title at 0x28; an analysis¹ places at 0x08 and 0x10,
//! title at 0x18, source at 0x20, author at 0x28.

use crate::bytes::{le_u16, le_u32, le_u64};
use crate::formats::chessbase_common::Kind;
use crate::formats::chessbase_common::values::{self, date};
use crate::game::{Date, Eco, Outcome};

/// Bytes of a record, and of the header of the file.
pub(super) const RECORD: usize = 192;

/// Bits of the first byte.
const TEXT: u8 = 2;
const DELETED: u8 = 0x80;

/// Value of the third byte.
const ANALYSIS: u8 = 2;

/// A record of a game or an analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a>(&'a [u8; RECORD]);

/// Offsets of the references in a record, with the kinds of their targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct References {
    pub(super) white: Option<usize>,
    pub(super) black: Option<usize>,
    pub(super) tournament: Option<usize>,
    pub(super) annotator: usize,
    pub(super) source: usize,
    pub(super) teams: Option<[usize; 2]>,
    pub(super) title: usize,
}

const OF_GAME: References = References {
    white: Some(0x18),
    black: Some(0x20),
    tournament: Some(0x28),
    annotator: 0x30,
    source: 0x38,
    teams: Some([0x40, 0x48]),
    title: 0x50,
};

const OF_ANALYSIS: References = References {
    white: None,
    black: None,
    tournament: None,
    annotator: 0x28,
    source: 0x20,
    teams: None,
    title: 0x18,
};

impl<'a> Header<'a> {
    /// The record with number `place` in the file, from 0.
    pub(super) fn at(cbh: &'a [u8], place: usize) -> Option<Header<'a>> {
        let offset = place.checked_add(1)?.checked_mul(RECORD)?;
        cbh.get(offset..)?.first_chunk().map(Header)
    }

    fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn u16(&self, at: usize) -> u16 {
        le_u16(self.0, at).unwrap_or(0)
    }

    /// A number or a place, which may be negative.
    pub(super) fn i64(&self, at: usize) -> i64 {
        le_u64(self.0, at).map_or(-1, u64::cast_signed)
    }

    /// The kind of the record with number `place` in the file. Called for all records, so it reads as few bytes as
    /// possible.
    #[inline]
    pub(super) fn kind_at(cbh: &[u8], place: usize) -> Option<Kind> {
        let first = place.checked_add(1)?.checked_mul(RECORD)?;
        let [kind, _, what] = *cbh.get(first..)?.first_chunk()?;
        Some(match (kind, what) {
            (0, 0) if Header::at(cbh, place)?.0.iter().all(|&byte| byte == 0) => Kind::Unused,
            (_, ANALYSIS) => Kind::Game,
            (kind, _) if kind & TEXT != 0 => Kind::Text,
            _ => Kind::Game,
        })
    }

    pub(super) fn is_analysis(&self) -> bool {
        self.byte(2) == ANALYSIS
    }

    /// True if the value means a game or an analysis.
    pub(super) fn has_possible_kind(&self) -> bool {
        matches!(self.byte(2), 1 | ANALYSIS)
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.byte(0) & DELETED != 0
    }

    /// Place in the `.2cbg`.
    pub(super) fn moves_at(&self) -> i64 {
        self.i64(0x08)
    }

    /// Place in the `.2cba`.
    pub(super) fn annotations_at(&self) -> i64 {
        self.i64(0x10)
    }

    /// The offsets of its numbers of names.
    pub(super) fn references(&self) -> &'static References {
        if self.is_analysis() {
            &OF_ANALYSIS
        } else {
            &OF_GAME
        }
    }

    /// The number of a name; `None` if this kind of record has no such name.
    pub(super) fn reference(&self, at: Option<usize>) -> Option<i64> {
        at.map(|at| self.i64(at))
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.is_analysis() {
            Outcome::Unknown
        } else {
            values::outcome(self.byte(0x58))
        }
    }

    /// True if the value is a result.
    pub(super) fn has_possible_outcome(&self) -> bool {
        self.is_analysis() || self.byte(0x58) <= 7
    }

    /// A number of the game, or 0 if it is missing or negative.
    fn number(&self, at: usize) -> u16 {
        if self.is_analysis() {
            0
        } else {
            u16::try_from(self.u16(at).cast_signed()).unwrap_or(0)
        }
    }

    /// Round, subround and board, each 0 if unknown.
    pub(super) fn round(&self) -> [u16; 3] {
        [0x5a, 0x5c, 0x5e].map(|at| self.number(at))
    }

    /// Ratings of White and Black, each 0 if unknown.
    pub(super) fn elo(&self) -> [u16; 2] {
        [0x60, 0x70].map(|at| self.number(at))
    }

    fn opening(&self) -> u16 {
        if self.is_analysis() { 0 } else { self.u16(0x80) }
    }

    /// The opening code and its sub-code, which is 0 if it is not set.
    pub(super) fn eco(&self) -> Option<(Eco, u16)> {
        values::opening(self.opening())
    }

    /// False for a number between the last opening and the first position of Chess960.
    pub(super) fn has_possible_opening(&self) -> bool {
        values::is_possible_opening(self.opening())
    }

    pub(super) fn medals(&self) -> u16 {
        if self.is_analysis() { 0 } else { self.u16(0x82) }
    }

    /// Full moves of the main line; `None` in a record that does not count them.
    pub(super) fn full_moves(&self) -> Option<u32> {
        (!self.is_analysis()).then(|| self.u16(0x8a).into())
    }

    fn stored_date(&self) -> u32 {
        if self.is_analysis() {
            0
        } else {
            le_u32(self.0, 0xbc).unwrap_or(0)
        }
    }

    pub(super) fn date(&self) -> Date {
        date(self.stored_date())
    }

    /// False if the month is above 12.
    pub(super) fn has_possible_date(&self) -> bool {
        (self.stored_date() >> 5) & 15 <= 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: &[(usize, u8)]) -> Vec<u8> {
        let mut file = vec![0; 2 * RECORD];
        for (at, byte) in bytes {
            file[RECORD + at] = *byte;
        }
        file
    }

    #[test]
    fn records_are_told_apart_by_their_bits() {
        let kind = |bytes: &[(usize, u8)]| Header::kind_at(&record(bytes), 0);
        assert_eq!(kind(&[]), Some(Kind::Unused));
        assert_eq!(kind(&[(0, 1), (2, 1)]), Some(Kind::Game));
        assert_eq!(kind(&[(0, 3), (2, 1)]), Some(Kind::Text));
        assert_eq!(kind(&[(0, 0x83), (2, 1)]), Some(Kind::Text));
        // An analysis, whichever bits are set.
        assert_eq!(kind(&[(0, 3), (2, 2)]), Some(Kind::Game));
        assert_eq!(kind(&[(0, 1), (2, 7)]), Some(Kind::Game));
        assert_eq!(kind(&[(191, 1)]), Some(Kind::Game));
        assert_eq!(Header::kind_at(&record(&[]), 1), None);
    }

    #[test]
    fn fields_are_at_their_places() {
        let bytes = record(&[
            (0x5a, 3),
            (0x5c, 2),
            (0x60, 0x8c),
            (0x61, 0x0a),
            (0x71, 0xff),
            (0x81, 1),
        ]);
        let header = Header::at(&bytes, 0).unwrap();
        assert_eq!(header.round(), [3, 2, 0]);
        assert_eq!(header.elo(), [2700, 0]);
        assert_eq!(
            header.eco().map(|(eco, sub)| (eco.to_string(), sub)),
            Some(("A01".to_owned(), 0))
        );
    }

    #[test]
    fn higher_bits_of_a_date_are_ignored() {
        let stored = (3 << 21 | 1992 << 9 | 11 << 5 | 28u32).to_le_bytes();
        let places: Vec<(usize, u8)> = (0xbc..).zip(stored).collect();
        assert_eq!(
            Header::at(&record(&places), 0).unwrap().date(),
            Date::new(1992, 11, 28)
        );
    }
}
