//! Values of columns, and their forms in tables.

use std::borrow::Cow;

use super::bitboards::Bitboards;
use super::column::Column;
use crate::csv::{append_field, field_len};
use chessdb::game::{Date, Tags, rating};

/// The value of an unknown field in `games.ndjson`.
pub const NULL: &[u8] = b"null";

/// Seconds of a day.
const DAY: u32 = 24 * 60 * 60;

/// A known value of a field.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A text; one of a tag has no control characters.
    Text(Cow<'a, str>),
    /// A number.
    Number(i64),
    /// Points of a game, in halves.
    Halves(u8),
    /// True or false.
    Bool(bool),
    /// A day whose parts are all known.
    Date(Date),
    /// A time of day in seconds.
    Time(u32),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers that may be unknown.
    List(Vec<Option<i32>>),
    /// A position.
    Bitboards(&'a Bitboards),
}

impl Value<'_> {
    /// The same value with its text borrowed.
    pub(super) fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Text(text) => Value::Text(Cow::Borrowed(text)),
            Value::Number(number) => Value::Number(*number),
            Value::Halves(halves) => Value::Halves(*halves),
            Value::Bool(value) => Value::Bool(*value),
            Value::Date(date) => Value::Date(*date),
            Value::Time(seconds) => Value::Time(*seconds),
            Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
            Value::List(list) => Value::List(list.clone()),
            Value::Bitboards(bitboards) => Value::Bitboards(bitboards),
        }
    }

    /// The number that represents it in a Parquet file and in memory: the number itself, the days since 1970, or
    /// milliseconds.
    pub fn number(&self) -> Option<i32> {
        let number = match self {
            Value::Number(number) => *number,
            Value::Date(date) => Date::days_since_1970(date.year.into(), date.month.into(), date.day.into()),
            Value::Time(seconds) => i64::from(*seconds) * 1000,
            _ => return None,
        };
        // Only numbers of games and keys can be higher. Keys have another type.
        Some(i32::try_from(number).unwrap_or(i32::MAX))
    }

    /// Appends the value as a field of comma-separated values.
    pub(super) fn append_field(&self, out: &mut Vec<u8>) {
        match self {
            Value::Text(text) => append_field(out, text),
            // A list has commas.
            Value::List(_) | Value::Bitboards(_) => {
                let mut list = Vec::new();
                self.append_plain(&mut list);
                append_field(out, &String::from_utf8_lossy(&list));
            }
            _ => self.append_plain(out),
        }
    }

    /// Appends the value as JSON.
    pub(super) fn append_json(&self, out: &mut Vec<u8>) {
        match self {
            Value::Text(text) => append_string(out, text),
            Value::Date(_) | Value::Time(_) | Value::Bytes(_) => {
                out.push(b'"');
                self.append_plain(out);
                out.push(b'"');
            }
            _ => self.append_plain(out),
        }
    }

    /// Appends the value without quotation marks: days and times as in ISO 8601, bytes as hexadecimal digits, lists as in JSON.
    fn append_plain(&self, out: &mut Vec<u8>) {
        match self {
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            Value::Number(number) => append_integer(out, *number),
            Value::Halves(halves) => {
                append_integer(out, i64::from(halves / 2));
                if halves % 2 == 1 {
                    out.extend_from_slice(b".5");
                }
            }
            Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Value::Date(date) => {
                let mut characters = date.characters();
                characters[4] = b'-';
                characters[7] = b'-';
                out.extend_from_slice(&characters);
            }
            Value::Time(seconds) => {
                let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
                out.extend_from_slice(format!("{hours:02}:{minutes:02}:{seconds:02}").as_bytes());
            }
            Value::Bytes(bytes) => {
                let digit = |bits: u8| char::from_digit(bits.into(), 16).unwrap_or_default() as u8;
                out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
            }
            Value::List(list) => {
                out.push(b'[');
                for (n, number) in list.iter().enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    match number {
                        Some(number) => append_integer(out, i64::from(*number)),
                        None => out.extend_from_slice(NULL),
                    }
                }
                out.push(b']');
            }
            Value::Bitboards(bitboards) => {
                let numbers: Vec<String> = bitboards.iter().map(u64::to_string).collect();
                out.extend_from_slice(format!("[{}]", numbers.join(",")).as_bytes());
            }
        }
    }
}

