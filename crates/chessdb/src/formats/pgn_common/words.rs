//! The words of movetext: moves with their numbers and marks, glyphs, results (section 5).

use super::form::form;
use super::languages::Language;
use super::results::result_of_text;
use super::symbols;
use crate::board::{Move, Position, ReadError};
use crate::game::Outcome;
use crate::text::{Charset, utf8};

/// The meaning of a word.
pub(super) enum Word {
    Move(Move, Signs),
    /// Glyphs of the previous move.
    Glyphs(Vec<u8>),
    Result(Outcome),
    /// A sign without meaning.
    Nothing,
    /// A word in the form of a move that cannot be played.
    Unplayable(ReadError),
    Unreadable,
}

/// Maximum length in bytes of a word with a meaning.
pub(super) const LONGEST: usize = 64;

/// The signs after a move.
#[derive(Debug, Default)]
pub(super) struct Signs {
    pub(super) glyphs: Vec<u8>,
    /// Signs whose meaning is not known.
    pub(super) unknown: String,
    /// True for a promotion without a piece, which is read as a queen.
    pub(super) is_queen: bool,
}

/// A word without its move number, and whether it had one. A null move or a result may start with a digit.
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
            let after = rest.get(dots..).unwrap_or_default();
            match after.first() {
                // `0.5-0.5` is a result.
                Some(b'0'..=b'9') if word.starts_with(b"0.") => (word, false),
                _ => (after, true),
            }
        }
        _ => (word, false),
    }
}

/// Splits off the `!` and `?` after a move.
#[inline(always)]
pub(super) fn without_marks(word: &[u8]) -> (&[u8], &[u8]) {
    let marks = word.iter().rev().take_while(|&&c| c == b'!' || c == b'?').count();
    word.split_at_checked(word.len() - marks).unwrap_or((word, &[]))
}

/// True if a word has its marks before the sign of check, not at its end.
#[inline(always)]
pub(super) fn has_marks_inside(word: &[u8]) -> bool {
    matches!(word, [.., b'!' | b'?', b'+' | b'#'])
}

/// Maximum number of digits of a move number.
const MOST_DIGITS: usize = 10;

/// The length in bytes of the move at the start of a word, if something is glued to it: another word after the marks
/// `!` and `?`, as in `e5!!2.`, or the number `next` and a point, as in `d62.Nf3`. Without `next`, any number counts.
/// Only the first bytes of a long word are read.
pub(super) fn glued_len(word: &[u8], next: Option<u64>) -> Option<Glued> {
    let word = word.get(..LONGEST).unwrap_or(word);
    let has_form = |text: &[u8]| super::numbers::is_move(text, Charset::Mixed);
    let is_mark = |c: &u8| matches!(c, b'!' | b'?');
    if let Some(mark) = word.iter().position(&is_mark) {
        let after = mark + word.get(mark..)?.iter().take_while(|c| is_mark(c)).count();
        let rest = word.get(after..)?;
        let is_word = rest.first().is_some_and(u8::is_ascii_digit) || has_form(rest);
        if is_word && has_form(word.get(..mark)?) {
            return Some(Glued::Marks(after));
        }
    }
    let point = word.iter().position(|&c| c == b'.')?;
    let digits = word.get(..point)?.iter().rev().take_while(|c| c.is_ascii_digit());
    let first = point - digits.take(MOST_DIGITS).count();
    // The first digit may be the rank of the move.
    (first.max(1)..point).find_map(|at| {
        let (mv, number) = word.get(..point)?.split_at_checked(at)?;
        let number: u64 = utf8(number).ok()?.parse().ok()?;
        let is_next = next.is_none_or(|next| next == number);
        (is_next && has_form(mv)).then_some(Glued::Number(at))
    })
}

/// The text after a move without a space between them, with the length of the move in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glued {
    /// Another word, after marks, which count as part of the move.
    Marks(usize),
    /// A move number.
    Number(usize),
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
    if matches!(text, "" | "+" | "++" | "#" | "." | "..." | ",") {
        return Word::Nothing;
    }
    let mut signs = Signs::default();
    let mut rest = text;
    let mut error = ReadError::NotAMove;
    let (mut has_letter, mut has_point) = (false, false);
    loop {
        rest = symbols::without_en_passant(signs.split_known(rest));
        if rest.is_empty() {
            break;
        }
        match read_move(position, rest, language) {
            Ok(mv) => return Word::Move(mv, signs),
            Err(ReadError::Promotion) => {
                if let Ok(mv) = read_move(position, &format!("{rest}=Q"), None) {
                    signs.is_queen = true;
                    return Word::Move(mv, signs);
                }
                error = ReadError::Promotion;
            }
            Err(reason) if error == ReadError::NotAMove => error = reason,
            Err(_) => {}
        }
        if let Some((before, nag)) = symbols::split_letter(rest) {
            signs.glyphs.insert(0, nag);
            has_letter = true;
            rest = before;
            continue;
        }
        has_point |= rest.ends_with('.');
        rest = match (symbols::split_rest(rest), rest.chars().next_back()) {
            (Some(before), _) => before,
            (None, Some(sign)) if !sign.is_alphanumeric() => {
                signs.unknown.insert(0, sign);
                rest.strip_suffix(sign).unwrap_or_default()
            }
            _ => break,
        };
    }
    // `N.` and `D.` may be names.
    let are_signs = rest.is_empty() && signs.unknown.is_empty() && !(has_letter && has_point);
    match error {
        ReadError::NotAMove if are_signs => Word::Glyphs(signs.glyphs),
        ReadError::NotAMove if form(text).is_none() => Word::Unreadable,
        error => Word::Unplayable(error),
    }
}

pub(super) fn read_move(
    position: &Position,
    text: &str,
    language: Option<&Language>,
) -> Result<Move, ReadError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_after_a_move_has_at_most_ten_digits() {
        for (digits, glued) in [
            (1, Some(Glued::Number(2))),
            (MOST_DIGITS, Some(Glued::Number(2))),
            (MOST_DIGITS + 1, None),
        ] {
            let word = format!("d6{}.Nf3", "1".repeat(digits));
            assert_eq!(glued_len(word.as_bytes(), None), glued, "{digits}");
        }
    }

    #[test]
    fn marks_and_numbers_end_a_move() {
        for (word, next, glued) in [
            ("e5!!2.", None, Some(Glued::Marks(4))),
            ("Nc6!?3.Bb5", None, Some(Glued::Marks(5))),
            ("e4!d5", None, Some(Glued::Marks(3))),
            ("d62.", Some(2), Some(Glued::Number(2))),
            ("d62.", Some(3), None),
            ("e52.Nf3", Some(2), Some(Glued::Number(2))),
            ("Nf610.", Some(10), Some(Glued::Number(3))),
            ("Nf610.", None, Some(Glued::Number(3))),
            ("O-O10.", Some(10), Some(Glued::Number(3))),
            ("Qxf7+5.", Some(5), Some(Glued::Number(5))),
            ("e4!", None, None),
            ("e4!N", None, None),
            ("e4.", None, None),
            ("p.12", None, None),
            ("12.", None, None),
            ("0.25", None, None),
            ("B97.", None, None),
        ] {
            assert_eq!(glued_len(word.as_bytes(), next), glued, "{word}");
        }
    }
}
