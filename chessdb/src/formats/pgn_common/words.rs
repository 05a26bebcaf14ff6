//! The words of movetext: moves with their numbers and marks, glyphs, results (section 5).

use super::form::form;
use super::languages::Language;
use super::results::result_of_text;
use super::symbols;
use crate::board::{Move, Position, ReadError};
use crate::game::Outcome;

/// The meaning of a word.
pub(super) enum Word {
    Move(Move, Signs),
    /// Glyphs of the previous move.
    Glyphs(Vec<u8>),
    Result(Outcome),
    /// A sign without meaning.
    Nothing,
    /// It has the form of a move that cannot be played.
    Unplayable(ReadError),
    Unreadable,
}

/// Maximum length in bytes of a word with a meaning.
const LONGEST: usize = 64;

/// The signs after a move.
#[derive(Debug, Default)]
pub(super) struct Signs {
    pub(super) glyphs: Vec<u8>,
    /// Signs whose meaning is not known.
    pub(super) unknown: String,
}

/// A word without its move number, and whether it had one. A null move or a result may begin with a digit.
#[inline(always)]
pub(in crate::formats) fn without_number(word: &[u8]) -> (&[u8], bool) {
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

/// True if marks are not at the end of a word but before a sign of check.
#[inline(always)]
pub(super) fn has_marks_inside(word: &[u8]) -> bool {
    matches!(word, [.., b'!' | b'?', b'+' | b'#'])
}

/// The meaning of a word that is not a move in its usual form, with names of pieces in a language, or in English.
pub(super) fn read_word(position: &Position, text: &str, language: Option<&Language>) -> Word {
    if text.len() > LONGEST {
        return Word::Unreadable;
    }
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if after_number.starts_with('…') {
        after_number.trim_start_matches('…')
    } else {
        text
    };
    if let Some(outcome) = result_of_text(text) {
        return Word::Result(outcome);
    }
    if matches!(
        text,
        "" | "+" | "++" | "#" | "e.p." | "e.p" | "ep" | "ep." | "." | "..." | ","
    ) {
        return Word::Nothing;
    }
    let mut signs = Signs::default();
    let mut rest = text;
    let mut error = ReadError::NotAMove;
    let mut is_glyph = true;
    loop {
        rest = signs.split_known(rest);
        if rest.is_empty() {
            break;
        }
        match read_move(position, rest, language) {
            Ok(mv) => return Word::Move(mv, signs),
            Err(reason) if error == ReadError::NotAMove => error = reason,
            Err(_) => {}
        }
        if let Some((before, nag)) = symbols::split_letter(rest) {
            signs.glyphs.insert(0, nag);
            rest = before;
            continue;
        }
        is_glyph = false;
        rest = match (symbols::split_rest(rest), rest.chars().next_back()) {
            (Some(before), _) => before,
            (None, Some(sign)) if !sign.is_alphanumeric() => {
                signs.unknown.insert(0, sign);
                rest.strip_suffix(sign).unwrap_or_default()
            }
            _ => break,
        };
    }
    match error {
        ReadError::NotAMove if rest.is_empty() && is_glyph => Word::Glyphs(signs.glyphs),
        ReadError::NotAMove if form(text).is_none() => Word::Unreadable,
        error => Word::Unplayable(error),
    }
}

fn read_move(position: &Position, text: &str, language: Option<&Language>) -> Result<Move, ReadError> {
    if matches!(text, "@@@@" | "<>" | "pass") {
        return position.read_move("--");
    }
    match language {
        None => position.read_move(text),
        Some(language) => {
            let english = language.translate(text).ok_or(ReadError::NotAMove)?;
            position.read_move(&*english)
        }
    }
}

impl Signs {
    /// Splits off all known signs at the end of a word.
    fn split_known<'a>(&mut self, word: &'a str) -> &'a str {
        let mut rest = word;
        loop {
            let (before, marks) = without_marks(rest.as_bytes());
            let (before, nag) = match rest.get(..before.len()) {
                Some(before) if !marks.is_empty() => (before, symbols::of_marks(marks)),
                _ => match symbols::split_last(rest) {
                    Some(split) => split,
                    None => return rest,
                },
            };
            if nag != 0 {
                self.glyphs.insert(0, nag);
            }
            rest = before;
        }
    }
}
