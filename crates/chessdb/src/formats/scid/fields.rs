//! Coded fields of an entry: dates, opening codes, kinds of ratings, flags (sections 2.6 to 2.9 and 4).
//!
//! Bits of the flags:
//!
//! ```text
//! bits 0-2  start position and promotions, not used
//! 3 D  deleted            10 T  tactics
//! 4 W  opening for White  11 K  king's side
//! 5 B  opening for Black  12 Q  queen's side
//! 6 M  middlegame         13 !  brilliancy
//! 7 E  endgame            14 ?  blunder
//! 8 N  novelty            15 U  user
//! 9 P  pawn structure     16-21 1 to 6  custom
//! ```
//!
//! Opening codes: 0 is unknown. Otherwise n - 1 = 131 b + s: b from 0 (A00) to 499 (E99); s = 0 is the plain code,
//! otherwise s - 1 = 5 l + d with a letter l from a to z and a digit d from 1 to 4; d = 0 means no digit.
//!
//! A date has its year in bits 19-9, month in 8-5, day in 4-0; 0, or a month above 12, is unknown. A date of the event
//! in versions 3 and 4 has y in bits 11-9, month in 8-5, day in 4-0. With y = 0 the date is unknown. Otherwise the year
//! is the game's year + y - 4, or unknown if this is not above 0.
//!
//! Kinds of ratings: 0 Elo, 1 Rating, 2 Rapid, 3 ICCF, 4 USCF, 5 DWZ, 6 ECF; others are 0.

use crate::game::{Date, Eco, Outcome};

/// The lower 8 bits.
pub(super) fn low8(value: u32) -> u8 {
    let [.., low] = value.to_be_bytes();
    low
}

/// The lower 16 bits.
pub(super) fn low16(value: u32) -> u16 {
    let [.., high, low] = value.to_be_bytes();
    u16::from_be_bytes([high, low])
}

/// A date of 20 bits.
pub(super) fn date(bits: u32) -> Date {
    Date::new(low16(bits >> 9 & 0x7ff), low8(bits >> 5 & 15), low8(bits & 31))
}

/// A date of 12 bits, whose year is relative to the year of the game (section 2.8).
pub(super) fn relative_date(bits: u32, game: Date) -> Date {
    let year = match low16(bits >> 9 & 7) {
        0 => return Date::default(),
        years => (game.year + years).saturating_sub(4),
    };
    Date::new(year, low8(bits >> 5 & 15), low8(bits & 31))
}

/// The result in the lower two bits. The other bits are ignored.
pub(super) fn outcome(bits: u32) -> Outcome {
    match bits & 3 {
        1 => Outcome::WhiteWins,
        2 => Outcome::BlackWins,
        3 => Outcome::Draw,
        _ => Outcome::Unknown,
    }
}

/// The greatest opening code: E99z4.
const LAST_CODE: u16 = 65_500;

/// An opening code as Scid extends it: `B97`, `C42b2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpeningCode {
    text: [u8; 5],
    len: usize,
}

impl OpeningCode {
    /// The code with this number; `None` if it is unknown or damaged.
    pub(super) fn new(code: u16) -> Option<OpeningCode> {
        let number = code.checked_sub(1).filter(|_| OpeningCode::is_sound(code))?;
        let (basic, extension) = (number / 131, number % 131);
        let digit = |value: u16| b'0' + low8(u32::from(value % 10));
        let mut text = [
            b'A' + low8(u32::from(basic / 100)),
            digit(basic / 10),
            digit(basic),
            0,
            0,
        ];
        let mut len = 3;
        if let Some(extension) = extension.checked_sub(1) {
            let [.., letter, last] = &mut text;
            *letter = b'a' + low8(u32::from(extension / 5));
            *last = digit(extension % 5);
            len = if extension.is_multiple_of(5) { 4 } else { 5 };
        }
        Some(OpeningCode { text, len })
    }

    /// True for 0 (unknown) and for all codes that exist.
    pub(super) fn is_sound(code: u16) -> bool {
        code <= LAST_CODE
    }

    /// The whole code, with Scid's extension.
    pub(super) fn characters(&self) -> impl Iterator<Item = char> {
        self.text.iter().take(self.len).map(|&c| char::from(c))
    }

    /// The ECO code, without Scid's extension.
    pub(super) fn plain(self) -> Option<Eco> {
        let [letter, tens, units, ..] = self.text;
        Eco::new([letter, tens, units])
    }
}

/// A rating and the tag that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rating {
    kind: u8,
    /// 0 if it is unknown.
    pub(super) value: u16,
}

impl Rating {
    pub(super) fn new(kind: u32, value: u32) -> Rating {
        Rating {
            kind: low8(kind),
            value: low16(value),
        }
    }

    /// Names of the tags of White and Black.
    pub(super) fn tags(self) -> [&'static str; 2] {
        match self.kind {
            1 => ["WhiteRating", "BlackRating"],
            2 => ["WhiteRapid", "BlackRapid"],
            3 => ["WhiteICCF", "BlackICCF"],
            4 => ["WhiteUSCF", "BlackUSCF"],
            5 => ["WhiteDWZ", "BlackDWZ"],
            6 => ["WhiteECF", "BlackECF"],
            _ => ["WhiteElo", "BlackElo"],
        }
    }
}

/// The flags of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u32);

impl Flags {
    /// True if the game is marked as deleted.
    pub(super) fn is_deleted(self) -> bool {
        self.0 & 8 != 0
    }

    /// Letters of the flags that Scid shows, bits 4 to 21.
    pub(super) fn letters(self) -> impl Iterator<Item = char> {
        let letters = "WBMENPTKQ!?U123456".chars().zip(4..);
        letters.filter_map(move |(letter, bit)| (self.0 >> bit & 1 != 0).then_some(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(number: u16) -> Option<String> {
        OpeningCode::new(number).map(|code| code.characters().collect())
    }

    #[test]
    fn opening_codes_are_extended() {
        assert_eq!(code(0), None);
        assert_eq!(code(1).as_deref(), Some("A00"));
        assert_eq!(code(1 + 131 * 242 + 1 + 5).as_deref(), Some("C42b"));
        assert_eq!(code(1 + 131 * 242 + 1 + 5 + 2).as_deref(), Some("C42b2"));
        assert_eq!(code(65_500).as_deref(), Some("E99z4"));
        assert_eq!(code(65_501), None);
        let plain = OpeningCode::new(65_500).and_then(OpeningCode::plain);
        assert_eq!(plain.map(|eco| eco.to_string()).as_deref(), Some("E99"));
    }

    #[test]
    fn dates_of_events_are_near_those_of_games() {
        let game = Date::new(2000, 5, 0);
        let bits = |years: u32| years << 9 | 2 << 5 | 3;
        assert_eq!(relative_date(bits(0), game), Date::default());
        assert_eq!(relative_date(bits(1), game), Date::new(1997, 2, 3));
        assert_eq!(relative_date(bits(7), game), Date::new(2003, 2, 3));
        assert_eq!(relative_date(bits(1), Date::default()), Date::new(0, 2, 3));
        assert_eq!(date(1999 << 9 | 12 << 5 | 31), Date::new(1999, 12, 31));
        assert_eq!(date(0xf_ffff), Date::new(2047, 0, 31));
    }

    #[test]
    fn flags_have_letters() {
        let letters = |flags| Flags(flags).letters().collect::<String>();
        assert_eq!(letters(0b1111), "");
        assert_eq!(letters(1 << 4 | 1 << 5 | 1 << 13 | 1 << 21), "WB!6");
        assert_eq!(letters(u32::MAX), "WBMENPTKQ!?U123456");
    }
}
