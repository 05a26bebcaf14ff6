//! Dates. The description defines no form, so the usual ones are tried in turn (section 7.2).

use crate::game::Date;

/// The date in a header's value, and whether the value contains more than the date.
pub(super) fn read(value: &str) -> (Date, bool) {
    let in_figures = Figures::split(value).and_then(Figures::read);
    if let Some(stated) = in_figures.or_else(|| named_month(value)) {
        return stated.checked();
    }
    let year = only_year(value).unwrap_or(0);
    let says_nothing = value
        .bytes()
        .all(|c| matches!(c, b'?' | b'.' | b'x' | b'-' | b'/' | b' '));
    (Date::new(year, 0, 0), year != 0 || !says_nothing)
}

/// A date as written, before it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stated {
    year: Option<u16>,
    month: Option<u16>,
    day: Option<u16>,
    /// Month and day may be in either order: if one order is impossible, the other is used.
    may_swap: bool,
}

impl Stated {
    /// Removes impossible parts. The flag is true if any was removed.
    fn checked(mut self) -> (Date, bool) {
        let is_month = |part: Option<u16>| part.is_some_and(|number| (1..=12).contains(&number));
        if self.may_swap && self.month.is_some_and(|month| month > 12) && is_month(self.day) {
            std::mem::swap(&mut self.month, &mut self.day);
        }
        // Some writers use 0 for unknown.
        let given = |part: Option<u16>| part.filter(|&number| number != 0);
        let year = given(self.year).unwrap_or(0);
        let month = given(self.month).filter(|&month| month <= 12);
        let day =
            given(self.day).filter(|&day| month.is_some_and(|month| day <= Date::days_of_month(year, month)));
        let is_lossy = self.year == Some(0) || month != given(self.month) || day != given(self.day);
        // Both have at most two digits and are in the valid range.
        let part = |part: Option<u16>| part.and_then(|number| u8::try_from(number).ok()).unwrap_or(0);
        (Date::new(year, part(month), part(day)), is_lossy)
    }
}

/// Up to three numeric parts and the separators between them.
struct Figures<'a> {
    parts: [&'a str; 3],
    separators: [u8; 2],
    count: usize,
}

