//! Texts: bytes to characters (section 6).

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};

use crate::text;

/// Maximum length of a text on one line in bytes. Some readers of PGN fail on longer tags.
const LONGEST_LINE: usize = 2048;

/// The byte for a diagram in a comment.
const DIAGRAM: u8 = 0x04;

/// The same in Windows-1252, where it is also the letter `ž`.
const OLD_DIAGRAM: u8 = 0x9e;

/// The letters for the bytes a2 to a7 (hexadecimal), which mean pieces if a square follows.
const FIGURINES: &[u8; 6] = b"KQNBRP";

/// Private characters in comments, with the texts shown for them.
const MARKS: [(char, &str); 8] = [
    ('\u{e005}', "[#]"),
    ('\u{e00d}', "∆"),
    ('\u{e024}', "K"),
    ('\u{e025}', "Q"),
    ('\u{e026}', "R"),
    ('\u{e027}', "B"),
    ('\u{e028}', "N"),
    ('\u{e029}', "P"),
];

/// True for the rest of a move after its piece: `f6`, `xf6`, `df6`, `1f6`, `1xf6`.
fn names_square(text: &[u8]) -> bool {
    let is_file = |c: Option<&u8>| c.is_some_and(|c| (b'a'..=b'h').contains(c));
    let is_rank = |c: &u8| (b'1'..=b'8').contains(c);
    match text {
        [b'1'..=b'8', b'x', rest @ ..] | [b'x' | b'1'..=b'8', rest @ ..] => is_file(rest.first()),
        [b'a'..=b'h', second, ..] => is_rank(second) || *second == b'x' || is_file(Some(second)),
        _ => false,
    }
}

/// True if the bytes before and after `ž` show that it is no letter of a word.
fn stands_alone(before: &[u8], after: &[u8]) -> bool {
    let is = |byte: Option<&u8>, kind: fn(char) -> bool| {
        byte.is_some_and(|&byte| text::decode(&[byte], WINDOWS_1252).contains(kind))
    };
    !is(before.last(), char::is_alphabetic) && !is(after.first(), char::is_lowercase)
}

/// Replaces the private characters of newer versions by names of pieces and signs.
pub(super) fn with_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match MARKS.iter().find(|(mark, _)| *mark == character) {
            Some((_, shown)) => out.push_str(shown),
            None => out.push(character),
        }
    }
    out
}

/// How bytes become characters.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Characters {
    /// Code page of texts that are not UTF-8.
    fallback: &'static Encoding,
    is_given: bool,
}

impl Characters {
    /// The encoding that the user chose, otherwise Windows-1252.
    pub(in crate::formats) fn choose(label: Option<&str>, warnings: &mut Vec<String>) -> Characters {
        let given = label.map(|label| Encoding::for_label(label.as_bytes()));
        if given == Some(None) {
            warnings.push("the encoding is not known, so it is ignored".to_owned());
        }
        Characters {
            fallback: given.flatten().unwrap_or(WINDOWS_1252),
            is_given: matches!(given, Some(Some(_))),
        }
    }

    pub(in crate::formats) fn describe(self) -> String {
        format!("UTF-8, else {}", self.fallback.name())
    }

    /// The characters of a text.
    pub(in crate::formats) fn decode(self, bytes: &[u8]) -> String {
        match text::utf8(bytes) {
            Ok(text) => text,
            Err(copy) => text::decode(&copy, self.fallback),
        }
    }

    /// The text of a field, which ends at its first zero byte. Control characters become blanks, and blanks at both
    /// ends are removed.
    pub(in crate::formats) fn field(self, field: &[u8]) -> String {
        let mut text = String::new();
        self.append_field(field, &mut text);
        text
    }

    /// Appends the text of a field.
    pub(in crate::formats) fn append_field(self, field: &[u8], out: &mut String) {
        let end = field.iter().position(|&byte| byte == 0);
        let bytes = field.get(..end.unwrap_or(field.len())).unwrap_or_default();
        let is_plain = |&c: &u8| (b' '..0x7f).contains(&c);
        if bytes.iter().all(is_plain) && !bytes.starts_with(b" ") && !bytes.ends_with(b" ") {
            text::append_ascii(bytes, out);
        } else {
            self.append_line(bytes, end.is_none(), out);
        }
    }

    /// Appends a text, which ends at the first zero byte, on one line. Control characters and the blanks around them
    /// become one blank, or are removed at the ends.
    pub(in crate::formats) fn append_name(self, bytes: &[u8], out: &mut String) {
        let end = bytes.iter().position(|&byte| byte == 0);
        let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let is_plain = |&c: &u8| (b' '..0x7f).contains(&c);
        if bytes.iter().all(is_plain) && !bytes.starts_with(b" ") && !bytes.ends_with(b" ") {
            return text::append_ascii(bytes, out);
        }
        let text = self.decode(bytes);
        let is_end = |c: char| c == ' ' || c.is_control();
        let mut rest = text.trim_matches(is_end);
        while let Some(at) = rest.find(char::is_control) {
            let (before, after) = rest.split_at(at);
            out.push_str(before.trim_end_matches(' '));
            out.push(' ');
            rest = after.trim_start_matches(is_end);
        }
        out.push_str(rest);
    }

