//! Text from bytes that another process may change at any moment, such as a memory map.
//!
//! It is undefined behaviour if a `&str` stops being UTF-8. Therefore no text borrows from its source: the bytes are
//! copied first, and the copy is checked. Formats create text from bytes only with these functions; `clippy.toml` lists
//! the functions that they must not call.

use std::hint::black_box;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Decodes UTF-8.
///
/// # Errors
/// A copy of the bytes, if they are not UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<String, Vec<u8>> {
    String::from_utf8(copy(bytes)).map_err(|error| error.into_bytes())
}

/// Decodes UTF-8, with U+FFFD for each invalid sequence.
pub fn utf8_lossy(bytes: &[u8]) -> String {
    utf8(bytes).unwrap_or_else(|copy| String::from_utf8_lossy(&copy).into_owned())
}

/// Decodes bytes in an encoding, with U+FFFD for undefined bytes.
pub fn decode(bytes: &[u8], encoding: &'static Encoding) -> String {
    let copy = copy(bytes);
    let (text, _) = encoding.decode_without_bom_handling(&copy);
    text.into_owned()
}

/// How the bytes of a text become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// UTF-8, with U+FFFD for each invalid sequence.
    Utf8,
    /// UTF-8, with the bytes of invalid sequences read as windows-1252.
    Mixed,
    /// Another encoding.
    Other(&'static Encoding),
}

impl Charset {
    fn of_encoding(encoding: &'static Encoding) -> Charset {
        if encoding == UTF_8 {
            Charset::Utf8
        } else {
            Charset::Other(encoding)
        }
    }

    /// Decodes bytes.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        match self {
            Charset::Utf8 => utf8_lossy(bytes),
            Charset::Mixed => decode_mixed(bytes),
            Charset::Other(encoding) => decode(bytes, encoding),
        }
    }
}

fn decode_mixed(bytes: &[u8]) -> String {
    utf8(bytes).unwrap_or_else(|copy| {
        let mut text = String::with_capacity(copy.len() + copy.len() / 16);
        for chunk in copy.utf8_chunks() {
            text.push_str(chunk.valid());
            text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
        }
        text
    })
}

/// True if a text that is not UTF-8 as a whole contains a non-ASCII character in UTF-8 that is not a byte-order mark.
fn has_utf8(bytes: &[u8]) -> bool {
    let is_wide = |c: char| !c.is_ascii() && c != '\u{feff}';
    copy(bytes)
        .utf8_chunks()
        .any(|chunk| chunk.valid().contains(is_wide))
}

/// The encoding of texts: the one that the user names or, for each text, UTF-8 if the text is valid UTF-8, otherwise
/// windows-1252.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextEncoding {
    /// The encoding that the user named.
    pub(crate) forced: Option<&'static Encoding>,
}

impl TextEncoding {
    /// The description for display. `unit` is the unit that has one encoding: a text or a game.
    pub(crate) fn describe(self, unit: &str) -> String {
        match self.forced {
            Some(encoding) => format!("{} (forced)", encoding.name().to_lowercase()),
            None => format!("each {unit} in utf-8, else windows-1252"),
        }
    }

    /// How to decode a text that may have parts in several encodings. If it contains UTF-8 beyond ASCII, only the other
    /// bytes are windows-1252.
    pub(crate) fn charset_of(self, bytes: &[u8]) -> Charset {
        match self.forced {
            Some(encoding) => Charset::of_encoding(encoding),
            None if utf8_len(bytes) == bytes.len() => Charset::Utf8,
            None if has_utf8(bytes) => Charset::Mixed,
            None => Charset::Other(WINDOWS_1252),
        }
    }

    /// Decodes a text, with U+FFFD for undefined bytes.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        if let Some(encoding) = self.forced {
            return decode(bytes, encoding);
        }
        utf8(bytes).unwrap_or_else(|copy| {
            // The five bytes that the code page does not define are decoded to control characters.
            let is_undefined = |c: char| matches!(c, '\u{80}'..='\u{9f}');
            decode(&copy, WINDOWS_1252).replace(is_undefined, "\u{fffd}")
        })
    }
}

/// Appends bytes that were ASCII when they were tested. If they have changed since, some of them are left out.
pub fn append_ascii(bytes: &[u8], text: &mut String) {
    text.reserve(bytes.len());
    let mut buffer = [0; PIECE];
    for piece in bytes.chunks(PIECE) {
        if let Some(copy) = buffer.get_mut(..piece.len()) {
            copy.copy_from_slice(piece);
            text.push_str(std::str::from_utf8(black_box(copy)).unwrap_or_default());
        }
    }
}

/// Number of bytes that [`append_ascii`] copies at a time.
const PIECE: usize = 64;

/// A copy that later changes of the bytes do not affect.
fn copy(bytes: &[u8]) -> Vec<u8> {
    // The compiler may assume that referenced bytes do not change, and read them again instead of the copy. It cannot
    // do so with the result of `black_box`.
    black_box(bytes.to_vec())
}

