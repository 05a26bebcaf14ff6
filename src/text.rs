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
    let is_control = |c: u8| c < b' ' || c == 0x7f;
    let bytes = trim_blanks(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.iter().fold(false, |found, &c| found | is_control(c)) => Cow::Borrowed(text),
        _ => {
            let text = String::from_utf8_lossy(bytes);
            let blanked = text.replace(|c: char| c.is_ascii() && is_control(c as u8), " ");
            Cow::Owned(blanked.trim_matches(' ').to_owned())
        }
    }
}

/// Bytes without blanks at both ends.
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
