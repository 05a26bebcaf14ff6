//! The roles of columns, and their values as texts of tags (section 5).

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

use super::page::{Stored, Value};
use crate::game::Date;
use crate::text::{TextEncoding, without_cut_character};

/// The meaning of the numbers in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The column has texts or plain numbers.
    Plain,
    /// Numbers of 32 bits without a sign.
    Unsigned,
    /// Numbers of 64 bits without a sign.
    Unsigned64,
    /// Days since 1970.
    Day,
    /// A time of day, with the number of units in a second.
    Time(i64),
    /// A time since 1970, with the number of units in a second.
    Moment(i64),
}

/// The part of a game that is in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A tag, with its name.
    Tag(String),
    /// The moves. If several columns have moves, the one with the lowest number is read.
    Moves(usize),
    /// Whether the game is marked as deleted.
    Deleted,
    /// Tags that have no column, as in PGN.
    OtherTags,
}

/// The columns with moves, in order of preference.
pub(super) const WITH_MOVES: [&str; 3] = ["movetext", "pgn", "moves"];

/// Number of the column in [`WITH_MOVES`] whose texts contain tags too.
pub(super) const PGN: usize = 1;

/// The column of truth values: true for games that are marked as deleted.
const DELETED: &str = "deleted";

/// The column for all tags that have no separate column, in a table with very many tags.
const OTHER_TAGS: &str = "other_tags";

/// The prefix of a column with the text of a tag, if another column has the same tag as a number.
const TAG: &str = "tag:";

impl Role {
    /// True if a column with this role may be stored like this.
    pub(super) fn may_be_stored_as(&self, stored: Stored) -> bool {
        match self {
            Role::Deleted => stored == Stored::Bits,
            Role::Moves(_) | Role::OtherTags => stored == Stored::Texts,
            Role::Tag(_) => stored != Stored::Bits,
        }
    }

    /// The role of a column with this name; `None` if the column is not read.
    pub(super) fn of(name: &str) -> Option<Role> {
        if let Some(number) = WITH_MOVES.iter().position(|column| *column == name) {
            return Some(Role::Moves(number));
        }
        if name == DELETED {
            return Some(Role::Deleted);
        }
        if name == OTHER_TAGS {
            return Some(Role::OtherTags);
        }
        let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase());
        let tag = name.strip_prefix(TAG).or(is_capital.then_some(name))?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphanumeric()) && tag.chars().all(is_name);
        is_tag.then(|| Role::Tag(tag.to_owned()))
    }
}

/// How the values of a column are stored, and their meaning; `None` for a column that is not about games.
pub(super) fn form(column: &ColumnDescriptor) -> Option<(Stored, Meaning)> {
    let stored = match column.physical_type() {
        Type::BYTE_ARRAY => Stored::Texts,
        Type::INT32 => Stored::Int32,
        Type::INT64 => Stored::Int64,
        Type::FLOAT => Stored::Float,
        Type::DOUBLE => Stored::Double,
        Type::BOOLEAN => Stored::Bits,
        Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY => return None,
    };
    let parts = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    };
    let meaning = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Meaning::Day,
        (Some(LogicalType::Time(time)), _) => Meaning::Time(parts(&time.unit)),
        (None, ConvertedType::TIME_MILLIS) => Meaning::Time(1_000),
        (None, ConvertedType::TIME_MICROS) => Meaning::Time(1_000_000),
        (Some(LogicalType::Timestamp(moment)), _) => Meaning::Moment(parts(&moment.unit)),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Moment(1_000),
        (None, ConvertedType::TIMESTAMP_MICROS) => Meaning::Moment(1_000_000),
        (Some(LogicalType::Decimal(_)), _) | (_, ConvertedType::DECIMAL) => return None,
        (Some(LogicalType::Integer(kind)), _) if !kind.is_signed && stored == Stored::Int64 => {
            Meaning::Unsigned64
        }
        (Some(LogicalType::Integer(kind)), _) if !kind.is_signed => Meaning::Unsigned,
        (None, ConvertedType::UINT_64) => Meaning::Unsigned64,
        (None, ConvertedType::UINT_32) => Meaning::Unsigned,
        _ => Meaning::Plain,
    };
    Some((stored, meaning))
}