impl<'a> Figures<'a> {
    fn split(value: &'a str) -> Option<Figures<'a>> {
        let mut figures = Figures {
            parts: [""; 3],
            separators: [0; 2],
            count: 0,
        };
        let mut rest = value;
        for part in &mut figures.parts {
            figures.count += 1;
            let Some(end) = rest.find(['.', '-', '/', ' ']) else {
                *part = rest;
                return Some(figures);
            };
            let (first, tail) = rest.split_at(end);
            *part = first;
            let separator = figures.separators.get_mut(figures.count - 1)?;
            *separator = tail.bytes().next()?;
            rest = tail.get(1..)?;
        }
        None
    }

    fn read(self) -> Option<Stated> {
        let [first, second, third] = self.parts;
        if let Some(year) = year(first) {
            let optional = |text: &str, place| {
                if place < self.count {
                    part(text)
                } else {
                    Some(None)
                }
            };
            return Some(Stated {
                year,
                month: optional(second, 1)?,
                day: optional(third, 2)?,
                may_swap: false,
            });
        }
        if self.count != 3 {
            return None;
        }
        let (day, month) = match self.separators {
            [b'.', b'.'] | [b'-', b'-'] => (first, second),
            [b'/', b'/'] => (second, first),
            _ => return None,
        };
        Some(Stated {
            year: year(third)?,
            month: part(month)?,
            day: part(day)?,
            may_swap: true,
        })
    }
}

/// Four digits, or an unknown year.
fn year(text: &str) -> Option<Option<u16>> {
    match text.len() {
        4 if text == "????" => Some(None),
        4 => number(text).map(Some),
        _ => None,
    }
}

/// A month or a day: one or two digits, or an unknown one.
fn part(text: &str) -> Option<Option<u16>> {
    match text {
        "?" | "??" | "x" | "xx" => Some(None),
        _ if text.len() <= 2 => number(text).map(Some),
        _ => None,
    }
}

/// A number that consists of digits only.
fn number(text: &str) -> Option<u16> {
    let all_digits = text.bytes().all(|c| c.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

/// A month by its English name with a year of four digits and perhaps a day, in any order.
fn named_month(value: &str) -> Option<Stated> {
    let mut stated = Stated {
        year: None,
        month: None,
        day: None,
        may_swap: false,
    };
    for word in value.split([' ', '.', ',']).filter(|word| !word.is_empty()) {
        let place = match word.len() {
            _ if month(word).is_some() => &mut stated.month,
            4 => &mut stated.year,
            1 | 2 => &mut stated.day,
            _ => return None,
        };
        let number = month(word).or_else(|| number(word))?;
        if place.replace(number).is_some() {
            return None;
        }
    }
    (stated.month.is_some() && stated.year.is_some()).then_some(stated)
}

/// The number of a month by its full name or its first three letters.
fn month(word: &str) -> Option<u16> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_named = |name: &str| {
        let short = name.get(..3).unwrap_or_default();
        word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(short)
    };
    let place = MONTHS.iter().position(|name| is_named(name))?;
    u16::try_from(place + 1).ok()
}

/// The only number from 1000 to 2999 with exactly four digits; `None` if there are several.
fn only_year(value: &str) -> Option<u16> {
    let numbers = value.split(|c: char| !c.is_ascii_digit());
    let mut years = numbers
        .filter(|digits| digits.len() == 4)
        .filter_map(number)
        .filter(|year| (1000..=2999).contains(year));
    let year = years.next()?;
    years.next().is_none().then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a table of value, date, and whether the value must be kept.
    #[track_caller]
    fn check(rows: &[(&str, &str, bool)]) {
        for &(value, date, is_lossy) in rows {
            let (given, kept) = read(value);
            assert_eq!((given.to_string().as_str(), kept), (date, is_lossy), "{value}");
        }
    }

    #[test]
    fn the_year_first() {
        check(&[
            ("1985", "1985.??.??", false),
            ("1985.11", "1985.11.??", false),
            ("1985.11.09", "1985.11.09", false),
            ("1985-1-9", "1985.01.09", false),
            ("1985/11/09", "1985.11.09", false),
            ("1985 11 09", "1985.11.09", false),
            ("1985.??.??", "1985.??.??", false),
            ("????.7.x", "????.07.??", false),
            ("1985.xx.xx", "1985.??.??", false),
            ("1985.00.00", "1985.??.??", false),
        ]);
    }

    #[test]
    fn the_year_last() {
        check(&[
            ("26.2.2013", "2013.02.26", false),
            ("26-02-2013", "2013.02.26", false),
            ("2/26/2013", "2013.02.26", false),
            ("??.05.1999", "1999.05.??", false),
            // 12 can be the month, 13 cannot.
            ("12/5/1999", "1999.12.05", false),
            ("5/12/1999", "1999.05.12", false),
            ("12.5.1999", "1999.05.12", false),
            ("5.12.1999", "1999.12.05", false),
            ("13/4/1976", "1976.04.13", false),
            ("4.13.1976", "1976.04.13", false),
            ("13.14.1976", "1976.??.??", true),
            ("26 2 2013", "2013.??.??", true),
        ]);
    }

    #[test]
    fn months_by_name() {
        check(&[
            ("2013 February 26", "2013.02.26", false),
            ("26 Feb 2013", "2013.02.26", false),
            ("Feb. 26, 2013", "2013.02.26", false),
            ("MAY 2013", "2013.05.??", false),
            ("May", "????.??.??", true),
            ("26 Febr 2013", "2013.??.??", true),
            ("Feb 26 27 2013", "2013.??.??", true),
            ("Feb 30, 2013", "2013.02.??", true),
        ]);
    }

    #[test]
    fn impossible_days_are_dropped() {
        check(&[
            ("1999.13.07", "1999.??.??", true),
            ("1999.02.29", "1999.02.??", true),
            ("2000.02.29", "2000.02.29", false),
            ("1900.02.29", "1900.02.??", true),
            ("????.02.29", "????.02.29", false),
            ("1999.04.31", "1999.04.??", true),
            ("1999.??.07", "1999.??.??", true),
            ("1999.00.07", "1999.??.??", true),
            ("0000.01.02", "????.01.02", true),
        ]);
    }

    #[test]
    fn anything_else_has_at_most_a_year() {
        check(&[
            ("long ago", "????.??.??", true),
            ("spring of 1951", "1951.??.??", true),
            ("1951 or 1952", "????.??.??", true),
            ("1/2/3", "????.??.??", true),
            ("19511", "????.??.??", true),
            ("3000 BC", "????.??.??", true),
            ("?", "????.??.??", false),
            ("????.??.??", "????.??.??", false),
            ("-/x .", "????.??.??", false),
            ("+985", "????.??.??", true),
        ]);
    }
}