fn append_integer(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a string of JSON.
pub fn append_string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// The value of a tag's column for a text of the tag; `None` if the text means unknown or is not of the column's type.
pub(super) fn tag_value<'a>(name: &str, text: &'a str) -> Option<Value<'a>> {
    match Column::of_typed_tag(name) {
        Some(column) => typed_value(&column, text),
        None => known(text).map(Value::Text),
    }
}

/// The value of a column that reads the text of a tag as a number, a day or a time.
pub(super) fn typed_value<'a>(column: &Column, text: &str) -> Option<Value<'a>> {
    let text = text.trim();
    match column {
        Column::WhiteElo | Column::BlackElo => rating(text).map(|rating| Value::Number(rating.into())),
        Column::WhiteRatingDiff | Column::BlackRatingDiff => {
            let difference: i16 = text.parse().ok()?;
            Some(Value::Number(difference.into()))
        }
        Column::UtcDate => day(text).map(Value::Date),
        Column::UtcTime => time(text).map(Value::Time),
        _ => None,
    }
}

/// The month in which a game began in UTC, its day if known; `None` if the month is unknown.
pub fn utc_month(tags: &Tags) -> Option<Date> {
    let (date, flaw) = Date::read(tags.get("UTCDate")?.trim());
    (flaw.is_none() && date.year > 0 && date.month > 0).then_some(date)
}

/// A day such as `2013.01.31`; `None` if a part is unknown or the day does not exist.
fn day(text: &str) -> Option<Date> {
    let (date, flaw) = Date::read(text);
    (flaw.is_none() && date.year > 0 && date.month > 0 && date.day > 0).then_some(date)
}

/// A time of day such as `18:05:59`, in seconds.
fn time(text: &str) -> Option<u32> {
    let [hours, minutes, seconds] = numbers(text, ':', [2, 2, 2])?.map(u32::from);
    let time = hours * 3600 + minutes * 60 + seconds;
    (minutes < 60 && seconds < 60 && time < DAY).then_some(time)
}

/// Three numbers separated by `between`, each of the given number of digits.
fn numbers(text: &str, between: char, digits: [usize; 3]) -> Option<[u16; 3]> {
    let mut parts = text.split(between);
    let mut numbers = [0; 3];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(numbers)
}

/// The value of a tag without control characters, which PGN omits as well. `None` if the value means unknown.
pub fn known(value: &str) -> Option<Cow<'_, str>> {
    if is_plain(value) {
        return Some(Cow::Borrowed(value));
    }
    // In UTF-8, control characters are of ASCII or begin with 0xc2.
    let value = if value.bytes().any(|c| c.is_ascii_control() || c == 0xc2) {
        Cow::Owned(value.replace(char::is_control, ""))
    } else {
        Cow::Borrowed(value)
    };
    (!matches!(value.as_ref(), "" | "?" | "????.??.??")).then_some(value)
}

/// Lengths of the value of a tag as a field of `games.csv` and as a value in `games.ndjson`; `None` if it means unknown.
pub fn field_lengths(name: &str, value: &str) -> Option<(u64, u64)> {
    if let Some(column) = Column::of_typed_tag(name) {
        let value = typed_value(&column, value)?;
        let (mut field, mut json) = (Vec::new(), Vec::new());
        value.append_field(&mut field);
        value.append_json(&mut json);
        return Some((field.len() as u64, json.len() as u64));
    }
    if is_plain(value) {
        return Some((value.len() as u64, value.len() as u64 + 2));
    }
    let value = known(value)?;
    // Apart from control characters, JSON escapes only these two.
    let escaped = value.bytes().filter(|&c| matches!(c, b'"' | b'\\')).count();
    Some((field_len(&value) as u64, (value.len() + escaped + 2) as u64))
}