/// Appends the text of a value for a tag. Characters that PGN ignores are left out, and line ends become spaces.
pub(super) fn append(name: &str, meaning: Meaning, value: Value<'_>, texts: TextEncoding, out: &mut String) {
    let is_signed = name.ends_with("RatingDiff");
    let number = match value {
        Value::Text(text) => {
            let cut = text.get(..LONGEST_VALUE).map(without_cut_character);
            return append_clean(cut.unwrap_or(text), texts, out);
        }
        Value::Number(number) => number,
        // Programs that cannot store missing integers turn the whole column into real numbers, where zero may have a
        // sign.
        Value::Real(number) if number.fract() == 0.0 => {
            let number = number + 0.0;
            return out.push_str(&match is_signed {
                true => format!("{number:+.0}"),
                false => format!("{number:.0}"),
            });
        }
        Value::Real(number) if number.is_finite() => return out.push_str(&number.to_string()),
        Value::Real(_) => return,
    };
    const DAY: i64 = 86_400;
    match meaning {
        Meaning::Plain if is_signed => out.push_str(&format!("{number:+}")),
        Meaning::Plain => out.push_str(&number.to_string()),
        Meaning::Unsigned => {
            let number = i32::try_from(number).map_or(number, |number| number.cast_unsigned().into());
            out.push_str(&number.to_string());
        }
        Meaning::Unsigned64 => out.push_str(&number.cast_unsigned().to_string()),
        Meaning::Day => append_day(number, out),
        Meaning::Time(parts) => append_time(number.div_euclid(parts), out),
        Meaning::Moment(parts) => {
            let seconds = number.div_euclid(parts);
            let (day, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
            match name {
                _ if name.ends_with("Date") => append_day(day, out),
                _ if name.ends_with("Time") => append_time(time, out),
                _ => {
                    append_day(day, out);
                    out.push(' ');
                    append_time(time, out);
                }
            }
        }
    }
}

/// Maximum number of bytes of a value: the reader of PGN would cut a longer tag, perhaps inside an escape.
const LONGEST_VALUE: usize = 30_000;

fn append_clean(text: &[u8], texts: TextEncoding, out: &mut String) {
    let is_plain = |c: &u8| (b' '..0x7f).contains(c);
    if text.iter().all(is_plain) {
        return crate::text::append_ascii(text, out);
    }
    let text = texts.decode(text);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                out.push(' ');
            }
            '\n' | '\t' => out.push(' '),
            '\u{feff}' | '\0' | '\u{1a}' => {}
            character => out.push(character),
        }
    }
}

/// Appends a day in the form of PGN; nothing for a day that PGN cannot express.
fn append_day(days: i64, out: &mut String) {
    let Some(date) = date_of(days) else { return };
    out.push_str(&date.to_string());
}

/// The date this many days after 1 January 1970; `None` if its year does not have four digits.
fn date_of(days: i64) -> Option<Date> {
    // Year 1 and year 9999.
    if !(-719_162..=2_932_896).contains(&days) {
        return None;
    }
    // Years start in March here, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    Some(Date::new(
        u16::try_from(year).ok()?,
        u8::try_from(month).ok()?,
        u8::try_from(day).ok()?,
    ))
}

