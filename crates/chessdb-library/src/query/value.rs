//! Values of terms that ask for tags.

use unicode_normalization::UnicodeNormalization;

use super::bounds::{Bounds, BoundsError};
use super::days::Days;
use super::words::WantedWord;
use crate::library::DatabasePattern;
use crate::spelling::folded;
use crate::table::is_tag;
use crate::time_control::Speed;
use chessdb::game::Outcome;

/// An alternative in the text of a value.
#[derive(Debug)]
pub(super) struct WrittenAlternative {
    /// The text without quotation marks.
    pub(super) text: String,
    pub(super) is_quoted: bool,
    /// An equals sign precedes it.
    pub(super) is_exact: bool,
}

impl WrittenAlternative {
    /// True for `?`.
    pub(super) fn is_unknown(&self) -> bool {
        self.text == "?" && !self.is_quoted && !self.is_exact
    }
}

/// The kinds of values that fields of tags have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// The name of a player.
    Player,
    /// The name of an event.
    Event,
    /// Another text that a tag may have.
    Text,
    /// A text that is compared word by word.
    Words,
    Round,
    /// A tag or a [`GamePart`] that the game has.
    Part,
    Days,
    /// The number of a month.
    Month,
    /// A number that may be unknown.
    Rating,
    /// A number that every game has.
    Count,
    Code,
    Speed,
    Result,
    Deleted,
    Database,
}

impl ValueKind {
    /// True if the values are words of a text that can also be compared as a whole.
    pub(super) fn is_of_words(self) -> bool {
        matches!(self, ValueKind::Player | ValueKind::Event | ValueKind::Text)
    }

    /// True if a value can be a whole text, including letter case.
    fn has_exact_texts(self) -> bool {
        self.is_of_words() || matches!(self, ValueKind::Round | ValueKind::Code)
    }

    /// True if some games have no value.
    pub(super) fn is_sometimes_unknown(self) -> bool {
        use ValueKind as K;
        !matches!(self, K::Words | K::Part | K::Count | K::Deleted | K::Database)
    }
}

/// How much of a game a term must read. Later variants take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TagSource {
    Keys,
    Tags,
    Game,
}

/// An alternative of the value of a term about tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagValue {
    /// The value is unknown.
    Unknown,
    /// The text has words that start with these.
    Words(Vec<WantedWord>),
    /// The text is this one.
    Exact(String),
    /// The round, or its first part, is this text in small letters.
    Round(String),
    Number(Bounds),
    Date(Days),
    /// The code is in this range, in capital letters.
    Code([u8; 3], [u8; 3]),
    /// The speed is one of these.
    Speed(&'static [Speed]),
    Result(Outcome),
    /// The player has won.
    Win,
    /// The player has lost.
    Loss,
    /// The game has this tag, in small letters.
    HasTag(String),
    Has(GamePart),
    /// Whether the game is marked as deleted.
    Deleted(bool),
    /// All games.
    Any,
    Database(DatabasePattern),
}

impl TagValue {
    /// The least that must be read of a game to compare it with the value.
    pub(super) fn source(&self) -> TagSource {
        match self {
            TagValue::Has(GamePart::Chess960) => TagSource::Tags,
            TagValue::Has(_) => TagSource::Game,
            _ => TagSource::Keys,
        }
    }
}

/// Parts that a game may have besides its tags and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GamePart {
    Comments,
    Variations,
    Chess960,
    Clock,
    Evaluations,
    Arrows,
}

/// The values of `speed:`.
const SPEEDS: [(&str, &[Speed]); 6] = [
    ("ultrabullet", &[Speed::UltraBullet]),
    ("bullet", &[Speed::UltraBullet, Speed::Bullet]),
    ("blitz", &[Speed::Blitz]),
    ("rapid", &[Speed::Rapid]),
    ("classical", &[Speed::Classical]),
    ("correspondence", &[Speed::Correspondence]),
];

/// The values of `result:` that do not depend on a player.
const RESULTS: [(&str, Outcome); 5] = [
    ("1-0", Outcome::WhiteWins),
    ("0-1", Outcome::BlackWins),
    ("draw", Outcome::Draw),
    ("1/2-1/2", Outcome::Draw),
    ("*", Outcome::Unknown),
];

/// The values of `has:` that are not tags.
const CONTENTS: [(&str, GamePart); 6] = [
    ("comments", GamePart::Comments),
    ("variations", GamePart::Variations),
    ("chess960", GamePart::Chess960),
    ("clock", GamePart::Clock),
    ("eval", GamePart::Evaluations),
    ("arrows", GamePart::Arrows),
];