/// True for a known value that all tables show unchanged, as nearly all values are.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|c| IS_PLAIN[usize::from(c)])
}

/// For each byte, whether it can be copied as it is: without quotation marks, an escape, or a further test.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x7f {
        is_plain[byte as usize] = !matches!(byte, b'"' | b'\\' | b',' | b'?');
        byte += 1;
    }
    is_plain
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_two_digits_for_each_part() {
        for (text, seconds) in [
            ("18:05:59", Some(65_159)),
            ("00:00:00", Some(0)),
            ("23:59:59", Some(86_399)),
            ("24:00:00", None),
            ("18:60:00", None),
            ("8:05:59", None),
            ("18:5:59", None),
            ("018:05:59", None),
            ("+8:05:59", None),
            ("18:05", None),
            ("18:05:59:00", None),
        ] {
            assert_eq!(time(text), seconds, "{text}");
        }
    }

    #[test]
    fn lengths_are_those_of_the_fields() {
        for (name, value) in [
            ("White", "Morphy"),
            ("White", "Morphy, Paul"),
            ("White", "\"The\" \\ match"),
            ("White", "\",\n\u{7f}\u{85}\u{2028}é😀"),
            ("White", "/?"),
            ("WhiteElo", "2600 "),
            ("BlackRatingDiff", "-11"),
            ("UTCDate", "2013.01.31"),
            ("UTCTime", "09:05:59"),
        ] {
            let known = tag_value(name, value).unwrap();
            let (mut field, mut json) = (Vec::new(), Vec::new());
            known.append_field(&mut field);
            known.append_json(&mut json);
            let lens = (field.len() as u64, json.len() as u64);
            assert_eq!(field_lengths(name, value), Some(lens), "{value}");
        }
        assert_eq!(field_lengths("White", "?"), None);
        assert_eq!(field_lengths("WhiteElo", "strong"), None);
    }

    #[test]
    fn tags_of_types_are_read_by_one_rule() {
        let csv = |name: &str, text: &str| {
            let mut out = Vec::new();
            if let Some(value) = tag_value(name, text) {
                value.append_field(&mut out);
            }
            String::from_utf8(out).unwrap()
        };
        for (name, text, field) in [
            ("WhiteElo", "2600 ", "2600"),
            ("WhiteElo", "100", "100"),
            ("WhiteElo", "99", ""),
            ("WhiteElo", "3999", "3999"),
            ("WhiteElo", "4000", ""),
            ("BlackElo", "strong", ""),
            ("WhiteRatingDiff", "+11", "11"),
            ("BlackRatingDiff", "-7", "-7"),
            ("BlackRatingDiff", "?", ""),
            ("BlackRatingDiff", "40000", ""),
            ("UTCDate", "2013.01.31", "2013-01-31"),
            ("UTCDate", "2012.02.29", "2012-02-29"),
            ("UTCDate", "2013.02.29", ""),
            ("UTCDate", "2013.01.??", ""),
            ("UTCDate", "2013-01-31", "2013-01-31"),
            ("UTCDate", "31/1/2013 18:05", "2013-01-31"),
            ("UTCDate", "1/2/2013", ""),
            ("UTCDate", "2013.01.31.1", ""),
            ("UTCDate", "2013.+1.31", ""),
            ("UTCTime", "00:00:00", "00:00:00"),
            ("UTCTime", "23:59:59", "23:59:59"),
            ("UTCTime", "24:00:00", ""),
            ("UTCTime", "12:60:00", ""),
            ("UTCTime", "12:00", ""),
            ("Date", "2013.01.??", "2013.01.??"),
        ] {
            assert_eq!(csv(name, text), field, "{name} {text}");
        }
    }
}
