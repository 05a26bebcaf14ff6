//! Values of template fields.

use std::cell::OnceCell;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{Field, TemplatePart};
use crate::tree::names::{canonical, canonical_text, event_and_year, shown};
use chessdb::game::{Date, Outcome, Tags};
use chessdb::{Database, Keys, TextId};
use chessdb_library::spelling::Names;

/// A game for which a template is evaluated.
pub(in crate::tree) struct TemplateGame<'a> {
    pub(in crate::tree) database: &'a dyn Database,
    pub(in crate::tree) game: u32,
    pub(in crate::tree) keys: Keys,
    /// Number of digits in the numbers of games.
    pub(in crate::tree) digits: usize,
    /// True if [`Field::Player`] stands for Black, false if it stands for White.
    pub(in crate::tree) is_black: bool,
    /// The names that are shown for players, if these are not the stored ones.
    pub(in crate::tree) names: Option<&'a Names>,
    tags: OnceCell<Tags>,
}

impl<'a> TemplateGame<'a> {
    /// A game whose [`Field::Player`] is White.
    pub(in crate::tree) fn new(
        database: &'a dyn Database,
        game: u32,
        keys: Keys,
        digits: usize,
    ) -> TemplateGame<'a> {
        TemplateGame {
            database,
            game,
            keys,
            digits,
            is_black: false,
            names: None,
            tags: OnceCell::new(),
        }
    }

    /// The text of a part; `None` if the value is unknown.
    pub(in crate::tree) fn part(&self, part: &TemplatePart) -> Option<String> {
        match part {
            TemplatePart::Text(text) => Some(text.clone()),
            TemplatePart::Value(field, None) => self.value(field),
            TemplatePart::Value(field, Some(first)) => Some(first_characters(self.value(field)?, *first)),
            TemplatePart::Initials(field, first) => initials(&self.value(field)?, *first),
        }
    }

    /// The value of a field; `None` if it is unknown.
    pub(in crate::tree) fn value(&self, field: &Field) -> Option<String> {
        let Keys {
            white, black, date, ..
        } = self.keys;
        let (player, opponent) = if self.is_black {
            (black, white)
        } else {
            (white, black)
        };
        match field {
            Field::White => self.player(white),
            Field::Black => self.player(black),
            Field::Player => self.player(player),
            Field::Opponent => self.player(opponent),
            Field::Event => self.text(self.keys.event),
            Field::Tournament => {
                let event = canonical_text(self.database, self.keys.event);
                known(event_and_year(event, self.keys.year_of_event()))
            }
            Field::EventYear => number(self.keys.year_of_event(), 4),
            Field::Year => number(date.year, 4),
            Field::Month => number(date.month.into(), 2),
            Field::Day => number(date.day.into(), 2),
            Field::Date => (date != Date::default()).then(|| date_characters(date).collect()),
            Field::Eco => self.keys.eco.map(|eco| eco.as_str().to_owned()),
            Field::Result => Some(result(self.keys.outcome).to_owned()),
            Field::Number => {
                let digits = self.digits;
                Some(format!("{:0digits$}", u64::from(self.game) + 1))
            }
            Field::Tag(name) => {
                let tags = self.tags.get_or_init(|| self.database.tags(self.game));
                known(canonical(tags.get(name)?.into()).into_owned())
            }
        }
    }

    fn player(&self, id: TextId) -> Option<String> {
        known(shown(self.names, canonical_text(self.database, id)))
    }

    fn text(&self, id: TextId) -> Option<String> {
        known(canonical_text(self.database, id))
    }
}

impl Field {
    /// Placeholder for an unknown value. For parts of a date it has `first` characters, if given.
    pub(in crate::tree) fn unknown(&self, first: Option<usize>) -> &'static str {
        let date = match self {
            Field::Date => "xxxx.xx.xx",
            Field::Year | Field::EventYear => "xxxx",
            Field::Month | Field::Day => "xx",
            _ => return "unknown",
        };
        first.and_then(|first| date.get(..first)).unwrap_or(date)
    }
}

/// The characters of a date, with `x` for unknown ones: `1985.11.xx`.
pub(in crate::tree) fn date_characters(date: Date) -> impl Iterator<Item = char> {
    let shown = |c| if c == b'?' { 'x' } else { char::from(c) };
    date.characters().into_iter().map(shown)
}

/// A result without a slash.
pub(in crate::tree) fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "draw",
        Outcome::Unknown => "open",
    }
}

fn known(text: String) -> Option<String> {
    (!matches!(text.as_str(), "?" | "????.??.??")).then_some(text)
}

fn number(number: u16, digits: usize) -> Option<String> {
    (number != 0).then(|| format!("{number:0digits$}"))
}

/// The first letters and digits of a text as capital letters without accents; `None` if the text has none.
fn initials(text: &str, number: usize) -> Option<String> {
    let plain = text
        .nfd()
        .filter(|&c| c.is_alphanumeric() && !is_combining_mark(c));
    let initials: String = plain.flat_map(char::to_uppercase).take(number).collect();
    (!initials.is_empty()).then_some(initials)
}

fn first_characters(mut text: String, number: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(number) {
        text.truncate(end);
    }
    text
}
