//! The 14 bytes at the head of a record (section 4).
//!
//! ```text
//! byte
//! 0     year - 1900, signed; 127 unknown
//! 1     result (4.2)
//! 2, 3  mlen: the length of the moves + 1; 0 is damage
//! 4     bits 0-5 plen; bits 6, 7 are bits 5, 6 of the opening code
//! 5     bits 0-5 slen; bits 6, 7 are bits 7, 8 of the opening code
//! 6, 7  clen
//! 8, 9  Elo of White, Black: 0 none, else 1600 + 5x
//! 10    bit 0 set-up, bit 6 marked, bit 7 deleted; bits 1-5 are bits 0-4 of the opening code,
//!       or with a set-up: Black to move, White long, White short, Black long, Black short castling
//! 11    bits 0-5 and, as bit 6, bit 7: sub code of the opening; with a set-up bits 0-3: e.p. file 1 to 8;
//!       bit 6 is a version, ignored
//! 12    full moves, not used
//! 13    checksum (4.5)
//! ```

use super::coding;
use crate::board::Color;
use crate::game::{Date, Eco, Outcome};

/// Bytes of a header.
pub(super) const SIZE: usize = 14;

/// A decoded header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    year: u8,
    result: u8,
    /// Length of the move area plus 1; 0 is damage.
    pub(super) mlen: u16,
    /// Bits 0-5 length of the players, bits 6 and 7 part of the opening code.
    players: u8,
    /// Bits 0-5 length of the source, bits 6 and 7 part of the opening code.
    source: u8,
    /// Length of the comment area.
    pub(super) clen: u16,
    elo: [u8; 2],
    flags: u8,
    /// Sub-code of the opening, or the en passant file of a set-up position.
    extra: u8,
    /// True if the checksum matches one of the two formulas (section 4.5).
    pub(super) is_checksum_good: bool,
}

impl Header {
    /// Decodes a header.
    pub(super) fn new(coded: [u8; SIZE]) -> Header {
        let bytes = coding::header(coded);
        let [
            year,
            result,
            mlen_high,
            mlen_low,
            players,
            source,
            clen_high,
            clen_low,
            white,
            black,
            flags,
            extra,
            _,
            checksum,
        ] = bytes;
        let old = year.wrapping_mul(0x25).wrapping_add(source).wrapping_add(black);
        // The factor is 0x1EC1; all calculations are mod 256.
        let new = mlen_low
            .wrapping_mul(0xc1)
            .wrapping_mul(white.wrapping_add(1))
            .wrapping_mul(year);
        Header {
            year,
            result,
            mlen: u16::from_be_bytes([mlen_high, mlen_low]),
            players,
            source,
            clen: u16::from_be_bytes([clen_high, clen_low]),
            elo: [white, black],
            flags,
            extra,
            is_checksum_good: checksum == old || checksum == new,
        }
    }

    /// The year, 1772 to 2026. Month and day are not stored.
    pub(super) fn date(&self) -> Date {
        match self.year.cast_signed() {
            127 => Date::default(),
            year => Date::new(1900u16.saturating_add_signed(i16::from(year)), 0, 0),
        }
    }

    /// The result, determined by the whole byte (section 4.2).
    pub(super) fn outcome(&self) -> Outcome {
        match self.result {
            0 => Outcome::BlackWins,
            1 => Outcome::Draw,
            2 => Outcome::WhiteWins,
            _ => Outcome::Unknown,
        }
    }

    /// Evaluation of the last position, stored instead of a result; 0 means none (section 4.2).
    pub(super) fn line_result(&self) -> u8 {
        if self.result & 0b1100_0011 == 0b11 {
            self.result >> 2
        } else {
            0
        }
    }

    /// Length of the players' text.
    pub(super) fn players_len(&self) -> usize {
        usize::from(self.players & 63)
    }

    /// Length of the source's text.
    pub(super) fn source_len(&self) -> usize {
        usize::from(self.source & 63)
    }

    /// Length of the move area.
    pub(super) fn moves_len(&self) -> usize {
        usize::from(self.mlen.saturating_sub(1))
    }

    /// Elo of White and Black; 0 means unknown.
    pub(super) fn elo(&self) -> [u32; 2] {
        self.elo
            .map(|elo| if elo == 0 { 0 } else { 1600 + 5 * u32::from(elo) })
    }