/// The values of `has:` other than tags, and `fen`, which is the tag of a set-up.
pub(super) fn names_of_parts() -> impl Iterator<Item = &'static str> {
    CONTENTS.iter().map(|(name, _)| *name).chain(["fen"])
}

/// Reads an alternative of a field that has this name. Returns it with its canonical text, which is not yet quoted.
///
/// # Errors
/// Says what would be right.
pub(super) fn read(
    kind: ValueKind,
    field: &str,
    written: &WrittenAlternative,
    is_name: bool,
) -> Result<(TagValue, String), String> {
    if written.is_unknown() && kind.is_sometimes_unknown() {
        return Ok((TagValue::Unknown, "?".to_owned()));
    }
    if written.is_exact {
        return if kind.has_exact_texts() {
            Ok(exact(&written.text))
        } else {
            Err(no_exact_texts(field))
        };
    }
    let text = &written.text;
    match kind {
        ValueKind::Player | ValueKind::Event | ValueKind::Text | ValueKind::Words => {
            words(text, written.is_quoted)
        }
        ValueKind::Round => round(text, written.is_quoted, is_name),
        ValueKind::Part => part(text),
        ValueKind::Days => {
            let days = Days::parse(text)?;
            let canonical = days.to_string();
            Ok((TagValue::Date(days), canonical))
        }
        ValueKind::Month => month(text),
        ValueKind::Rating => number(text, "2500.."),
        ValueKind::Count => number(text, "..20"),
        ValueKind::Code => codes(text),
        ValueKind::Speed => speed(text),
        ValueKind::Result => result(text, is_name),
        ValueKind::Deleted => match &*folded(text) {
            "yes" => Ok((TagValue::Deleted(true), "yes".to_owned())),
            "no" => Ok((TagValue::Deleted(false), "no".to_owned())),
            "any" => Ok((TagValue::Any, "any".to_owned())),
            _ => Err("expected yes, no or any".to_owned()),
        },
        ValueKind::Database => {
            let text: String = text.chars().map(small).collect();
            let pattern = if is_name {
                DatabasePattern::parse_name(&text)
            } else {
                DatabasePattern::parse(&text)
            };
            let wanted = |error| format!("expected a pattern such as *.pgn: {error}");
            Ok((TagValue::Database(pattern.map_err(wanted)?), text))
        }
    }
}

pub(super) fn no_exact_texts(field: &str) -> String {
    format!("{field}: has no exact texts; leave out the equals sign")
}

fn exact(text: &str) -> (TagValue, String) {
    let text: String = text.nfc().collect();
    (TagValue::Exact(text.clone()), text)
}

/// Words of a name or another text.
fn words(text: &str, is_quoted: bool) -> Result<(TagValue, String), String> {
    if text.contains("..") && !is_quoted {
        return Err("expected words, not a range; to search for the text, quote it".to_owned());
    }
    let words = WantedWord::all(text);
    if words.is_empty() {
        return Err("expected a letter or a digit".to_owned());
    }
    let canonical = WantedWord::text_of(&words);
    Ok((TagValue::Words(words), canonical))
}

/// The number of a month, or a range of numbers.
fn month(text: &str) -> Result<(TagValue, String), String> {
    let read = number(text, "11 or 6..8")?;
    let is_month = |number: Option<i64>| number.is_none_or(|number| (1..=12).contains(&number));
    match &read.0 {
        TagValue::Number(bounds) if is_month(bounds.least) && is_month(bounds.most) => Ok(read),
        _ => Err("expected a month from 1 to 12 or a range such as 6..8".to_owned()),
    }
}

/// A number or a range of numbers.
pub(super) fn bounds(text: &str, example: &str) -> Result<Bounds, String> {
    text.parse().map_err(|error| match error {
        BoundsError::Reversed => error.to_string(),
        _ => format!("expected a number or a range such as {example}"),
    })
}

fn number(text: &str, example: &str) -> Result<(TagValue, String), String> {
    let bounds = bounds(text, example)?;
    Ok((TagValue::Number(bounds), bounds.to_string()))
}

