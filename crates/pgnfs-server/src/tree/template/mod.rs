//! Templates: texts with fields such as `%{white}/%{year}`.

mod value;

use std::fmt;
use std::ops::Range;

pub(super) use value::{TemplateGame, date_characters, result};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplatePart {
    /// Literal text.
    Text(String),
    /// `%{year}`, or `%{white:3}` for the first three characters of a value.
    Value(Field, Option<usize>),
    /// `%{white:1U}`: the first letters and digits of a value, in capital letters without accents.
    Initials(Field, usize),
}

/// A value of a game that a template can contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Each of the two players in turn.
    Player,
    /// The opponent of [`Field::Player`].
    Opponent,
    White,
    Black,
    Event,
    /// The event and its year, as in `events/`.
    Tournament,
    /// Year of the event, or of the game if that is unknown.
    EventYear,
    Date,
    Year,
    Month,
    Day,
    Eco,
    Result,
    Number,
    /// `%{tag:Round}`
    Tag(String),
}

/// Fields by name, without `tag:NAME`.
const FIELDS: [(&str, Field); 14] = [
    ("player", Field::Player),
    ("opponent", Field::Opponent),
    ("white", Field::White),
    ("black", Field::Black),
    ("event", Field::Event),
    ("tournament", Field::Tournament),
    ("event-year", Field::EventYear),
    ("date", Field::Date),
    ("year", Field::Year),
    ("month", Field::Month),
    ("day", Field::Day),
    ("eco", Field::Eco),
    ("result", Field::Result),
    ("number", Field::Number),
];

/// An error in a template and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Position of the error in characters, from 1.
    pub at: usize,
    /// Description of the error.
    pub what: String,
}

impl TemplateError {
    /// An error at a byte of a template.
    pub(super) fn new(template: &str, byte: usize, what: impl Into<String>) -> TemplateError {
        let before = template.get(..byte).unwrap_or(template);
        TemplateError {
            at: before.chars().count() + 1,
            what: what.into(),
        }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {} of the template: {}", self.at, self.what)
    }
}

impl std::error::Error for TemplateError {}

/// Parses a range of a template. Each part has the offset of its first byte; texts are never adjacent.
///
/// # Errors
/// For an unknown field, and for a `%` that does not begin a field.
pub(super) fn parse(
    template: &str,
    range: Range<usize>,
) -> Result<Vec<(usize, TemplatePart)>, TemplateError> {
    let mut parts = Vec::new();
    let mut at = range.start;
    while let Some(rest) = template.get(at..range.end).filter(|rest| !rest.is_empty()) {
        let error = |what: String| TemplateError::new(template, at, what);
        if let Some(inside) = rest.strip_prefix("%{") {
            let (value, _) = inside
                .split_once('}')
                .ok_or_else(|| error("this %{ has no }".to_owned()))?;
            parts.push((at, value_of(value).map_err(error)?));
            at += "%{}".len() + value.len();
            continue;
        }
        let (text, len) = match rest.strip_prefix('%') {
            None => {
                let text = rest.split('%').next().unwrap_or_default();
                (text, text.len())
            }
            Some(rest) if rest.starts_with('%') => ("%", "%%".len()),
            Some(_) => {
                return Err(error(
                    "write a field as %{name}, and a percent sign as %%".to_owned(),
                ));
            }
        };
        match parts.last_mut() {
            Some((_, TemplatePart::Text(before))) => before.push_str(text),
            _ => parts.push((at, TemplatePart::Text(text.to_owned()))),
        }
        at += len;
    }
    Ok(parts)
}