    pub(super) fn is_set_up(&self) -> bool {
        self.flags & 1 != 0
    }

    pub(super) fn is_marked(&self) -> bool {
        self.flags & 0x40 != 0
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.flags & 0x80 != 0
    }

    /// Opening code; games from a set-up position have none (section 4.3).
    pub(super) fn eco(&self) -> Option<Eco> {
        let code = u16::from(self.flags >> 1 & 31)
            | u16::from(self.players >> 6) << 5
            | u16::from(self.source >> 6) << 7;
        if self.is_set_up() {
            return None;
        }
        let code = code.checked_sub(1)?;
        let letter = *b"ABCDEF".get(usize::from(code / 100))?;
        let digit = |number: u16| u8::try_from(number % 10).map(|digit| b'0' + digit).ok();
        Eco::new([letter, digit(code / 10)?, digit(code)?])
    }

    /// ChessBase's own sub-code of the opening; 0 means none.
    pub(super) fn eco_sub(&self) -> u8 {
        if self.is_set_up() {
            0
        } else {
            self.extra & 63 | (self.extra & 0x80) >> 1
        }
    }

    /// The side to move in a set-up position.
    pub(super) fn set_up_turn(&self) -> Color {
        Color::from_white(self.flags & 2 == 0)
    }

    /// Castling rights of a set-up position: White's long and short, Black's long and short castling.
    pub(super) fn set_up_rights(&self) -> [bool; 4] {
        [4, 8, 16, 32].map(|bit| self.flags & bit != 0)
    }

    /// Stored en passant file of a set-up position, 1 to 8; 0 means none (section 6.5).
    pub(super) fn set_up_file(&self) -> u8 {
        Some(self.extra & 15).filter(|&file| file <= 8).unwrap_or(0)
    }

    /// Length of the whole record in bytes (section 2.3).
    pub(super) fn record_len(&self) -> usize {
        let position = if self.is_set_up() { super::setup::SIZE } else { 0 };
        let texts = self.players_len() + self.source_len();
        SIZE + texts + self.moves_len() + usize::from(self.clen) + position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(edit: impl Fn(&mut [u8; SIZE])) -> Header {
        let mut bytes = [0; SIZE];
        edit(&mut bytes);
        // The coding is its own inverse except for byte 11, which includes the decoded lengths.
        let lengths = 14 + (bytes[4] & 63) + (bytes[5] & 63);
        bytes[11] ^= lengths;
        let mut key = 101u8;
        for byte in bytes.iter_mut().rev() {
            *byte ^= key;
            key = key.wrapping_mul(3);
        }
        Header::new(bytes)
    }

    #[test]
    fn years_are_signed() {
        assert_eq!(header(|h| h[0] = 93).date(), Date::new(1993, 0, 0));
        assert_eq!(header(|h| h[0] = 0x80).date(), Date::new(1772, 0, 0));
        assert_eq!(header(|h| h[0] = 126).date(), Date::new(2026, 0, 0));
        assert_eq!(header(|h| h[0] = 127).date(), Date::default());
    }

    #[test]
    fn results_are_whole_bytes() {
        assert_eq!(header(|h| h[1] = 0).outcome(), Outcome::BlackWins);
        assert_eq!(header(|h| h[1] = 16).outcome(), Outcome::Unknown);
        assert_eq!(header(|h| h[1] = 3 | 14 << 2).line_result(), 14);
        assert_eq!(header(|h| h[1] = 0x43).line_result(), 0);
    }

    #[test]
    fn opening_codes_are_spread_over_three_bytes() {
        let code = |number: u16, sub: u8| {
            let [low, high] = number.to_le_bytes();
            header(|h| {
                h[10] = (low & 31) << 1;
                h[4] = (low >> 5 & 3) << 6;
                h[5] = (low >> 7 | high << 1) << 6;
                h[11] = sub & 63 | (sub & 64) << 1;
            })
        };
        assert_eq!(code(0, 0).eco(), None);
        assert_eq!(code(1, 0).eco(), Eco::new(*b"A00"));
        assert_eq!(code(511, 0).eco(), Eco::new(*b"F10"));
        assert_eq!(code(96, 0).eco(), Eco::new(*b"A95"));
        assert_eq!(code(338, 99).eco_sub(), 99);
    }
}
