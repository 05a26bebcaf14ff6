//! Terms that ask for tags.

use super::field::{QueryField, TagField};
use super::quotes::{quoted, quoted_word};
use super::terms::{TermHead, WrittenTerm};
use super::value::{self, TagSource, TagValue};

/// A term about tags.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TagTerm {
    pub(super) is_negated: bool,
    pub(super) field: &'static QueryField,
    /// The tag of `tag:`, in small letters; empty for any other field.
    pub(super) tag: String,
    /// One of these must hold.
    pub(super) values: Vec<TagValue>,
    /// The canonical text of the term.
    pub(super) text: String,
}

impl TagTerm {
    /// A term with values, each with its canonical text.
    pub(super) fn new(
        is_negated: bool,
        field: &'static QueryField,
        tag: &str,
        mut values: Vec<(TagValue, String)>,
    ) -> TagTerm {
        let is_word = field.name.is_empty();
        let written = |(value, text): &(TagValue, String)| match value {
            TagValue::Unknown => "?".to_owned(),
            TagValue::Exact(_) => format!("={}", quoted(text)),
            TagValue::Number(_) | TagValue::Date(_) | TagValue::Code(..) => text.clone(),
            _ if is_word => quoted_word(text),
            _ => quoted(text),
        };
        values.iter_mut().for_each(|value| value.1 = written(value));
        values.sort_by(|(_, a), (_, b)| a.cmp(b));
        values.dedup_by(|(_, a), (_, b)| a == b);
        let sign = if is_negated { "-" } else { "" };
        let name = match (field.name, tag) {
            ("", _) => String::new(),
            (name, "") => format!("{name}:"),
            (name, tag) => format!("{name}:{tag}="),
        };
        let (values, texts): (Vec<TagValue>, Vec<String>) = values.into_iter().unzip();
        TagTerm {
            is_negated,
            field,
            tag: tag.to_owned(),
            values,
            text: format!("{sign}{name}{}", texts.join("|")),
        }
    }

    /// True for `player:` without a hyphen.
    pub(super) fn is_player(&self) -> bool {
        self.field.is("player") && !self.is_negated
    }

    /// True if the term has no meaning without a player.
    pub(super) fn needs_player(&self) -> bool {
        let is_of_player = |value: &TagValue| matches!(value, TagValue::Win | TagValue::Loss);
        self.field.tags().is_some_and(|tags| tags.is_of_opponent) || self.values.iter().any(is_of_player)
    }

    /// What the term has to read from the game.
    pub(super) fn source(&self) -> TagSource {
        let of_field = self
            .field
            .tags()
            .map_or(TagSource::Keys, |tags: &TagField| tags.source);
        let of_values = self.values.iter().map(TagValue::source);
        of_values.fold(of_field, TagSource::max)
    }
}

/// Reads a term about tags; `None` for a term about positions.
pub(super) fn tag_term(term: &WrittenTerm<'_>, is_name: bool) -> Option<Result<TagTerm, String>> {
    let field = term.head.field()?;
    let kind = field.kind()?;
    let tag = match &term.head {
        TermHead::Tag(_, tag) => tag,
        _ => "",
    };
    let values = term
        .alternatives
        .iter()
        .map(|one| value::read(kind, field.name, one, is_name));
    let values = values.collect::<Result<Vec<_>, _>>();
    Some(values.map(|values| TagTerm::new(term.is_negated, field, tag, values)))
}
