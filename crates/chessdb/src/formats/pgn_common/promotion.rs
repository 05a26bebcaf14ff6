//! The piece of a promotion, in brackets or apart from the move (section 5.1).

use std::ops::Range;

use super::form::is_figurine;
use super::items::character_len;
use crate::text::utf8;

/// A piece that is written apart from the pawn's move, as in `b8 (N)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PieceApart {
    /// The place of its name.
    pub(super) name: Range<usize>,
    /// The place after it and its bracket.
    pub(super) end: usize,
    /// False for a name after blanks alone, or in brackets: it may also be a sign.
    pub(super) has_sign: bool,
    /// True for a name in brackets.
    pub(super) has_bracket: bool,
}

/// The piece that is written at a place, after the move of a pawn: `=N`, `/N`, `(N)`, `[N]`, `(=N)` or `N`, perhaps after
/// blanks.
#[cold]
pub(super) fn piece_apart(text: &[u8], at: usize) -> Option<PieceApart> {
    let start = after_blanks(text, at);
    let has_sign = matches!(text.get(start), Some(b'=' | b'/'));
    let start = if has_sign {
        after_blanks(text, start + 1)
    } else {
        start
    };
    let rest = text.get(start..)?;
    let bracketed = bracketed_piece(rest);
    let has_bracket = bracketed.is_some();
    let (name, len) = match bracketed {
        Some(found) => found,
        None => {
            let len = name_len(rest)?;
            // A small letter alone is no name of a piece.
            if !has_sign && rest.first().is_some_and(u8::is_ascii_lowercase) {
                return None;
            }
            (0..len, len)
        }
    };
    let is_end = rest
        .get(len)
        .is_none_or(|c| c.is_ascii_whitespace() || b"+#!?=.,;(){}$\0\x1a".contains(c));
    is_end.then_some(PieceApart {
        name: start + name.start..start + name.end,
        end: start + len,
        has_sign,
        has_bracket,
    })
}

/// The place of the name of the piece in `(N)`, `[N]` or `(=N)` at the start of a text, and the length of all.
pub(super) fn bracketed_piece(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let closing = match text.first()? {
        b'(' => b')',
        b'[' => b']',
        _ => return None,
    };
    let start = 1 + usize::from(text.get(1) == Some(&b'='));
    let end = start + name_len(text.get(start..)?)?;
    (text.get(end) == Some(&closing)).then_some((start..end, end + 1))
}

/// The length of the name of a piece: a letter or a figurine. A single byte may be a letter of another encoding.
fn name_len(text: &[u8]) -> Option<usize> {
    let len = character_len(text);
    let variant = match text.get(len..) {
        Some([0xef, 0xb8, 0x8e | 0x8f, ..]) => 3,
        _ => 0,
    };
    match text.first()? {
        b'A'..=b'Z' | b'n' | b'b' | b'r' | b'q' => Some(1),
        0x80.. if len == 1 => Some(1),
        0x80.. => {
            let name = utf8(text.get(..len)?).ok()?;
            let is_name = name.starts_with(|c: char| c.is_uppercase() || is_figurine(c));
            is_name.then_some(len + variant)
        }
        _ => None,
    }
}

/// True if a text in its encoding may name a piece.
pub(super) fn may_name_piece(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase() || is_figurine(c) || "nbrq".contains(c))
}

fn after_blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|c| c.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_may_be_apart_from_its_move() {
        for (text, name, rest) in [
            (" (N) Kg5", "N", " Kg5"),
            (" =N+ Kg5", "N", "+ Kg5"),
            ("\r\n= N", "N", ""),
            ("(=♘\u{fe0e})!", "♘\u{fe0e}", "!"),
            (" =(Л)", "Л", ""),
            (" [S]", "S", ""),
            (" /q", "q", ""),
            (" N 2. Kd2", "N", " 2. Kd2"),
        ] {
            let piece = piece_apart(text.as_bytes(), 0).unwrap();
            assert_eq!((&text[piece.name], &text[piece.end..]), (name, rest), "{text}");
        }
        for text in [
            "",
            " ",
            " =",
            " = 2. Kd2",
            " = Nf3",
            " Nf3",
            " n",
            " (Nf3)",
            " (N",
            " (a)",
            " (½)",
            " (N]",
            " Kg5",
            "N-f3",
        ] {
            assert_eq!(piece_apart(text.as_bytes(), 0), None, "{text}");
        }
    }
}
