//! Reading dates as people and programs write them.

use super::Date;

/// What is wrong with the text of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DateFlaw {
    /// The text is not a date: a part is not a number, or the year does not have four digits.
    Unreadable,
    /// Both numbers may be the day, so only the year is certain.
    Ambiguous,
    /// The month or the day does not exist.
    Impossible,
}

impl Date {
    /// Reads a date such as `1985.11.09`, with `.`, `/` or `-` between its parts. The year may come last if only one
    /// meaning is possible, and a time may follow. Uncertain parts are unknown, and so are parts written as `?` or 0.
    ///
    /// ```
    /// use chessdb::game::{Date, DateFlaw};
    ///
    /// assert_eq!(Date::read("30.9.2025, 22:42"), (Date::new(2025, 9, 30), None));
    /// assert_eq!(Date::read("3.9.2025"), (Date::new(2025, 0, 0), Some(DateFlaw::Ambiguous)));
    /// ```
    pub fn read(text: &str) -> (Date, Option<DateFlaw>) {
        usual(text.as_bytes()).map_or_else(|| read(text), |date| (date, None))
    }
}

/// An existing date in the usual form.
fn usual(text: &[u8]) -> Option<Date> {
    let &[a, b, c, d, b'.', e, f, b'.', g, h] = text else {
        return None;
    };
    let digits = [a, b, c, d, e, f, g, h].map(|c| u16::from(c.wrapping_sub(b'0')));
    if digits.iter().any(|digit| *digit > 9) {
        return None;
    }
    let [a, b, c, d, e, f, g, h] = digits;
    let (year, month, day) = (1000 * a + 100 * b + 10 * c + d, 10 * e + f, 10 * g + h);
    let exists =
        year > 0 && (1..=12).contains(&month) && (1..=Date::days_of_month(year, month)).contains(&day);
    exists.then(|| Date::new(year, month as u8, day as u8))
}

/// A part of a date as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Unknown,
    Number { value: u16, digits: usize },
    Other,
}

impl Part {
    fn read(text: &str) -> Part {
        let digits = text.len();
        match text.parse() {
            _ if text.bytes().all(|c| c == b'?') => Part::Unknown,
            Ok(value) if digits <= 4 && text.bytes().all(|c| c.is_ascii_digit()) => {
                Part::Number { value, digits }
            }
            _ => Part::Other,
        }
    }

    fn is_year(self) -> bool {
        matches!(self, Part::Number { digits: 4, .. })
    }

    /// The number; 0 if it is unknown.
    fn value(self) -> u16 {
        match self {
            Part::Number { value, .. } => value,
            Part::Unknown | Part::Other => 0,
        }
    }
}

fn read(text: &str) -> (Date, Option<DateFlaw>) {
    let text = without_time(text.trim());
    let mut parts = [Part::Unknown; 3];
    let mut rest = text.split(['.', '/', '-']).map(str::trim);
    for (part, text) in parts.iter_mut().zip(rest.by_ref()) {
        *part = Part::read(text);
    }
    if rest.next().is_some() {
        parts[2] = Part::Other;
    }
    match parts {
        [Part::Unknown, Part::Unknown, Part::Unknown] => (Date::default(), None),
        [first, second, year] if year.is_year() && !first.is_year() => year_last(first, second, year),
        [first, month, day] if first.is_year() || begins_with_unknown_year(text) => {
            year_first(first.value(), month, day)
        }
        _ => (Date::default(), Some(DateFlaw::Unreadable)),
    }
}

fn begins_with_unknown_year(text: &str) -> bool {
    text.starts_with("????") || text.starts_with("?.")
}

fn year_first(year: u16, month: Part, day: Part) -> (Date, Option<DateFlaw>) {
    match (month, day) {
        (Part::Other, _) => (Date::new(year, 0, 0), Some(DateFlaw::Unreadable)),
        (Part::Number { value: 13.., .. }, _) => (Date::new(year, 0, 0), Some(DateFlaw::Impossible)),
        (_, Part::Other) => (
            Date::new(year, small(month.value()), 0),
            Some(DateFlaw::Unreadable),
        ),
        _ => day_of(year, month.value(), day.value()),
    }
}

/// A date whose month is at most 12. A day that the month does not have is kept unchanged.
fn day_of(year: u16, month: u16, day: u16) -> (Date, Option<DateFlaw>) {
    let most = match (year, month) {
        (_, 0) => 31,
        (0, 2) => 29,
        _ => Date::days_of_month(year, month),
    };
    let flaw = (day > most).then_some(DateFlaw::Impossible);
    (Date::new(year, small(month), small(day)), flaw)
}

