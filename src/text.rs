//! Text of databases: UTF-8 with bad sequences, blanks for control characters.

use std::borrow::Cow;

/// UTF-8 without an incomplete sequence at its very end, as writers leave it that cut a field at a byte.
pub fn without_cut_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes,
        Err(_) => {
            // An incomplete character has at most three bytes; its first one announces more than there are.
            let cut = (1..=3.min(bytes.len())).find(|&back| {
                let tail = bytes.get(bytes.len() - back..).unwrap_or_default();
                matches!(std::str::from_utf8(tail), Err(e) if e.valid_up_to() == 0 && e.error_len().is_none())
            });
            bytes.get(..bytes.len() - cut.unwrap_or(0)).unwrap_or(bytes)
        }
    }
}

/// UTF-8 text on one line: bad sequences become U+FFFD, characters below 20 hex and 7F a blank, and blanks at
/// both ends are cut.
pub fn utf8_line(bytes: &[u8]) -> Cow<'_, str> {
    let is_control = |c: char| c < ' ' || c == '\x7f';
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) if !text.contains(is_control) => Cow::Borrowed(text.trim_matches(' ')),
        text => Cow::Owned(text.replace(is_control, " ").trim_matches(' ').to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
