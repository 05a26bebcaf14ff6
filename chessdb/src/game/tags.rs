//! Tag pairs in the order of PGN export format.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use super::{Date, Outcome};

/// The seven tag roster with the placeholders for unknown values.
pub const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Place of a tag in the roster.
fn roster_place(name: &str) -> Option<usize> {
    match name {
        "Event" => Some(0),
        "Site" => Some(1),
        "Date" => Some(2),
        "Round" => Some(3),
        "White" => Some(4),
        "Black" => Some(5),
        "Result" => Some(6),
        _ => None,
    }
}

/// A name that PGN allows. Many readers do not accept a name that begins with `_` and read what follows as moves.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// Digits and other ASCII as text.
fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The tags of one game: the roster in its order, then all others in ASCII order of their names, each once.
///
/// Values are raw text; the PGN writer escapes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    outcome: Outcome,
    /// The values, one after another.
    values: String,
    /// Ranges of the values of the roster.
    roster: [Option<ValueRange>; 6],
    /// The others, sorted by name.
    others: Vec<(Cow<'static, str>, ValueRange)>,
}

/// Start and end of a value in [`Tags::values`].
type ValueRange = (usize, usize);

impl Tags {
    /// Tags of a game with this result; everything else is unknown.
    pub fn new(outcome: Outcome) -> Tags {
        Tags {
            outcome,
            values: String::with_capacity(256),
            roster: [None; 6],
            others: Vec::with_capacity(6),
        }
    }

    /// The result: the `Result` tag and the last token of the movetext.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Sets a tag, replacing an earlier value. `Result` is not set here, and names that PGN does not allow
    /// (other than `[A-Za-z0-9][A-Za-z0-9_]*`) are left out.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Display) {
        self.set_with(name, |values| {
            // Writing to a string cannot fail.
            let _ = write!(values, "{value}");
        });
    }

    /// Sets a tag to a text, as [`Tags::set`] does.
    pub fn set_str(&mut self, name: impl Into<Cow<'static, str>>, value: &str) {
        self.set_with(name, |values| values.push_str(value));
    }

    /// Sets a tag to a number, as [`Tags::set`] does.
    pub fn set_number(&mut self, name: impl Into<Cow<'static, str>>, value: u32) {
        self.set_with(name, |values| {
            let mut digits = [b'0'; 10];
            let mut rest = value;
            let mut first = digits.len();
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
                first -= 1;
                if rest == 0 {
                    break;
                }
            }
            values.push_str(ascii(digits.get(first..).unwrap_or_default()));
        });
    }

    /// Sets a tag to a date, as [`Tags::set`] does.
    pub fn set_date(&mut self, name: impl Into<Cow<'static, str>>, date: Date) {
        self.set_with(name, |values| {
            values.push_str(ascii(&date.characters()));
        });
    }

    /// Sets a tag to the text that `append` adds to its argument, as [`Tags::set`] does.
    // Inlined, so that what depends on the name alone is decided at compile time.
    #[inline(always)]
    pub fn set_with(&mut self, name: impl Into<Cow<'static, str>>, append: impl FnOnce(&mut String)) {
        let name = name.into();
        let place = roster_place(&name);
        let settable = place.map_or_else(|| is_name(&name), |place| place < self.roster.len());
        if !settable {
            return;
        }
        let start = self.values.len();
        append(&mut self.values);
        let value = (start, self.values.len());
        match place.and_then(|place| self.roster.get_mut(place)) {
            Some(slot) => *slot = Some(value),
            None => self.set_other(name, value),
        }
    }

    fn set_other(&mut self, name: Cow<'static, str>, value: ValueRange) {
        match self.others.binary_search_by(|(other, _)| other.cmp(&name)) {
            Ok(found) => self.others[found].1 = value,
            Err(gap) => self.others.insert(gap, (name, value)),
        }
    }

    /// All values that have been set, one after another.
    pub(crate) fn all_values(&self) -> &str {
        &self.values
    }

    /// The value of a tag; roster tags always have one.
    pub fn get(&self, name: &str) -> Option<&str> {
        match roster_place(name) {
            Some(place) => Some(self.roster_value(place)),
            None => {
                let found = self
                    .others
                    .binary_search_by(|(other, _)| other.as_ref().cmp(name));
                found.ok().map(|found| self.value(self.others[found].1))
            }
        }
    }

    /// All tags as `(name, value)`: the roster, then the others in ASCII order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let roster = ROSTER.iter().enumerate();
        roster
            .map(|(place, (name, _))| (*name, self.roster_value(place)))
            .chain(
                self.others
                    .iter()
                    .map(|(name, place)| (name.as_ref(), self.value(*place))),
            )
    }

    fn roster_value(&self, place: usize) -> &str {
        match self.roster.get(place) {
            Some(Some(found)) => self.value(*found),
            Some(None) => ROSTER[place].1,
            None => self.outcome.token(),
        }
    }

    fn value(&self, (start, end): ValueRange) -> &str {
        self.values.get(start..end).unwrap_or_default()
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
        tags.set("_name", "x");
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
