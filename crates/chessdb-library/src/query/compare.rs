//! Compares properties of games with the values of terms.

use std::cell::OnceCell;

use unicode_normalization::UnicodeNormalization;

use super::sides::{Sides, both, side_of};
use super::value::TagValue;
use crate::spelling::FoldedText;
use crate::spelling::folded;
use chessdb::board::Color;
use chessdb::game::Outcome;

/// True if the values match a database with this path.
pub(super) fn has_database(values: &[TagValue], path: &str) -> bool {
    let is_of = |value: &TagValue| matches!(value, TagValue::Database(pattern) if pattern.matches(path));
    values.iter().any(is_of)
}

/// True if the values match a text; `None` is an unknown one.
pub(super) fn has_text(values: &[TagValue], text: Option<&str>) -> bool {
    let small = OnceCell::new();
    values.iter().any(|value| match (value, text) {
        (TagValue::Unknown, text) => text.is_none(),
        (TagValue::Words(words), Some(text)) => small.get_or_init(|| FoldedText::of(text)).has(words),
        (TagValue::Exact(exact), Some(text)) => is_exactly(text, exact),
        _ => false,
    })
}

/// True if the values match a round, or its part in front of the first dot; `None` is an unknown round.
pub(super) fn has_round(values: &[TagValue], round: Option<&str>) -> bool {
    let Some(round) = round else {
        return values.contains(&TagValue::Unknown);
    };
    let round = round.trim();
    let first = round.split_once('.').map_or(round, |(first, _)| first);
    let small = OnceCell::new();
    values.iter().any(|value| match value {
        TagValue::Number(bounds) => {
            let is_number = !first.is_empty() && first.bytes().all(|c| c.is_ascii_digit());
            let number = first.parse().ok().filter(|_| is_number);
            number.is_some_and(|number| bounds.contains(number))
        }
        TagValue::Round(wanted) => {
            let small = small.get_or_init(|| [round, first].map(folded));
            small.contains(wanted)
        }
        TagValue::Exact(exact) => is_exactly(round, exact),
        _ => false,
    })
}

impl TagValue {
    pub(super) fn has_number(&self, number: Option<i64>) -> bool {
        match (self, number) {
            (TagValue::Unknown, number) => number.is_none(),
            (TagValue::Number(bounds), Some(number)) => bounds.contains(number),
            _ => false,
        }
    }

    pub(super) fn has_code(&self, code: Option<[u8; 3]>) -> bool {
        match (self, code) {
            (TagValue::Unknown, code) => code.is_none(),
            (TagValue::Code(first, last), Some(code)) => (*first..=*last).contains(&code),
            // A code has no letter case.
            (TagValue::Exact(exact), Some(code)) => exact.as_bytes().eq_ignore_ascii_case(&code),
            _ => false,
        }
    }

    pub(super) fn sides_of_result(&self, outcome: Outcome) -> Sides {
        let winner = outcome.winner();
        let side = |color: Option<Color>| color.map_or(0, side_of);
        let is_held = match self {
            TagValue::Win => return side(winner),
            TagValue::Loss => return side(winner.map(|winner| !winner)),
            TagValue::Unknown => outcome == Outcome::Unknown,
            TagValue::Result(wanted) => outcome == *wanted,
            _ => false,
        };
        both(is_held)
    }
}

/// True if two texts are the same, apart from the Unicode form of accents.
fn is_exactly(text: &str, exact: &str) -> bool {
    text == exact || text.nfc().eq(exact.chars())
}