/// Parses the text between the braces: `year`, `white:3`, `tag:Round`, `tag:Site:3`.
fn value_of(text: &str) -> Result<TemplatePart, String> {
    let mut has_capitals = false;
    let (name, first) = match text.rsplit_once(':') {
        Some((name, number)) if name != "tag" => {
            let plain = number.strip_suffix('U');
            has_capitals = plain.is_some();
            let number = plain
                .unwrap_or(number)
                .parse()
                .ok()
                .filter(|number| (1..=99).contains(number));
            let wrong =
                || format!("'{text}' needs a number of characters after the colon, 1 to 99, or 1U to 99U");
            (name, Some(number.ok_or_else(wrong)?))
        }
        _ => (text, None),
    };
    let field = match name.strip_prefix("tag:") {
        Some(tag) if !tag.is_empty() && tag.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') => {
            Some(Field::Tag(tag.to_owned()))
        }
        Some(tag) => {
            return Err(format!(
                "'{tag}' is not the name of a tag: use letters, digits and _"
            ));
        }
        None => FIELDS
            .into_iter()
            .find(|&(known, _)| known == name)
            .map(|(_, field)| field),
    };
    let names = || FIELDS.map(|(name, _)| name).join(", ");
    let field =
        field.ok_or_else(|| format!("unknown field '{name}'; the fields are {} and tag:NAME", names()))?;
    Ok(match first {
        Some(number) if has_capitals => TemplatePart::Initials(field, number),
        first => TemplatePart::Value(field, first),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(template: &str) -> Vec<TemplatePart> {
        let parts = parse(template, 0..template.len()).unwrap();
        parts.into_iter().map(|(_, part)| part).collect()
    }

    fn text(text: &str) -> TemplatePart {
        TemplatePart::Text(text.to_owned())
    }

    #[test]
    fn fields_and_texts_are_distinguished() {
        assert_eq!(parts(""), []);
        assert_eq!(
            parts("a%%b%{white:3}}%{tag:Round}%{tag:Site:2}%{tag:1}%{event:2U}"),
            [
                text("a%b"),
                TemplatePart::Value(Field::White, Some(3)),
                text("}"),
                TemplatePart::Value(Field::Tag("Round".to_owned()), None),
                TemplatePart::Value(Field::Tag("Site".to_owned()), Some(2)),
                TemplatePart::Value(Field::Tag("1".to_owned()), None),
                TemplatePart::Initials(Field::Event, 2),
            ]
        );
        for (name, field) in FIELDS {
            assert_eq!(parts(&format!("%{{{name}}}")), [TemplatePart::Value(field, None)]);
        }
    }

    #[test]
    fn every_field_is_documented() {
        let page = include_str!("../../../../../docs/tree.md");
        let rows = page.split("\n## 10. ").nth(1).unwrap().lines();
        let rows = rows.filter_map(|line| line.strip_prefix("    ")?.split_once("  "));
        let names: Vec<&str> = rows.flat_map(|(names, _)| names.split(", ")).collect();
        let known = FIELDS.iter().map(|(name, _)| *name).chain(["tag:NAME"]);
        assert_eq!(names, known.collect::<Vec<_>>());
    }

    #[test]
    fn errors_have_their_position() {
        for (template, at, word) in [
            (
                "é%{colour}",
                2,
                "unknown field 'colour'; the fields are player, opponent, white,",
            ),
            ("%{white}/%{year", 10, "no }"),
            ("100% %{white}", 4, "%%"),
            ("%", 1, "%%"),
            ("%{}", 1, "unknown field ''"),
            ("%{white:0}", 1, "1 to 99"),
            ("%{white:x}", 1, "1 to 99"),
            ("%{white:U}", 1, "1U to 99U"),
            ("%{tag:}", 1, "not the name of a tag"),
            ("%{tag:a b}", 1, "not the name of a tag"),
            ("%{White}", 1, "unknown field 'White'"),
        ] {
            let error = parse(template, 0..template.len()).unwrap_err();
            assert_eq!(error.at, at, "{template}: {error}");
            assert!(error.what.contains(word), "{template}: {error}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_a_template_or_an_error_inside_it(template in "([a%{}:/é]|%\\{|white|tag:){0,12}") {
            match parse(&template, 0..template.len()) {
                Ok(parts) => {
                    let texts = parts.windows(2).all(|two| {
                        !matches!(two, [(_, TemplatePart::Text(_)), (_, TemplatePart::Text(_))])
                    });
                    prop_assert!(texts);
                }
                Err(error) => prop_assert!((1..=template.chars().count()).contains(&error.at)),
            }
        }
    }
}