/// Length of the valid UTF-8 at the start.
pub fn utf8_len(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// UTF-8 without an incomplete sequence at its end, which remains when a writer cuts a field at a fixed length.
pub fn without_cut_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes,
        Err(_) => {
            // An incomplete character has at most three bytes, and its first one announces more than there
            // are.
            let cut = (1..=3.min(bytes.len())).find(|&back| {
                let tail = bytes.get(bytes.len() - back..).unwrap_or_default();
                matches!(std::str::from_utf8(tail), Err(e) if e.valid_up_to() == 0 && e.error_len().is_none())
            });
            bytes.get(..bytes.len() - cut.unwrap_or(0)).unwrap_or(bytes)
        }
    }
}

/// Decodes UTF-8 to one line: invalid sequences become U+FFFD, control characters of ASCII become spaces, and
/// spaces at both ends are removed.
pub fn utf8_line(bytes: &[u8]) -> String {
    let is_control = |c: char| c.is_ascii_control();
    let text = utf8_lossy(trim_blanks(bytes));
    if text.contains(is_control) {
        text.replace(is_control, " ").trim_matches(' ').to_owned()
    } else {
        text
    }
}

/// The text of a PGN tag: `\"` becomes a quotation mark and `\\` a backslash. Other backslashes stay.
///
/// ```
/// assert_eq!(chessdb::text::unescaped(r#"the \"Immortal\" C:\games"#), r#"the "Immortal" C:\games"#);
/// ```
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' {
            characters.next_if(|c| matches!(c, '"' | '\\'))
        } else {
            None
        };
        plain.push(escaped.unwrap_or(character));
    }
    plain
}

/// Bytes without spaces at both ends.
fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let is_text = |&c: &u8| c != b' ';
    let start = bytes.iter().position(is_text).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_text).map_or(start, |last| last + 1);
    bytes.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_utf8_becomes_text() {
        assert_eq!(utf8("Réti".as_bytes()), Ok("Réti".to_owned()));
        assert_eq!(utf8(b"R\xe9ti"), Err(b"R\xe9ti".to_vec()));
        assert_eq!(utf8_lossy(b"R\xe9ti"), "R\u{fffd}ti");
        assert_eq!(decode(b"R\xe9ti", encoding_rs::WINDOWS_1252), "Réti");
        assert_eq!([utf8_len(b"ab\xff"), utf8_len("é".as_bytes())], [2, 2]);
    }

    #[test]
    fn each_text_is_utf_8_or_windows_1252() {
        let texts = TextEncoding { forced: None };
        assert_eq!(texts.decode("Čapek — ещё".as_bytes()), "Čapek — ещё");
        assert_eq!(texts.decode(b"M\xfcller \x93x\x94"), "Müller “x”");
        assert_eq!(
            texts.decode(b"\xe9 \x81\x8d\x8f\x90\x9d"),
            "é \u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        let forced = TextEncoding {
            forced: Encoding::for_label(b"ibm866"),
        };
        assert_eq!(forced.decode(b"\x8a\xa0"), "Ка");
    }

    #[test]
    fn a_stray_byte_changes_no_other_character() {
        let texts = TextEncoding { forced: None };
        for (bytes, text) in [
            ("Łukasz — ещё".as_bytes(), "Łukasz — ещё"),
            (b"Tarr\xc3\xa1sch, M\xfcller \xc3", "Tarrásch, Müller Ã"),
            (b"M\xfcller \x93x\x94", "Müller “x”"),
            (b"\xe9\xc3", "éÃ"),
        ] {
            assert_eq!(texts.charset_of(bytes).decode(bytes), text);
        }
        let forced = TextEncoding { forced: Some(UTF_8) };
        assert_eq!(
            forced.charset_of(b"\xc3\xa1\xfc").decode(b"\xc3\xa1\xfc"),
            "á\u{fffd}"
        );
    }

    #[test]
    fn pieces_of_ascii_are_joined() {
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE] {
            let mut text = "_".to_owned();
            append_ascii("x".repeat(len).as_bytes(), &mut text);
            assert_eq!(text, format!("_{}", "x".repeat(len)));
        }
        let mut text = String::new();
        append_ascii(&[b'a', 0xf0, b'b'], &mut text);
        assert_eq!(text, "");
    }

    #[test]
    fn only_a_cut_character_is_dropped() {
        assert_eq!(without_cut_character("Réti".as_bytes()), "Réti".as_bytes());
        assert_eq!(without_cut_character(b"Ret\xc3"), b"Ret");
        assert_eq!(without_cut_character(b"\xe2\x82"), b"");
        assert_eq!(without_cut_character(b"a\xffb"), b"a\xffb");
        assert_eq!(without_cut_character(b"\xff\xf0\x9f\x98"), b"\xff");
    }

    #[test]
    fn control_characters_become_blanks() {
        assert_eq!(utf8_line(b"\0 a\nb\x7f\0"), "a b");
        assert_eq!(utf8_line(b"a\xffb"), "a\u{fffd}b");
    }
}
