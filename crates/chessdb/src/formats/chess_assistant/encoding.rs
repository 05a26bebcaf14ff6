//! The code page of a database's texts (section 7.5).

use encoding_rs::{Encoding, UTF_8, WINDOWS_1251, WINDOWS_1252};

use crate::text;

/// Decodes bytes to text on one line: control characters become spaces, undefined bytes U+FFFD.
#[inline]
pub(super) fn decode(bytes: &[u8], encoding: &'static Encoding) -> String {
    let is_plain = bytes
        .iter()
        .fold(true, |plain, &c| plain & (b' '..0x7f).contains(&c));
    if !is_plain {
        return decode_with_oddities(bytes, encoding);
    }
    let mut text = String::new();
    text::append_ascii(bytes, &mut text);
    text
}

#[cold]
fn decode_with_oddities(bytes: &[u8], encoding: &'static Encoding) -> String {
    // Single-byte encodings map undefined bytes to control characters from U+0080 on.
    let undefined = if encoding.is_single_byte() {
        '\u{fffd}'
    } else {
        ' '
    };
    let clean = |c: char| match c {
        '\u{80}'..='\u{9f}' => undefined,
        c if c.is_control() => ' ',
        c => c,
    };
    text::decode(bytes, encoding).chars().map(clean).collect()
}

/// Evidence for the code page, counted over all texts with bytes from 80 hex on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    invalid_utf8: bool,
    texts: u32,
    /// Number of bytes from C0 hex on next to another such byte, as in words of Cyrillic letters.
    run: u64,
    /// Number of bytes from C0 hex on next to an ASCII letter but not next to another such byte, as accented letters in
    /// Latin words.
    single: u64,
}

impl Evidence {
    pub(super) fn add(&mut self, name: &[u8]) {
        if name.is_ascii() {
            return;
        }
        self.texts += 1;
        self.invalid_utf8 |= text::utf8_len(name) < name.len();
        let at = |place: Option<usize>| place.and_then(|place| name.get(place)).copied().unwrap_or(0);
        for (place, _) in name.iter().enumerate().filter(|(_, c)| **c >= 0xc0) {
            let beside = [at(place.checked_sub(1)), at(place.checked_add(1))];
            if beside.iter().any(|&c| c >= 0xc0) {
                self.run += 1;
            } else if beside.iter().any(u8::is_ascii_alphabetic) {
                self.single += 1;
            }
        }
    }

    pub(super) fn guess(&self) -> &'static Encoding {
        if self.texts > 0 && !self.invalid_utf8 {
            UTF_8
        } else if self.single > self.run {
            WINDOWS_1252
        } else {
            WINDOWS_1251
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(texts: &[&[u8]]) -> &'static Encoding {
        let mut evidence = Evidence::default();
        texts.iter().for_each(|text| evidence.add(text));
        evidence.guess()
    }

    #[test]
    fn code_pages_are_detected() {
        assert_eq!(guess(&[b"Fischer"]), WINDOWS_1251);
        assert_eq!(guess(&["Réti".as_bytes()]), UTF_8);
        assert_eq!(guess(&[b"R\xe9ti", b"Gr\xfcnfeld"]), WINDOWS_1252);
        assert_eq!(guess(&[b"\xcf\xe0\xf0\xf2\xe8\xff"]), WINDOWS_1251);
        assert_eq!(guess(&["Réti".as_bytes(), b"\xcf\xe0\xf0"]), WINDOWS_1251);
    }

    #[test]
    fn undefined_bytes_are_visible() {
        assert_eq!(decode(b"a\nb\x7f", WINDOWS_1252), "a b ");
        assert_eq!(decode(b"R\xe9ti\x81", WINDOWS_1252), "Réti\u{fffd}");
        assert_eq!(decode(b"\xcf\x98", WINDOWS_1251), "П\u{fffd}");
        assert_eq!(decode(b"\xc2\x85\xff", UTF_8), " \u{fffd}");
    }
}