fn round(text: &str, is_quoted: bool, is_name: bool) -> Result<(TagValue, String), String> {
    if text.contains("..") && !is_quoted {
        return number(text, "1..3");
    }
    // Folding turns other characters into blanks and slashes.
    let folded = folded(text);
    let mut text = folded.trim().to_owned();
    if is_name {
        text = text.replace('/', "_");
    }
    if text.is_empty() {
        return Err("expected a round such as 1, 1.2 or final".to_owned());
    }
    if text.bytes().all(|c| c.is_ascii_digit()) {
        return number(&text, "1..3");
    }
    Ok((TagValue::Round(text.clone()), text))
}

fn part(text: &str) -> Result<(TagValue, String), String> {
    let text = text.to_lowercase();
    let content = CONTENTS.iter().find(|(name, _)| *name == text);
    if let Some((_, content)) = content {
        return Ok((TagValue::Has(*content), text));
    }
    if !is_tag(&text) {
        let names: Vec<&str> = names_of_parts().collect();
        return Err(format!(
            "expected the name of a tag, or one of {}",
            names.join(", ")
        ));
    }
    Ok((TagValue::HasTag(text.clone()), text))
}

fn speed(text: &str) -> Result<(TagValue, String), String> {
    let text = text.to_lowercase();
    let row = SPEEDS.iter().find(|(name, _)| *name == text);
    let (_, speeds) = row.ok_or_else(|| {
        let names = SPEEDS.map(|(name, _)| name).join(", ");
        format!("expected one of {names}")
    })?;
    Ok((TagValue::Speed(speeds), text))
}

fn result(text: &str, is_name: bool) -> Result<(TagValue, String), String> {
    let mut text = folded(text);
    if is_name {
        text = text.replace('_', "/");
    }
    if let Some((_, outcome)) = RESULTS.iter().find(|(name, _)| *name == text) {
        let first = RESULTS.iter().find(|(_, other)| other == outcome);
        let canonical = first.map_or("", |(name, _)| name);
        return Ok((TagValue::Result(*outcome), canonical.to_owned()));
    }
    match &*text {
        "win" => Ok((TagValue::Win, text)),
        "loss" => Ok((TagValue::Loss, text)),
        _ => Err("expected 1-0, 0-1, 1/2-1/2, draw or *, or with one player: win or loss".to_owned()),
    }
}

/// A code, the start of one, or a range of these.
fn codes(text: &str) -> Result<(TagValue, String), String> {
    let wanted = || "expected a code such as B, B9 or B90, or a range such as B90..B99".to_owned();
    let upper = text.to_ascii_uppercase();
    let is_code = |code: &str| match code.as_bytes() {
        [b'A'..=b'E', digits @ ..] => digits.len() <= 2 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    // The first or last code with this prefix.
    let end = |code: &str, fill: u8| -> Option<[u8; 3]> {
        let bytes = code.bytes().chain([fill, fill]).take(3);
        bytes.collect::<Vec<u8>>().try_into().ok()
    };
    let (first, last) = upper.split_once("..").unwrap_or((&upper, &upper));
    let is_right = |code: &str| code.is_empty() || is_code(code);
    if first.is_empty() && last.is_empty() || !is_right(first) || !is_right(last) {
        return Err(wanted());
    }
    let first = if first.is_empty() { "A" } else { first };
    let last = if last.is_empty() { "E" } else { last };
    let ends = end(first, b'0').zip(end(last, b'9'));
    let (first, last) = ends.ok_or_else(wanted)?;
    if first > last {
        return Err("the range is the wrong way round: the smaller code comes first".to_owned());
    }
    Ok((TagValue::Code(first, last), code_text(first, last)))
}

/// The shortest text for all codes from `first` to `last`.
fn code_text(first: [u8; 3], last: [u8; 3]) -> String {
    let text = |code: &[u8]| String::from_utf8_lossy(code).into_owned();
    let is_first = |len: usize| first.iter().skip(len).all(|&c| c == b'0');
    let is_last = |len: usize| last.iter().skip(len).all(|&c| c == b'9');
    let same = (1..=3).find(|&len| first[..len] == last[..len] && is_first(len) && is_last(len));
    if let Some(len) = same {
        return text(&first[..len]);
    }
    let from = (1..=3)
        .find(|&len| is_first(len))
        .map_or(String::new(), |len| text(&first[..len]));
    let to = (1..=3)
        .find(|&len| is_last(len))
        .map_or(String::new(), |len| text(&last[..len]));
    format!("{from}..{to}")
}

/// The small form of a letter if it is one letter, as patterns compare them.
fn small(letter: char) -> char {
    let mut letters = letter.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(small), None) => small,
        _ => letter,
    }
}
