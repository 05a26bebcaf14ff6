//! Tag pairs in the order in which PGN export format wants them.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use super::{Date, Outcome};

/// The seven tag roster with what stands for an unknown value.
pub const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The tags of one game: the roster in its order, then all others in ASCII order of their names, each once.
///
/// Values are raw text; the PGN writer escapes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    outcome: Outcome,
    values: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    name: Cow<'static, str>,
    start: usize,
    end: usize,
}

impl Tags {
    /// Tags of a game with this result; everything else is unknown.
    pub fn new(outcome: Outcome) -> Tags {
        Tags {
            outcome,
            values: String::with_capacity(96),
            rows: Vec::with_capacity(12),
        }
    }

    /// The result: the `Result` tag and the last token of the movetext.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Sets a tag, replacing an earlier value. `Result` is not set here, and names that PGN does not allow
    /// (other than `[A-Za-z0-9_]+`) are left out.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Display) {
        self.set_with(name.into(), |values| {
            // Writing to a string cannot fail.
            let _ = write!(values, "{value}");
        });
    }

    /// Sets a tag to a text, as [`Tags::set`] does.
    pub fn set_str(&mut self, name: impl Into<Cow<'static, str>>, value: &str) {
        self.set_with(name.into(), |values| values.push_str(value));
    }

    /// Sets a tag to a number, as [`Tags::set`] does.
    pub fn set_number(&mut self, name: impl Into<Cow<'static, str>>, value: u32) {
        self.set_with(name.into(), |values| {
            let mut digits = [b'0'; 10];
            let mut rest = value;
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            let first = digits
                .iter()
                .position(|&digit| digit != b'0')
                .unwrap_or(digits.len() - 1);
            values.extend(digits.iter().skip(first).map(|&digit| char::from(digit)));
        });
    }

    /// Sets a tag to a date, as [`Tags::set`] does.
    pub fn set_date(&mut self, name: impl Into<Cow<'static, str>>, date: Date) {
        self.set_with(name.into(), |values| {
            values.extend(date.characters().map(char::from));
        });
    }

    fn set_with(&mut self, name: Cow<'static, str>, append: impl FnOnce(&mut String)) {
        let is_plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        if name.is_empty() || name == "Result" || !is_plain {
            return;
        }
        let start = self.values.len();
        append(&mut self.values);
        let end = self.values.len();
        match self.rows.iter_mut().find(|row| row.name == name) {
            Some(row) => (row.start, row.end) = (start, end),
            None => self.rows.push(Row { name, start, end }),
        }
    }

    /// Sets a tag where there is a value.
    pub fn set_known(&mut self, name: &'static str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// The value of a tag; roster tags always have one.
    pub fn get(&self, name: &str) -> Option<&str> {
        if name == "Result" {
            return Some(self.outcome.token());
        }
        let stored = self.rows.iter().find(|row| row.name == name);
        let unknown = ROSTER.iter().find(|row| row.0 == name).map(|row| row.1);
        stored
            .and_then(|row| self.values.get(row.start..row.end))
            .or(unknown)
    }

    /// All tags as `(name, value)`: the roster, then the others in ASCII order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut others: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| !ROSTER.iter().any(|(name, _)| *name == row.name))
            .collect();
        others.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        ROSTER
            .iter()
            .map(|&(name, unknown)| (name, self.get(name).unwrap_or(unknown)))
            .chain(others.into_iter().map(|row| {
                (
                    row.name.as_ref(),
                    self.values.get(row.start..row.end).unwrap_or_default(),
                )
            }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roster_comes_first_and_the_rest_is_sorted() {
        let mut tags = Tags::new(Outcome::Draw);
        tags.set("WhiteElo", 2700);
        tags.set("White", "Kasparov, Garry");
        tags.set("ECO", "B97");
        tags.set("ECO", "B98");
        tags.set("bad name", "x");
        let names: Vec<_> = tags.iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "WhiteElo"
            ]
        );
        assert_eq!(tags.get("White"), Some("Kasparov, Garry"));
        assert_eq!(tags.get("ECO"), Some("B98"));
        assert_eq!(tags.get("Date"), Some("????.??.??"));
        assert_eq!(tags.get("Result"), Some("1/2-1/2"));
        assert_eq!(tags.get("Annotator"), None);
    }
}
