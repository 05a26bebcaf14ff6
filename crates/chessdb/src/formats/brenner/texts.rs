//! Texts: their encoding and clean-up (sections 6.1 and 6.2).

use encoding_rs::Encoding;

use crate::text::{TextEncoding, without_cut_character};

/// Maximum length of a header value in bytes (section 8.3); the rest is ignored.
const LONGEST_VALUE: usize = 1 << 16;

/// How texts are decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextReader(pub(super) TextEncoding);

impl TextReader {
    /// Decodes bytes in the code page with this label. Without a known label, the rule on the format's page applies.
    pub(super) fn new(label: Option<&str>) -> TextReader {
        let forced = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        TextReader(TextEncoding { forced })
    }

    /// Decodes a text to one line: control characters and runs of white space become one space, and both ends
    /// are trimmed.
    pub(super) fn line(self, bytes: &[u8]) -> String {
        match self.0.decode(bytes) {
            text if is_line(&text) => text,
            text => to_line(&text),
        }
    }

    /// Decodes the value of a header like [`TextReader::line`], but at most [`LONGEST_VALUE`] bytes.
    pub(super) fn value(self, bytes: &[u8]) -> String {
        match bytes.get(..LONGEST_VALUE) {
            Some(cut) if cut.len() < bytes.len() => self.line(without_cut_character(cut)),
            _ => self.line(bytes),
        }
    }
}

/// True if a text is already on one line.
fn is_line(text: &str) -> bool {
    let mut blank_before = true;
    for &byte in text.as_bytes() {
        let is_blank = byte == b' ';
        if !(b' '..0x7f).contains(&byte) || is_blank && blank_before {
            return false;
        }
        blank_before = is_blank;
    }
    !blank_before || text.is_empty()
}

fn to_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_control() || c.is_whitespace()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: &[u8]) -> String {
        TextReader::new(None).line(bytes)
    }

    #[test]
    fn each_text_is_utf_8_or_windows_1252() {
        assert_eq!(line("Čapek — ещё".as_bytes()), "Čapek — ещё");
        assert_eq!(line(b"M\xfcller \x93x\x94"), "Müller “x”");
        assert_eq!(TextReader::new(Some("ibm866")).line(b"\x8a\xa0"), "Ка");
        assert_eq!(TextReader::new(Some("no such page")).line(b"\xfc"), "ü");
    }

    #[test]
    fn white_space_and_control_characters_are_one_blank() {
        assert_eq!(line(b"  two\nthree\t\x1b x\x7f "), "two three x");
        assert_eq!(line("a\u{a0}\u{85}b".as_bytes()), "a b");
        assert_eq!(line(b" \n "), "");
        assert_eq!(line(b""), "");
        assert_eq!(line(b"plain text"), "plain text");
    }

    #[test]
    fn values_are_cut_between_characters() {
        let long = "é".repeat(LONGEST_VALUE);
        let odd = format!("x{long}");
        for text in [long, odd] {
            let value = TextReader::new(None).value(text.as_bytes());
            assert!(text.starts_with(&value), "still the same encoding");
            assert!(value.len() > LONGEST_VALUE - 2 && value.len() <= LONGEST_VALUE);
        }
        assert_eq!(TextReader::new(None).value(b"Andr\xe9"), "André");
    }
}
