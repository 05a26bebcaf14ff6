//! Terms that ask for tags.

use super::canonical::{quoted, quoted_word};
use super::field::QueryField;
use super::terms::TermHead;
use super::value::{GamePart, TagValue};

/// A term that asks for tags.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TagTerm {
    pub(super) is_negated: bool,
    pub(super) subject: TagSubject,
    /// One of these must hold.
    pub(super) values: Vec<TagValue>,
    /// The canonical text of the term.
    pub(super) text: String,
}

/// What a term compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagSubject {
    /// White, Black and the event.
    Word,
    Field(QueryField),
    /// The tag with this name in small letters.
    Tag(String),
}

/// What a term must read of a game. Later ones take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TagSource {
    Keys,
    Tags,
    Game,
}

impl TagTerm {
    pub(super) fn new(is_negated: bool, head: &TermHead, mut values: Vec<(TagValue, String)>) -> TagTerm {
        let subject = match head {
            TermHead::Tag(name) => TagSubject::Tag(name.clone()),
            TermHead::Field(field) => TagSubject::Field(*field),
            TermHead::Word | TermHead::Then => TagSubject::Word,
        };
        let written = |(value, text): &(TagValue, String)| match (value, &subject) {
            (TagValue::Unknown, _) => "?".to_owned(),
            (TagValue::Exact(_), _) => format!("={}", quoted(text)),
            (TagValue::Number(_) | TagValue::Date(_) | TagValue::Code(..), _) => text.clone(),
            (_, TagSubject::Word) => quoted_word(text),
            _ => quoted(text),
        };
        values.iter_mut().for_each(|value| value.1 = written(value));
        values.sort_by(|(_, a), (_, b)| a.cmp(b));
        values.dedup_by(|(_, a), (_, b)| a == b);
        let sign = if is_negated { "-" } else { "" };
        let name = match &subject {
            TagSubject::Word => String::new(),
            TagSubject::Field(field) => format!("{}:", field.name()),
            TagSubject::Tag(name) => format!("{}:{name}=", QueryField::Tag.name()),
        };
        let (values, texts): (Vec<TagValue>, Vec<String>) = values.into_iter().unzip();
        TagTerm {
            is_negated,
            subject,
            values,
            text: format!("{sign}{name}{}", texts.join("|")),
        }
    }

    pub(super) fn field(&self) -> Option<QueryField> {
        match self.subject {
            TagSubject::Word => None,
            TagSubject::Field(field) => Some(field),
            TagSubject::Tag(_) => Some(QueryField::Tag),
        }
    }

    /// True for `player:` without a hyphen.
    pub(super) fn is_player(&self) -> bool {
        self.field() == Some(QueryField::Player) && !self.is_negated
    }

    /// True if the term says nothing without a player.
    pub(super) fn needs_player(&self) -> bool {
        matches!(self.field(), Some(QueryField::Opponent | QueryField::OpponentElo))
            || self
                .values
                .iter()
                .any(|value| matches!(value, TagValue::Win | TagValue::Loss))
    }

    /// What the term must read of a game.
    pub(super) fn source(&self) -> TagSource {
        use QueryField as F;
        match self.field() {
            None
            | Some(
                F::Player
                | F::White
                | F::Black
                | F::Opponent
                | F::Event
                | F::Date
                | F::Year
                | F::Eco
                | F::Opening
                | F::Result
                | F::Deleted
                | F::Db,
            ) => TagSource::Keys,
            Some(F::Moves | F::Text) => TagSource::Game,
            Some(F::Has) => {
                let is_decoded = |value: &TagValue| matches!(value, TagValue::Has(content) if *content != GamePart::Chess960);
                if self.values.iter().any(is_decoded) {
                    TagSource::Game
                } else {
                    TagSource::Tags
                }
            }
            Some(_) => TagSource::Tags,
        }
    }
}
