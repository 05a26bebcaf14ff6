//! Values of tags in special forms (section 4.1).

use crate::game::{Date, Eco};

/// Parses a date in the usual form or others. Parts that are not certain become unknown.
pub(in crate::formats) fn read_date(text: &str) -> Date {
    let mut parts = text.trim().splitn(3, ['.', '/', '-']).map(str::trim);
    let [first, second, third] = [parts.next(), parts.next(), parts.next()];
    let number = |part: Option<&str>, digits: usize| -> u16 {
        let part = part.unwrap_or_default();
        let is_number = (1..=digits).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
        part.parse().ok().filter(|_| is_number).unwrap_or(0)
    };
    if third.is_some_and(|year| year.len() == 4) && first.is_some_and(|day| day.len() <= 2) {
        // The order of day and month is not certain.
        return Date::new(number(third, 4), 0, 0);
    }
    let year = match first.map(str::len) {
        Some(4) => number(first, 4),
        _ => 0,
    };
    let part = |part| u8::try_from(number(part, 2)).unwrap_or(0);
    match part(second) {
        // It is perhaps the day, and the day the month.
        13.. => Date::new(year, 0, 0),
        month => Date::new(year, month, part(third)),
    }
}

/// Replaces all kinds of dashes by those of ASCII.
pub(super) fn with_plain_dashes(text: &str) -> String {
    text.replace(DASHES, "-")
}

/// Replaces all kinds of dashes, and signs of capture, by those of ASCII.
pub(in crate::formats) fn with_plain_signs(text: &str) -> String {
    with_plain_dashes(text).replace('×', "x")
}

const DASHES: [char; 6] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}',
];

/// Parses an opening code: a letter and two digits, followed by anything.
pub(in crate::formats) fn read_eco(text: &str) -> Option<Eco> {
    let code: [u8; 3] = *text.trim().as_bytes().first_chunk()?;
    let [letter, tens, units] = code;
    let is_code = letter.is_ascii_alphabetic() && tens.is_ascii_digit() && units.is_ascii_digit();
    Eco::new(code).filter(|_| is_code)
}

/// True for a value that means unknown. Ratings of 0 are unknown.
pub(in crate::formats) fn is_unknown(name: &str, value: &str) -> bool {
    match value.trim() {
        "" | "?" | "????.??.??" => true,
        "0" | "-" => name.ends_with("Elo"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_their_forms() {
        for (text, date) in [
            ("1999.12.31", (1999, 12, 31)),
            ("1999/12/31", (1999, 12, 31)),
            ("1999-1-2", (1999, 1, 2)),
            ("1999", (1999, 0, 0)),
            ("1999.12", (1999, 12, 0)),
            ("1999.??.??", (1999, 0, 0)),
            ("????.12.31", (0, 12, 31)),
            ("31.12.1999", (1999, 0, 0)),
            ("1999.13.40", (1999, 0, 0)),
            ("2012.16.6", (2012, 0, 0)),
            ("2012.6.36", (2012, 6, 0)),
            ("spring", (0, 0, 0)),
            ("", (0, 0, 0)),
        ] {
            let (year, month, day) = date;
            assert_eq!(read_date(text), Date { year, month, day }, "{text}");
        }
    }

    #[test]
    fn opening_codes_begin_with_a_letter_and_two_digits() {
        assert_eq!(
            read_eco("B97/05").map(|eco| eco.to_string()),
            Some("B97".to_owned())
        );
        assert_eq!(read_eco("?"), None);
        assert_eq!(read_eco("Bad"), None);
    }
}