    /// Appends a text on one line. If `is_full`, the text fills its field and may have lost the end of its last
    /// character.
    #[cold]
    fn append_line(self, bytes: &[u8], is_full: bool, out: &mut String) {
        let whole = if is_full {
            text::without_cut_character(bytes)
        } else {
            bytes
        };
        let is_utf8 = text::utf8_len(whole) == whole.len() && !whole.is_ascii();
        let text = self.decode(if is_utf8 { whole } else { bytes });
        let line = text.replace(|c: char| c.is_control(), " ");
        out.push_str(line.trim_matches(' '));
    }

    /// The text on one line, cut at the maximum length.
    pub(in crate::formats) fn line(self, bytes: &[u8]) -> String {
        self.field(bytes.get(..LONGEST_LINE).unwrap_or(bytes))
    }

    /// The characters of a comment. Old comments have figurines for pieces, and a special character for diagrams.
    pub(in crate::formats) fn comment(self, bytes: &[u8]) -> String {
        if bytes.is_ascii() && !bytes.contains(&DIAGRAM) {
            return self.decode(bytes);
        }
        if self.is_given || text::utf8_len(bytes) == bytes.len() {
            return self.decode(bytes).replace(char::from(DIAGRAM), "[#]");
        }
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some((&byte, tail)) = rest.split_first() {
            match byte {
                DIAGRAM => plain.extend_from_slice(b"[#]"),
                OLD_DIAGRAM if stands_alone(&plain, tail) => plain.extend_from_slice(b"[#]"),
                0xa2..=0xa7 if names_square(tail) => {
                    let letter = FIGURINES.get(usize::from(byte - 0xa2));
                    plain.push(letter.copied().unwrap_or(byte));
                }
                byte => plain.push(byte),
            }
            rest = tail;
        }
        text::decode(&plain, self.fallback)
    }

    /// The characters of a comment up to its first zero byte. Braces, which would end it in PGN, become brackets.
    pub(in crate::formats) fn comment_field(self, field: &[u8]) -> String {
        let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
        let text = self.comment(field.get(..end).unwrap_or_default());
        with_marks(&text).replace('{', "(").replace('}', ")")
    }

    /// A warning if most texts look like Cyrillic.
    pub(in crate::formats) fn doubt<'t>(self, texts: impl Iterator<Item = &'t [u8]>) -> Option<String> {
        let (mut cyrillic, mut others) = (0, 0);
        for bytes in texts.filter(|bytes| !bytes.is_ascii()) {
            let high = bytes.iter().filter(|&&byte| byte >= 0xc0).count();
            let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
            if text::utf8_len(bytes) < bytes.len() && high > letters {
                cyrillic += 1;
            } else {
                others += 1;
            }
        }
        (!self.is_given && cyrillic > others).then(|| {
            format!(
                "most texts look as if they were in Cyrillic letters: the encoding {} shows them",
                WINDOWS_1251.name()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> Characters {
        Characters::choose(None, &mut Vec::new())
    }

    #[test]
    fn fields_end_at_a_zero_byte() {
        assert_eq!(usual().field(b"Karpov\0ly\0"), "Karpov");
        assert_eq!(usual().field(b" a\tb \0"), "a b");
        assert_eq!(usual().field(b""), "");
    }

    #[test]
    fn utf8_is_preferred() {
        assert_eq!(usual().field("Müller\0".as_bytes()), "Müller");
        assert_eq!(usual().field(b"M\xfcller\0"), "Müller");
        assert_eq!(usual().field(b"M\xc3\xbcll\xc3"), "Müll");
        let russian = Characters::choose(Some("windows-1251"), &mut Vec::new());
        assert_eq!(russian.field(b"\xcf\xe0\xf0\xf2\xe8\xff"), "Партия");
    }

    #[test]
    fn figurines_stand_before_squares() {
        let comment = |bytes: &[u8]| usual().comment(bytes);
        assert_eq!(comment(b"34.\xa3h6+-, \xa6dh4 \xa5xe6"), "34.Qh6+-, Rdh4 Bxe6");
        assert_eq!(comment(b"\xa61xd2, \xa21"), "R1xd2, ¢1");
        assert_eq!(comment(b"\xa7 4, \xa3100"), "§ 4, £100");
        assert_eq!(comment(b"\x04 White"), "[#] White");
    }

    /// Byte 9e is a diagram, but a letter in words of Czech and its neighbours.
    #[test]
    fn a_letter_that_stands_alone_is_a_diagram() {
        let comment = |bytes: &[u8]| usual().comment(bytes);
        assert_eq!(comment(b"\x9e"), "[#]");
        assert_eq!(comment(b"\x9e White to move"), "[#] White to move");
        assert_eq!(comment(b"Black is lost.\x9e"), "Black is lost.[#]");
        assert_eq!(comment(b"\x9eThe end"), "[#]The end");
        assert_eq!(comment(b"mu\x9e, \x9eena a kni\x9eka"), "muž, žena a knižka");
    }

    #[test]
    fn cyrillic_texts_are_noticed() {
        let russian: &[u8] = b"\xcf\xe0\xf0\xf2\xe8\xff";
        let german: &[u8] = b"M\xfcller";
        let doubt = |texts: &[&[u8]]| usual().doubt(texts.iter().copied()).is_some();
        assert!(doubt(&[russian, russian, german, b"Smith"]));
        assert!(!doubt(&[russian, german]));
        assert!(!doubt(&["Партия".as_bytes()]));
    }

    #[test]
    fn a_line_has_at_most_2048_bytes() {
        for (len, shown) in [(2_047, 2_047), (2_048, 2_048), (2_049, 2_048)] {
            assert_eq!(usual().line(&vec![b'x'; len]).len(), shown, "{len}");
        }
    }
}
