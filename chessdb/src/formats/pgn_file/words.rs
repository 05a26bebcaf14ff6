//! The words of movetext: moves with their numbers and marks, glyphs, results (section 5).

use std::borrow::Cow;

use super::symbols;
use super::values::movetext_result;
use crate::board::{Move, Position, ReadError};
use crate::game::Outcome;

/// The meaning of a word.
pub(super) enum Word {
    Move(Move, u8),
    /// A glyph of the previous move.
    Glyph(u8),
    Result(Outcome),
    /// A sign without meaning.
    Nothing,
    Unplayable(ReadError),
    Unreadable,
}

/// A word without its move number, and whether it had one. A null move or a result may begin with a digit.
#[inline(always)]
pub(super) fn without_number(word: &[u8]) -> (&[u8], bool) {
    if !matches!(word.first(), Some(b'0'..=b'9' | b'.')) {
        return (word, false);
    }
    let digits = word.iter().take_while(|c| c.is_ascii_digit()).count();
    let rest = word.get(digits..).unwrap_or_default();
    match rest.first() {
        None if word == b"0000" => (word, false),
        None => (rest, true),
        Some(b'.') => {
            let dots = rest.iter().take_while(|&&c| c == b'.').count();
            (rest.get(dots..).unwrap_or_default(), true)
        }
        _ => (word, false),
    }
}

/// A move without the `!` and `?` after it, and these.
#[inline(always)]
pub(super) fn without_marks(word: &[u8]) -> (&[u8], &[u8]) {
    let marks = word.iter().rev().take_while(|&&c| c == b'!' || c == b'?').count();
    word.split_at_checked(word.len() - marks).unwrap_or((word, &[]))
}

/// The meaning of a word that is not a move in its usual form.
pub(super) fn read_word(position: &Position, text: &str) -> Word {
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = match after_number.starts_with('…') {
        true => after_number.trim_start_matches('…'),
        false => text,
    };
    if let Some(outcome) = movetext_result(text) {
        return Word::Result(outcome);
    }
    if matches!(
        text,
        "" | "+" | "++" | "#" | "e.p." | "e.p" | "ep" | "ep." | "." | "..." | ","
    ) {
        return Word::Nothing;
    }
    let mut text: Cow<'_, str> = text.into();
    if matches!(&*text, "@@@@" | "<>" | "pass") {
        text = "--".into();
    }
    let (mut rest, mut nag) = (&*text, 0);
    let mut error = ReadError::NotAMove;
    loop {
        match position.read_move(rest) {
            Ok(mv) => return Word::Move(mv, nag),
            Err(reason) if error == ReadError::NotAMove => error = reason,
            Err(_) => {}
        }
        match symbols::split_last(rest) {
            Some((before, glyph)) if !before.is_empty() => (rest, nag) = (before, glyph),
            _ => break,
        }
    }
    match (symbols::alone(&text), error) {
        (Some(nag), _) => Word::Glyph(nag),
        (None, ReadError::NotAMove) => Word::Unreadable,
        (None, error) => Word::Unplayable(error),
    }
}