fn append_time(seconds: i64, out: &mut String) {
    if (0..86_400).contains(&seconds) {
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        out.push_str(&format!("{hours:02}:{minutes:02}:{seconds:02}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let mut next = Date::new(1, 1, 1);
        let mut all = 0;
        for days in -719_162..=2_932_896 {
            assert_eq!(date_of(days), Some(next));
            let Date { year, month, day } = next;
            let number = Date::days_since_1970(year.into(), month.into(), day.into());
            assert_eq!(number, days);
            next = match (month, u16::from(day) == Date::days_of_month(year, month.into())) {
                (_, false) => Date { day: day + 1, ..next },
                (12, true) => Date {
                    year: year + 1,
                    month: 1,
                    day: 1,
                },
                (_, true) => Date {
                    month: month + 1,
                    day: 1,
                    ..next
                },
            };
            all += 1;
        }
        assert_eq!(
            (all, date_of(2_932_897), date_of(-719_163)),
            (3_652_059, None, None)
        );
    }

    #[test]
    fn older_types_mean_what_newer_ones_do() {
        let form_of = |text: &str| {
            let schema = parquet::schema::parser::parse_message_type(text).unwrap();
            form(&parquet::schema::types::SchemaDescriptor::new(schema.into()).column(0))
        };
        for (of_column, unit) in [
            ("INT32 a (TIME_MILLIS)", Meaning::Time(1_000)),
            ("INT64 a (TIME_MICROS)", Meaning::Time(1_000_000)),
            ("INT64 a (TIMESTAMP_MILLIS)", Meaning::Moment(1_000)),
            ("INT64 a (TIMESTAMP_MICROS)", Meaning::Moment(1_000_000)),
            ("INT32 a (DATE)", Meaning::Day),
            ("INT32 a (UINT_32)", Meaning::Unsigned),
            ("INT64 a (UINT_64)", Meaning::Unsigned64),
            ("INT32 a (INTEGER(32,false))", Meaning::Unsigned),
            ("INT64 a (INTEGER(64,false))", Meaning::Unsigned64),
            ("INT64 a (INTEGER(64,true))", Meaning::Plain),
            ("INT32 a", Meaning::Plain),
        ] {
            let found = form_of(&format!("message games {{ REQUIRED {of_column}; }}"));
            assert!(found.is_some_and(|(_, meaning)| meaning == unit), "{of_column}");
        }
    }

    #[test]
    fn values_are_written_as_lichess_writes_them() {
        let shown = |name: &str, meaning, value| {
            let mut text = String::new();
            append(name, meaning, value, TextEncoding { forced: None }, &mut text);
            text
        };
        use Value::{Number, Real, Text};
        for (name, meaning, value, text) in [
            ("WhiteElo", Meaning::Plain, Number(2640), "2640"),
            ("WhiteElo", Meaning::Plain, Real(1500.0), "1500"),
            ("WhiteElo", Meaning::Plain, Real(1500.5), "1500.5"),
            ("WhiteElo", Meaning::Plain, Real(f64::NAN), ""),
            ("Node", Meaning::Unsigned, Number(-1), "4294967295"),
            ("Node", Meaning::Unsigned64, Number(-1), "18446744073709551615"),
            (
                "Node",
                Meaning::Unsigned64,
                Number(i64::MIN),
                "9223372036854775808",
            ),
            (
                "Node",
                Meaning::Unsigned64,
                Number(i64::MAX),
                "9223372036854775807",
            ),
            ("WhiteRatingDiff", Meaning::Plain, Number(7), "+7"),
            ("WhiteRatingDiff", Meaning::Plain, Number(0), "+0"),
            ("BlackRatingDiff", Meaning::Plain, Number(-120), "-120"),
            ("BlackRatingDiff", Meaning::Plain, Real(5.0), "+5"),
            ("BlackRatingDiff", Meaning::Plain, Real(-0.0), "+0"),
            (
                "Node",
                Meaning::Plain,
                Real(9_007_199_254_740_991.0),
                "9007199254740991",
            ),
            (
                "Node",
                Meaning::Plain,
                Real(9_007_199_254_740_992.0),
                "9007199254740992",
            ),
            ("Node", Meaning::Plain, Real(-1e20), "-100000000000000000000"),
            ("UTCDate", Meaning::Day, Number(15_736), "2013.01.31"),
            ("UTCDate", Meaning::Day, Number(i64::MAX), ""),
            ("UTCTime", Meaning::Time(1_000), Number(83_000), "00:01:23"),
            ("UTCTime", Meaning::Time(1_000), Number(86_400_000), ""),
            ("UTCTime", Meaning::Moment(1_000_000), Number(-1), "23:59:59"),
            ("UTCDate", Meaning::Moment(1_000_000), Number(-1), "1969.12.31"),
            ("Started", Meaning::Moment(1), Number(0), "1970.01.01 00:00:00"),
            ("White", Meaning::Plain, Text("a\r\nb\tc\0é".as_bytes()), "a b cé"),
            ("White", Meaning::Plain, Text(b"R\xe9ti"), "Réti"),
        ] {
            assert_eq!(shown(name, meaning, value), text, "{name} {value:?}");
        }
    }

    #[test]
    fn a_value_has_at_most_30_000_bytes() {
        for (len, kept) in [(29_999, 29_999), (30_000, 30_000), (30_001, 30_000)] {
            let mut text = String::new();
            let value = "a".repeat(len);
            let texts = TextEncoding { forced: None };
            append(
                "Event",
                Meaning::Plain,
                Value::Text(value.as_bytes()),
                texts,
                &mut text,
            );
            assert_eq!(text.len(), kept);
        }
        let mut text = String::new();
        let value = format!("a{}", "é".repeat(15_000));
        let texts = TextEncoding { forced: None };
        append(
            "Event",
            Meaning::Plain,
            Value::Text(value.as_bytes()),
            texts,
            &mut text,
        );
        assert_eq!(text, value[..29_999]);
    }

    #[test]
    fn columns_named_as_tags_are_tags() {
        let tag = |name: &str| Some(Role::Tag(name.to_owned()));
        assert_eq!(Role::of("WhiteElo"), tag("WhiteElo"));
        assert_eq!(Role::of("tag:WhiteElo"), tag("WhiteElo"));
        assert_eq!(Role::of("pgn"), Some(Role::Moves(PGN)));
        assert_eq!(Role::of("other_tags"), Some(Role::OtherTags));
        assert_eq!(Role::of("tag:other_tags"), tag("other_tags"));
        for other in ["database", "White Elo", "tag:", "tag:_x", "Größe", ""] {
            assert_eq!(Role::of(other), None, "{other}");
        }
    }
}
