//! Tag pairs in the order of PGN export format.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{Display, Write};

use super::{Date, Outcome};
use crate::board::{Fen, Position};

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
#[inline]
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

/// Values of the tag `Variant` that mean Chess960, in lower case.
const CHESS960: [&str; 5] = [
    "chess960",
    "chess 960",
    "fischerandom",
    "fischerrandom",
    "fischer random",
];

/// True for a tag name that is safe in PGN. Names that start with `_` are not: many readers reject them and parse the
/// rest as moves.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// Digits and other ASCII as text.
fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The tags of one game, each at most once: the roster in its order, then all others in ASCII order of their
/// names.
///
/// Values are raw text; the PGN writer escapes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    outcome: Outcome,
    /// The values, one after another.
    values: String,
    /// Ranges of the values of the roster.
    roster: [Option<ValueRange>; 6],
    /// The other tags, sorted by name.
    others: Vec<Other>,
    /// True if the game has a set-up position that it cannot be played from, and no tag has it.
    has_no_start: bool,
}

/// A tag that is not in the roster.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    /// The first eight bytes of its name, which nearly always suffice to distinguish names.
    beginning: u64,
    name: Cow<'static, str>,
    value: ValueRange,
}

impl Other {
    /// Compares it by its name.
    fn cmp(&self, beginning: u64, name: &str) -> Ordering {
        let beginnings = self.beginning.cmp(&beginning);
        beginnings.then_with(|| self.name.as_ref().cmp(name))
    }
}

/// The first eight bytes of a name as a number, which sorts like the name.
#[inline]
fn beginning(name: &str) -> u64 {
    if let Some(first) = name.as_bytes().first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(name.bytes()) {
        *to = from;
    }
    u64::from_be_bytes(bytes)
}

/// The name of a tag to find in many games, with values that are computed once for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagName {
    name: String,
    roster_place: Option<usize>,
    beginning: u64,
}

impl TagName {
    /// A name for [`Tags::find`].
    pub fn new(name: impl Into<String>) -> TagName {
        let name = name.into();
        TagName {
            roster_place: roster_place(&name),
            beginning: beginning(&name),
            name,
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

/// Start and end of a value in [`Tags::values`].
type ValueRange = (usize, usize);

impl Tags {
    /// Tags with this result; all others are unknown.
    pub fn new(outcome: Outcome) -> Tags {
        Tags {
            outcome,
            values: String::with_capacity(256),
            roster: [None; 6],
            others: Vec::with_capacity(14),
            has_no_start: false,
        }
    }

    /// The result: the `Result` tag and the last token of the movetext.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Sets a tag, replacing an earlier value. In the roster, an empty value means unknown. `Result` and names that PGN
    /// does not allow (other than `[A-Za-z0-9][A-Za-z0-9_]*`) are ignored.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Display) {
        self.set_with(name, |values| {
            // Writing to a string cannot fail.
            let _ = write!(values, "{value}");
        });
    }

    /// Sets a tag to a text; see [`Tags::set`].
    pub fn set_str(&mut self, name: impl Into<Cow<'static, str>>, value: &str) {
        self.set_with(name, |values| values.push_str(value));
    }

    /// Sets a tag to a number; see [`Tags::set`].
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

    /// Sets a tag to a date; see [`Tags::set`].
    pub fn set_date(&mut self, name: impl Into<Cow<'static, str>>, date: Date) {
        self.set_with(name, |values| {
            values.push_str(ascii(&date.characters()));
        });
    }

    /// Sets a tag to the text that `append` adds to its argument; see [`Tags::set`].
    // Inlined so that everything that depends only on the name is decided at compile time.
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
        let is_empty = self.value(value).chars().all(char::is_control);
        match place.and_then(|place| self.roster.get_mut(place)) {
            Some(slot) => *slot = Some(value).filter(|_| !is_empty),
            None => self.set_other(beginning(&name), name, value),
        }
    }

    fn set_other(&mut self, beginning: u64, name: Cow<'static, str>, value: ValueRange) {
        match self.others.binary_search_by(|other| other.cmp(beginning, &name)) {
            Ok(found) => self.others[found].value = value,
            Err(gap) => {
                let other = Other {
                    beginning,
                    name,
                    value,
                };
                self.others.insert(gap, other);
            }
        }
    }

    /// All values that have been set, one after another.
    pub(crate) fn all_values(&self) -> &str {
        &self.values
    }

    /// The value of a tag; roster tags always have a value.
    // Inlined so that the compiler can resolve names it knows.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&str> {
        match roster_place(name) {
            Some(place) => Some(self.roster_value(place)),
            None => self.other(beginning(name), name),
        }
    }

    /// Like [`Tags::get`], but faster for a name that is needed in many games.
    pub fn find(&self, tag: &TagName) -> Option<&str> {
        match tag.roster_place {
            Some(place) => Some(self.roster_value(place)),
            None => self.other(tag.beginning, &tag.name),
        }
    }

    fn other(&self, beginning: u64, name: &str) -> Option<&str> {
        let found = self.others.binary_search_by(|other| other.cmp(beginning, name));
        found.ok().map(|found| self.value(self.others[found].value))
    }

    /// Marks a game that cannot be played from its set-up position. Formats do so where they show no `FEN`, because the
    /// game would otherwise count as one from the normal position.
    pub fn set_no_start(&mut self) {
        self.has_no_start = true;
    }

    /// Where the game begins: at the position of `FEN`, otherwise at the normal one. `None` if it cannot be played from
    /// its set-up position.
    pub fn start(&self) -> Option<Fen> {
        match self.get("FEN") {
            Some(fen) => Fen::parse(fen).ok(),
            None if self.has_no_start => None,
            None => Some(Fen {
                position: Position::initial(),
                first_move: 1,
            }),
        }
    }

    /// True if the tag `Variant` means Chess960.
    pub fn is_chess960(&self) -> bool {
        let variant = self.get("Variant").map(str::to_ascii_lowercase);
        variant.is_some_and(|variant| CHESS960.contains(&variant.as_str()))
    }

    /// All tags as `(name, value)`: the roster, then the others in ASCII order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let roster = ROSTER.iter().enumerate();
        roster
            .map(|(place, (name, _))| (*name, self.roster_value(place)))
            .chain(
                self.others
                    .iter()
                    .map(|other| (other.name.as_ref(), self.value(other.value))),
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

    #[test]
    fn an_empty_value_of_the_roster_is_unknown() {
        for (value, shown) in [("Tal", "Tal"), ("", "?"), ("\u{1}\u{85}", "?")] {
            let mut tags = Tags::new(Outcome::Draw);
            tags.set_str("White", "Keres");
            tags.set_str("White", value);
            tags.set_str("Annotator", value);
            assert_eq!(tags.get("White"), Some(shown));
            assert_eq!(tags.get("Annotator"), Some(value));
        }
    }
}
