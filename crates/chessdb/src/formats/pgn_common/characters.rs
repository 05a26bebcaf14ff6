//! The encoding of texts (section 4.2).

use encoding_rs::Encoding;

use crate::text::{self, Charset, TextEncoding};

/// The encoding with this label for all games. Without a label, or if it cannot be used (which adds a warning), each
/// game follows the rule of section 4.2.
pub(in crate::formats) fn choose(label: Option<&str>, warnings: &mut Vec<String>) -> TextEncoding {
    let forced = label.and_then(|label| {
        let found = Encoding::for_label(label.as_bytes());
        let usable = found.filter(|encoding| encoding.is_ascii_compatible());
        if usable.is_none() {
            warnings.push(format!(
                "encoding {label} is not known or has no ASCII: each game is read in utf-8, else windows-1252"
            ));
        }
        usable
    });
    TextEncoding { forced }
}

/// Decodes bytes. Byte-order marks are left out (section 2).
pub(in crate::formats) fn decode(bytes: &[u8], encoding: Charset) -> String {
    let text = encoding.decode(bytes);
    match text.contains('\u{feff}') {
        true => text.replace('\u{feff}', ""),
        false => text,
    }
}

/// Appends the value of a tag (section 4.1): escapes are removed, line ends become spaces, and bytes that are
/// ignored everywhere are left out.
pub(in crate::formats) fn append_value(value: &[u8], encoding: Charset, out: &mut String) {
    let is_plain = |c: &u8| (b' '..0x7f).contains(c) && *c != b'\\';
    if value.iter().fold(true, |plain, c| plain & is_plain(c)) {
        return text::append_ascii(value, out);
    }
    let text = decode(value, encoding);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next_if(|c| matches!(c, '"' | '\\'));
                out.push(escaped.unwrap_or(character));
            }
            '\r' => {
                characters.next_if_eq(&'\n');
                out.push(' ');
            }
            '\n' | '\t' => out.push(' '),
            '\0' | '\u{1a}' => {}
            character => out.push(character),
        }
    }
}

/// The value of a tag.
pub(in crate::formats) fn value(value: &[u8], encoding: Charset) -> String {
    let mut text = String::new();
    append_value(value, encoding, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_utf_8_or_windows_1252() {
        let characters = choose(None, &mut Vec::new());
        let read = |bytes: &[u8]| decode(bytes, characters.charset_of(bytes));
        assert_eq!(read("Müller".as_bytes()), "Müller");
        assert_eq!(read(b"M\xfcller \x93x\x94 \x81"), "Müller “x” \u{81}");
        let mut warnings = Vec::new();
        let forced = choose(Some("ibm866"), &mut warnings);
        assert_eq!(decode(b"\x8a\xa0", forced.charset_of(b"\x8a\xa0")), "Ка");
        choose(Some("utf-16le"), &mut warnings);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn escapes_and_line_ends_are_undone() {
        assert_eq!(value(br#"a \"b\" c\\d \x \"#, Charset::Utf8), r#"a "b" c\d \x \"#);
        assert_eq!(value(b"two\r\nlines\0", Charset::Utf8), "two lines");
    }
}
