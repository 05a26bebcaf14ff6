//! Dates and ranges of dates.

use std::fmt;

use chessdb::game::Date;

/// A range of days with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// The end that is written first, if any.
    first: Option<Date>,
    last: Option<Date>,
}

impl Days {
    /// Reads `1985`, `1985.11`, `1985.11.09`, or a range of these.
    ///
    /// # Errors
    /// Says what would be right.
    pub fn parse(text: &str) -> Result<Days, String> {
        let wanted =
            || "expected a date such as 1985, 1985.11 or 1985.11.09, or a range such as 1985..".to_owned();
        let end = |text: &str| match text {
            "" => Ok(None),
            _ => date(text).map(Some).ok_or_else(wanted),
        };
        let days = match text.split_once("..") {
            Some((first, last)) => Days {
                first: end(first)?,
                last: end(last)?,
            },
            None => {
                let date = end(text)?;
                Days {
                    first: date,
                    last: date,
                }
            }
        };
        if days.first.is_none() && days.last.is_none() {
            return Err(wanted());
        }
        if days.least() > days.most() {
            return Err("the range is the wrong way round: the earlier date comes first".to_owned());
        }
        Ok(days)
    }

    /// All days from a date on. If its day or month is unknown, from the first day of that month or year.
    pub fn since(date: Date) -> Days {
        Days {
            first: Some(date),
            last: None,
        }
    }

    /// True if a game with this date may have been played on one of these days. An unknown month or day may be any;
    /// without a year the answer is false.
    pub fn may_have(self, date: Date) -> bool {
        let (least, most) = (self.least(), self.most());
        let days = |month: u8| match date.day {
            0 => (number(date.year, month, 1), number(date.year, month, 31)),
            day => (number(date.year, month, day), number(date.year, month, day)),
        };
        let has_month = |month: u8| {
            let (first, last) = days(month);
            first <= most && least <= last
        };
        date.year != 0
            && match date.month {
                0 => (1..=12).any(has_month),
                month => has_month(month),
            }
    }

    fn least(self) -> u32 {
        self.first
            .map_or(0, |date| number(date.year, date.month, date.day))
    }

    fn most(self) -> u32 {
        let last = |part: u8| if part == 0 { 99 } else { part };
        self.last.map_or(u32::MAX, |date| {
            number(date.year, last(date.month), last(date.day))
        })
    }
}

/// Dates as numbers in their order.
fn number(year: u16, month: u8, day: u8) -> u32 {
    u32::from(year) * 10_000 + u32::from(month) * 100 + u32::from(day)
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.split(['.', '-']);
    let mut part = |digits: std::ops::RangeInclusive<usize>, most: u16| match parts.next() {
        None => Some(0),
        Some(part) => {
            let is_number = digits.contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
            let number = part.parse().ok().filter(|_| is_number);
            number.filter(|number| (1..=most).contains(number))
        }
    };
    let (year, month, day) = (part(4..=4, 9999)?, part(1..=2, 12)?, part(1..=2, 31)?);
    parts
        .next()
        .is_none()
        .then(|| Date::new(year, month as u8, day as u8))
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |date: Option<Date>, f: &mut fmt::Formatter<'_>| {
            let Some(date) = date else { return Ok(()) };
            write!(f, "{:04}", date.year)?;
            let parts = [date.month, date.day].into_iter().filter(|&part| part != 0);
            parts.into_iter().try_for_each(|part| write!(f, ".{part:02}"))
        };
        show(self.first, f)?;
        if self.first != self.last {
            f.write_str("..")?;
            show(self.last, f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_may_be_any() {
        for (text, date, may) in [
            ("1985", (1985, 11, 9), true),
            ("1985", (1986, 1, 1), false),
            ("1985", (1985, 0, 0), true),
            ("1985.11", (1985, 0, 9), true),
            ("1985.11", (1985, 10, 0), false),
            ("1985.11.09", (1985, 11, 0), true),
            ("1985.11.09", (1985, 0, 10), false),
            ("1985.11.09..", (1985, 0, 0), true),
            ("1985.11.10..1985.11.20", (1985, 0, 9), false),
            ("..1985.01", (1985, 0, 0), true),
            ("..1984", (1985, 0, 0), false),
            ("1985.12..1986", (1986, 12, 31), true),
            ("..9999", (0, 11, 9), false),
        ] {
            let days = Days::parse(text).unwrap();
            let (year, month, day) = date;
            assert_eq!(days.may_have(Date::new(year, month, day)), may, "{text} {date:?}");
        }
    }

    #[test]
    fn dates_have_one_spelling() {
        for (text, canonical) in [
            ("1985-11-9", "1985.11.09"),
            ("1985..1985", "1985"),
            ("1985.1..", "1985.01.."),
            ("..1985-2-3", "..1985.02.03"),
        ] {
            assert_eq!(Days::parse(text).unwrap().to_string(), canonical);
        }
        for text in [
            "",
            "..",
            "85",
            "0000",
            "1985.13",
            "1985.1.32",
            "1985.1.1.1",
            "1986..1985",
            "+985",
        ] {
            assert!(Days::parse(text).is_err(), "{text}");
        }
    }
}
