//! Comments: a type byte and its data (section 7.1).
//!
//! | type | data |
//! |---|---|
//! | 2, 3 | symbol after, before the move |
//! | 4, 5 | text after, before the move |
//! | 6 | assessment, with its author |
//! | 7, 21 | mark of a user folder |
//! | 8, 9 | diagram after, before the move |
//! | 29 | engine evaluation: hundredths of a pawn i16, FF 00, perhaps `CAP` |

use std::fmt::Write;

use encoding_rs::Encoding;

use super::encoding::decode;
use crate::bytes::le_u16;

/// The contents of one comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Annotation {
    /// True if it belongs to the next move instead of the previous one.
    pub(super) is_before: bool,
    pub(super) glyph: Option<Glyph>,
    pub(super) text: Option<String>,
}

/// A glyph, and the sign that is written if there is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    pub(super) nag: u8,
    pub(super) sign: &'static str,
}

const SYMBOLS: [Glyph; 6] = [
    glyph(1, "!"),
    glyph(2, "?"),
    glyph(3, "!!"),
    glyph(4, "??"),
    glyph(5, "!?"),
    glyph(6, "?!"),
];

const DIAGRAM: Glyph = glyph(220, "[#]");

const fn glyph(nag: u8, sign: &'static str) -> Glyph {
    Glyph { nag, sign }
}

/// The bytes of an engine evaluation that may follow its value.
const EVALUATION_TAILS: [&[u8]; 3] = [b"", b"\xff\0", b"\xff\0CAP"];

/// Reads a comment; `None` for a comment that only marks a user folder, which is not shown.
pub(super) fn read(kind: u8, body: &[u8], encoding: &'static Encoding) -> Option<Annotation> {
    let is_before = matches!(kind, 3 | 5);
    let says = |glyph, text| {
        Some(Annotation {
            is_before,
            glyph,
            text,
        })
    };
    match kind {
        2 | 3 => match SYMBOLS.iter().find(|glyph| glyph.sign.as_bytes() == body) {
            Some(&glyph) => says(Some(glyph), None),
            None => says(None, Some(raw(kind, body))),
        },
        4 | 5 => says(None, text(body, encoding)),
        6 => says(None, printable(kind, body, encoding)),
        7 | 21 => None,
        8 | 9 => says(Some(DIAGRAM), printable(kind, body, encoding)),
        29 => says(None, Some(evaluation(body))),
        _ => says(None, Some(raw(kind, body))),
    }
}

/// Decodes a text without the zeros at its end; `None` if it is empty.
fn text(body: &[u8], encoding: &'static Encoding) -> Option<String> {
    let len = body.iter().rposition(|&c| c != 0).map_or(0, |last| last + 1);
    body.get(..len)
        .filter(|text| !text.is_empty())
        .map(|text| decode(text, encoding))
}

/// The text if it contains no control characters, otherwise the raw bytes.
fn printable(kind: u8, body: &[u8], encoding: &'static Encoding) -> Option<String> {
    if body.iter().all(|&c| c >= b' ' && c != 0x7f) {
        text(body, encoding)
    } else {
        Some(raw(kind, body))
    }
}

fn evaluation(body: &[u8]) -> String {
    let (Some(value), Some(tail)) = (le_u16(body, 0), body.get(2..)) else {
        return raw(29, body);
    };
    let value = value.cast_signed();
    let sign = if value < 0 { "-" } else { "" };
    let hundredths = value.unsigned_abs();
    let mut text = format!("[%eval {sign}{}.{:02}]", hundredths / 100, hundredths % 100);
    if !EVALUATION_TAILS.contains(&tail) {
        let _ = write!(text, " {}", raw(29, tail));
    }
    text
}

/// Bytes without a known meaning, in the form `[CA 2: 8a]`.
fn raw(kind: u8, body: &[u8]) -> String {
    let mut text = format!("[CA {kind}");
    if !body.is_empty() {
        text.push_str(": ");
    }
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| {
        DIGITS
            .get(usize::from(value))
            .map_or('?', |&digit| char::from(digit))
    };
    for byte in body {
        text.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: u8, body: &[u8]) -> (bool, u8, String) {
        let says = read(kind, body, encoding_rs::WINDOWS_1251).unwrap();
        let nag = says.glyph.map_or(0, |glyph| glyph.nag);
        (says.is_before, nag, says.text.unwrap_or_default())
    }

    #[test]
    fn comments_by_type() {
        let row = |before, nag, text: &str| (before, nag, text.to_owned());
        assert_eq!(said(2, b"!?"), row(false, 5, ""));
        assert_eq!(said(3, b"\x8a"), row(true, 0, "[CA 3: 8a]"));
        assert_eq!(said(4, b"a\nb\0\0"), row(false, 0, "a b"));
        assert_eq!(said(5, b""), row(true, 0, ""));
        assert_eq!(said(6, b"+0.35 X"), row(false, 0, "+0.35 X"));
        assert_eq!(said(6, b"\x01\x02"), row(false, 0, "[CA 6: 0102]"));
        assert_eq!(said(9, b""), row(false, 220, ""));
        assert_eq!(said(15, b""), row(false, 0, "[CA 15]"));
        assert_eq!(read(21, b"x", encoding_rs::WINDOWS_1251), None);
    }

    #[test]
    fn evaluations_have_two_decimals() {
        let text = |body: &[u8]| said(29, body).2;
        assert_eq!(text(&[0x23, 0x00, 0xff, 0x00]), "[%eval 0.35]");
        assert_eq!(text(b"\xfb\xff\xff\0CAP"), "[%eval -0.05]");
        assert_eq!(text(&[0x23, 0x00]), "[%eval 0.35]");
        assert_eq!(text(&[0x00, 0x80, 1]), "[%eval -327.68] [CA 29: 01]");
        assert_eq!(text(&[1]), "[CA 29: 01]");
    }
}