/// A date whose day and month come before the year, in either order.
fn year_last(first: Part, second: Part, year: Part) -> (Date, Option<DateFlaw>) {
    let only_year = |flaw| (Date::new(year.value(), 0, 0), flaw);
    if [first, second].contains(&Part::Other) {
        return only_year(Some(DateFlaw::Unreadable));
    }
    match (first.value(), second.value()) {
        (0, 0) => only_year(None),
        (0, _) | (_, 0) => only_year(Some(DateFlaw::Ambiguous)),
        (13.., 13..) => only_year(Some(DateFlaw::Impossible)),
        (day @ 13.., month) | (month, day @ 13..) => day_of(year.value(), month, day),
        (month, day) if month == day => day_of(year.value(), month, day),
        _ => only_year(Some(DateFlaw::Ambiguous)),
    }
}

fn small(part: u16) -> u8 {
    u8::try_from(part).unwrap_or(u8::MAX)
}

/// A date without the time after it: `T20:37:26Z`, ` 20:37` or `, 22:42`.
fn without_time(text: &str) -> &str {
    let is_time = |text: &str| {
        let text = text.trim_start();
        text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(':')
    };
    let Some(at) = text.find(|c: char| matches!(c, 'T' | ',') || c.is_whitespace()) else {
        return text;
    };
    // There may also be blanks around the signs between the parts.
    let mut places = text.char_indices().skip_while(|(place, _)| *place < at);
    let end = places.find(|(place, c)| {
        let after = &text[place + c.len_utf8()..];
        (matches!(c, 'T' | ',') || c.is_whitespace()) && is_time(after)
    });
    end.map_or(text, |(end, _)| text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_their_forms() {
        use DateFlaw::{Ambiguous, Impossible, Unreadable};
        for (text, date, flaw) in [
            ("1999.12.31", (1999, 12, 31), None),
            ("1999/12/31", (1999, 12, 31), None),
            ("1999-1-2", (1999, 1, 2), None),
            (" 1999 . 12. 31 ", (1999, 12, 31), None),
            ("1999", (1999, 0, 0), None),
            ("1999.12", (1999, 12, 0), None),
            ("1999.??.??", (1999, 0, 0), None),
            ("1999.00.00", (1999, 0, 0), None),
            ("1999.??.31", (1999, 0, 31), None),
            ("????.12.31", (0, 12, 31), None),
            ("????.02.29", (0, 2, 29), None),
            // Unknown.
            ("????/??/??", (0, 0, 0), None),
            ("??.??.??", (0, 0, 0), None),
            ("????", (0, 0, 0), None),
            ("-", (0, 0, 0), None),
            ("", (0, 0, 0), None),
            // With a time.
            ("2025.09.30 20:37", (2025, 9, 30), None),
            ("2025-09-30T20:37:26Z", (2025, 9, 30), None),
            ("30/09/2025, 20:37:26", (2025, 9, 30), None),
            ("30.9.2025\t22:42", (2025, 9, 30), None),
            // The year last.
            ("31.12.1999", (1999, 12, 31), None),
            ("12/31/1999", (1999, 12, 31), None),
            ("13-1-1999", (1999, 1, 13), None),
            ("5.5.1999", (1999, 5, 5), None),
            ("??.??.1999", (1999, 0, 0), None),
            ("12.11.1999", (1999, 0, 0), Some(Ambiguous)),
            ("??.11.1999", (1999, 0, 0), Some(Ambiguous)),
            ("13.13.1999", (1999, 0, 0), Some(Impossible)),
            ("31/6/1999", (1999, 6, 31), Some(Impossible)),
            // No such day.
            ("2024.13.45", (2024, 0, 0), Some(Impossible)),
            ("2024.12.32", (2024, 12, 0), Some(Impossible)),
            ("2021.02.30", (2021, 2, 30), Some(Impossible)),
            ("2000.02.29", (2000, 2, 29), None),
            ("1900.02.29", (1900, 2, 29), Some(Impossible)),
            // Not read, or not as a whole.
            ("30/09/25", (0, 0, 0), Some(Unreadable)),
            ("30.9.21", (0, 0, 0), Some(Unreadable)),
            ("??.09.25", (0, 0, 0), Some(Unreadable)),
            ("spring", (0, 0, 0), Some(Unreadable)),
            ("20210203", (0, 0, 0), Some(Unreadable)),
            ("1999 (spring)", (0, 0, 0), Some(Unreadable)),
            ("1999.May.3", (1999, 0, 0), Some(Unreadable)),
            ("1999.5.x", (1999, 5, 0), Some(Unreadable)),
            ("2013.01.31.1", (2013, 1, 0), Some(Unreadable)),
            ("2013.+1.31", (2013, 0, 0), Some(Unreadable)),
            ("12345.1.1", (0, 0, 0), Some(Unreadable)),
            ("~~~~.~~.~~", (0, 0, 0), Some(Unreadable)),
            ("2*1..01.01", (0, 0, 0), Some(Unreadable)),
        ] {
            let (year, month, day) = date;
            assert_eq!(Date::read(text), (Date { year, month, day }, flaw), "{text}");
        }
    }
}
