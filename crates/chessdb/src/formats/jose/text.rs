//! Texts: decoding bytes (section 4.3), and making comments fit for PGN (section 6).

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};

use super::myisam::Charset;
use crate::text;

/// Maximum length in bytes of a name or another text on one line. No column of the program has more than 765
/// bytes, and PGN readers reject long tags.
const LONGEST_LINE: usize = 2048;

/// Decodes texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextDecoder {
    /// Code page of bytes that are not UTF-8.
    fallback: &'static Encoding,
}

impl Default for TextDecoder {
    fn default() -> TextDecoder {
        TextDecoder {
            fallback: WINDOWS_1252,
        }
    }
}

impl TextDecoder {
    /// A decoder with the user's code page; `None` if the label is unknown.
    pub(super) fn with_label(label: &str) -> Option<TextDecoder> {
        let fallback = Encoding::for_label(label.as_bytes())?;
        Some(TextDecoder { fallback })
    }

    /// Name of the code page for bytes that are not UTF-8.
    pub(super) fn fallback(self) -> &'static str {
        self.fallback.name()
    }

    /// Decodes a text.
    pub(super) fn decode(self, bytes: &[u8], charset: Charset) -> String {
        match (charset, text::utf8(bytes)) {
            (Charset::Utf8, Ok(text)) => text,
            (Charset::Utf8, Err(copy)) => self.decode_mixed(&copy),
            (Charset::Latin1, Ok(text)) if text.is_ascii() => text,
            (Charset::Latin1, _) => text::decode(bytes, self.fallback),
        }
    }

    /// Decodes a text to one line: control characters become spaces, and both ends are trimmed.
    pub(super) fn line(self, bytes: &[u8], charset: Charset) -> String {
        let bytes = bytes.get(..LONGEST_LINE).unwrap_or(bytes);
        let text = self.decode(bytes, charset);
        if text.contains(char::is_control) {
            let blanked = text.replace(|c: char| c.is_ascii_control(), " ");
            return blanked.trim_matches(' ').to_owned();
        }
        match text.trim_matches(' ') {
            trimmed if trimmed.len() < text.len() => trimmed.to_owned(),
            _ => text,
        }
    }

    /// Decodes UTF-8 with characters above U+FFFF as two surrogates of three bytes each. Other bytes are decoded in the
    /// code page.
    fn decode_mixed(self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes;
        let mut strange = Vec::new();
        while !rest.is_empty() {
            let (good, bad) = rest.split_at(text::utf8_len(rest));
            if !good.is_empty() {
                self.flush(&mut strange, &mut text);
                text.push_str(&text::utf8_lossy(good));
            }
            rest = bad;
            if let Some(unit) = surrogate(rest) {
                self.flush(&mut strange, &mut text);
                let after = rest.get(3..).unwrap_or_default();
                let pair = surrogate(after).and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
                text.push(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = if pair.is_some() {
                    after.get(3..).unwrap_or_default()
                } else {
                    after
                };
            } else if let Some((&byte, after)) = rest.split_first() {
                strange.push(byte);
                rest = after;
            }
        }
        self.flush(&mut strange, &mut text);
        text
    }

    fn flush(self, strange: &mut Vec<u8>, text: &mut String) {
        if !strange.is_empty() {
            text.push_str(&text::decode(strange, self.fallback));
            strange.clear();
        }
    }
}

/// The surrogate encoded in three bytes.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f))
        }
        _ => None,
    }
}

/// Markup in the program's comments: the name of each tag, and its replacement.
const MARKUP: [(&str, &str); 7] = [
    ("b", ""),
    ("i", ""),
    ("u", ""),
    ("font", ""),
    ("div", " "),
    ("center", " "),
    ("br", " "),
];

const ENTITIES: [(&str, char); 6] = [
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
];

/// Maximum length of an entity between `&` and `;`.
const LONGEST_ENTITY: usize = 10;

/// Removes markup and entities from a comment, and replaces curly brackets by round ones (section 6).
pub(super) fn comment(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains('<') {
        text = Cow::Owned(without_markup(&text));
    }
    if text.contains('&') {
        text = Cow::Owned(without_entities(&text));
    }
    if text.contains(|c: char| c.is_ascii_control() || matches!(c, '{' | '}')) {
        let unix = text.replace("\r\n", "\n");
        let clean = unix.chars().map(|c| match c {
            '\r' | '\n' => '\n',
            '{' => '(',
            '}' => ')',
            c if c.is_ascii_control() => ' ',
            c => c,
        });
        text = Cow::Owned(clean.collect());
    }
    text
}

fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // If no `>` is left, no tag is left.
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        plain.push_str(before);
        match markup(tag) {
            Some((stand_in, len)) => {
                plain.push_str(stand_in);
                rest = tag.get(len..).unwrap_or_default();
            }
            None => {
                plain.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The replacement of the markup at the start of a text, and the length of the markup.
fn markup(text: &str) -> Option<(&'static str, usize)> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let (name, stand_in) = MARKUP.into_iter().find(|(name, _)| {
        let head = inner.get(..name.len());
        let after = inner.get(name.len()..).and_then(|after| after.chars().next());
        head.is_some_and(|head| head.eq_ignore_ascii_case(name))
            && after.is_some_and(|c| c == '>' || c == '/' || c.is_ascii_whitespace())
    })?;
    let attributes = inner.get(name.len()..)?;
    // A tag ends before the next one begins.
    let end = attributes.find(['<', '>'])?;
    attributes.get(end..)?.starts_with('>').then_some(())?;
    Some((stand_in, text.len() - attributes.len() + end + 1))
}

fn without_entities(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        let (before, tail) = rest.split_at(start);
        plain.push_str(before);
        let tail = tail.get(1..).unwrap_or_default();
        let window = tail
            .get(..tail.floor_char_boundary(LONGEST_ENTITY + 1))
            .unwrap_or_default();
        match window
            .split_once(';')
            .and_then(|(name, _)| Some((name, entity(name)?)))
        {
            Some((name, character)) => {
                plain.push(character);
                rest = tail.get(name.len() + 1..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = tail;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn entity(name: &str) -> Option<char> {
    let code = match name.strip_prefix('#') {
        None => return ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c),
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) if digits.bytes().all(|c| c.is_ascii_hexdigit()) => {
                u32::from_str_radix(digits, 16).ok()?
            }
            None if number.bytes().all(|c| c.is_ascii_digit()) => number.parse().ok()?,
            _ => return None,
        },
    };
    char::from_u32(code).filter(|&c| c != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> String {
        TextDecoder::default().decode(bytes, Charset::Utf8)
    }

    #[test]
    fn bytes_become_characters() {
        assert_eq!(decode("Réti".as_bytes()), "Réti");
        assert_eq!(decode(b"R\xe9ti \xc0\x80"), "Réti À€");
        assert_eq!(decode(b"\xed\xa0\xbc\xed\xbe\x89!"), "\u{1f389}!");
        assert_eq!(decode(b"a\xed\xa0\xbcb"), "a\u{fffd}b");
        assert_eq!(decode("\u{1f389}\u{ff}".as_bytes()), "\u{1f389}ÿ");
        assert_eq!(TextDecoder::default().decode(b"\x80", Charset::Latin1), "€");
        assert_eq!(TextDecoder::default().line(b" a\nb\0 ", Charset::Utf8), "a b");
    }

    #[test]
    fn comments_lose_markup_and_entities() {
        assert_eq!(comment("a<BR/>b <b>c</b> <x> <i"), "a b c <x> <i");
        assert_eq!(comment("<font color='red'>a</font><body>"), "a<body>");
        assert_eq!(
            comment("&lt;b&gt; &amp;lt; &#228;&#xE4;&#0;&#xD800;&foo; & x"),
            "<b> &lt; ää&#0;&#xD800;&foo; & x"
        );
        assert_eq!(comment("{a}\r\nb\rc\td"), "(a)\nb\nc d");
        assert_eq!(comment("plain"), "plain");
    }

    #[test]
    fn a_line_has_at_most_2048_bytes() {
        for (len, shown) in [(2_047, 2_047), (2_048, 2_048), (2_049, 2_048)] {
            let line = TextDecoder::default().line(&vec![b'x'; len], Charset::Utf8);
            assert_eq!(line.len(), shown, "{len}");
        }
    }

    #[test]
    fn an_entity_has_at_most_10_characters() {
        assert_eq!(
            comment("&#x00000e4; &#x000000e4; &#x0000000e4;"),
            "ä ä &#x0000000e4;"
        );
    }
}
