//! Small values in headers: dates, results, opening codes.

use std::fmt;
use std::ops::RangeInclusive;

use crate::board::Color;

/// Result of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `*`: unknown or unfinished.
    #[default]
    Unknown,
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
}

impl Outcome {
    /// The PGN token.
    pub fn token(self) -> &'static str {
        match self {
            Outcome::Unknown => "*",
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// The side that won; `None` for a draw and an unknown result.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::BlackWins => Some(Color::Black),
            Outcome::Unknown | Outcome::Draw => None,
        }
    }

    /// The points of a side in halves: 2 if it won, 1 for a draw; `None` for an unknown result.
    ///
    /// ```
    /// use chessdb::board::Color;
    /// use chessdb::game::Outcome;
    ///
    /// assert_eq!(Outcome::BlackWins.halves(Color::Black), Some(2));
    /// ```
    pub fn halves(self, side: Color) -> Option<u8> {
        match self {
            Outcome::Unknown => None,
            Outcome::Draw => Some(1),
            _ => Some(if self.winner() == Some(side) { 2 } else { 0 }),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// The numbers that count as ratings. Other numbers are noise in databases and count as unknown, but tags keep them.
pub const RATINGS: RangeInclusive<u16> = 100..=3999;

/// The rating in a tag.
///
/// ```
/// use chessdb::game::rating;
///
/// assert_eq!(rating("2500"), Some(2500));
/// assert_eq!(rating("65535"), None);
/// ```
pub fn rating(text: &str) -> Option<u16> {
    let number = text.trim().parse().ok();
    number.filter(|number| RATINGS.contains(number))
}

/// A date. Any of its parts may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Date {
    /// 1..=9999, 0 unknown.
    pub year: u16,
    /// 1..=12, 0 unknown.
    pub month: u8,
    /// 1..=31, 0 unknown.
    pub day: u8,
}

impl Date {
    /// Creates a date; parts out of range are unknown.
    pub fn new(year: u16, month: u8, day: u8) -> Date {
        Date {
            year: if year <= 9999 { year } else { 0 },
            month: if month <= 12 { month } else { 0 },
            day: if day <= 31 { day } else { 0 },
        }
    }

    /// Days of a month; February has 29 in an unknown year.
    pub fn days_of_month(year: u16, month: u16) -> u16 {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Days since 1970 in the Gregorian calendar. Years start in March here, so that a leap day is the last day of its
    /// year.
    pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
        let year = if month <= 2 { year - 1 } else { year };
        let month = (month + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + day - 1;
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leap_days + day_of_year - 719_468
    }
}

impl Date {
    /// `1985.11.09`, unknown parts as `????` and `??`.
    pub fn characters(self) -> [u8; 10] {
        let mut text = *b"????.??.??";
        let mut put = |place: usize, len: usize, value: u16| {
            if value == 0 {
                return;
            }
            let mut rest = value;
            for digit in text.iter_mut().skip(place).take(len).rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        };
        put(0, 4, self.year);
        put(5, 2, u16::from(self.month));
        put(8, 2, u16::from(self.day));
        text
    }
}

/// [`Date::characters`] as text.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.characters()
            .iter()
            .try_for_each(|&c| fmt::Write::write_char(f, char::from(c)))
    }
}

/// An opening code of three ASCII characters, normally `A00`..`E99`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Eco([u8; 3]);

impl Eco {
    /// Creates a code from ASCII letters and digits, without changing their case.
    pub fn new(code: [u8; 3]) -> Option<Eco> {
        code.iter().all(u8::is_ascii_alphanumeric).then_some(Eco(code))
    }

    /// The code in capital letters, if it is one of `A00`..`E99`.
    pub fn known(self) -> Option<Eco> {
        let code = self.0.map(|c| c.to_ascii_uppercase());
        matches!(code, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']).then_some(Eco(code))
    }

    /// The three characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_show_what_is_known() {
        assert_eq!(Date::new(1985, 11, 9).to_string(), "1985.11.09");
        assert_eq!(Date::new(0, 7, 31).to_string(), "????.07.31");
        assert_eq!(Date::new(10_000, 13, 32).to_string(), "????.??.??");
        assert_eq!(Date::new(476, 0, 0).to_string(), "0476.??.??");
    }

    #[test]
    fn opening_codes_are_letters_and_digits() {
        assert_eq!(
            Eco::new(*b"B97").map(|eco| eco.to_string()),
            Some("B97".to_owned())
        );
        assert_eq!(Eco::new([0, 0, 0]), None);
        assert_eq!(Eco::new(*b"B/7"), None);
    }
}
