//! Decodes texts, and puts them on one line (section 9).

use encoding_rs::Encoding;

use crate::text::{self, TextEncoding};

/// The encoding of the texts of a database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts(pub(super) TextEncoding);

impl Texts {
    /// The encoding that the user named. Without one, each text is UTF-8 or windows-1252. An unknown name causes a
    /// warning.
    pub(super) fn choose(label: Option<&str>, warnings: &mut Vec<String>) -> Texts {
        let forced = label.and_then(|label| {
            let known = Encoding::for_label(label.as_bytes());
            if known.is_none() {
                warnings.push(format!(
                    "unknown encoding {label}: each text is read in utf-8, else windows-1252"
                ));
            }
            known
        });
        Texts(TextEncoding { forced })
    }

    /// Decodes a stored text.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        self.0.decode(bytes)
    }

    /// A text on one line: control characters become blanks.
    pub(super) fn line(self, bytes: &[u8]) -> String {
        let mut line = String::new();
        self.append_line(bytes, &mut line);
        line
    }

    /// Appends a text on one line, as [`Texts::line`].
    pub(super) fn append_line(self, bytes: &[u8], out: &mut String) {
        if is_plain(bytes) && self.keeps_ascii() {
            text::append_ascii(bytes, out);
        } else {
            out.push_str(&on_one_line(&self.decode(bytes)));
        }
    }

    /// Appends the value of a tag on one line. Old writers stored the escapes of PGN, `\"` and `\\`, which are removed
    /// (section 5.2).
    pub(super) fn append_value(self, bytes: &[u8], out: &mut String) {
        if is_plain(bytes) && !bytes.contains(&b'\\') && self.keeps_ascii() {
            text::append_ascii(bytes, out);
        } else {
            out.push_str(&text::unescaped(&on_one_line(&self.decode(bytes))));
        }
    }

    fn keeps_ascii(self) -> bool {
        self.0.forced.is_none_or(Encoding::is_ascii_compatible)
    }
}

/// True for printable ASCII, which nearly all texts are. Such a text needs no decoding.
fn is_plain(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .fold(true, |plain, c| plain & (b' '..0x7f).contains(c))
}

fn on_one_line(text: &str) -> String {
    text.replace(|c: char| c.is_ascii_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(label: Option<&str>) -> Texts {
        Texts::choose(label, &mut Vec::new())
    }

    #[test]
    fn each_text_is_utf_8_or_windows_1252() {
        assert_eq!(texts(None).line("Ñúñez — ещё".as_bytes()), "Ñúñez — ещё");
        assert_eq!(
            texts(None).line(b"M\xfcller \x93x\x94 \x81"),
            "Müller “x” \u{fffd}"
        );
        assert_eq!(texts(Some("ibm866")).line(b"\x8a\xa0"), "Ка");
        assert_eq!(texts(Some("utf-16le")).line(b"a\0b\0"), "ab");
    }

    #[test]
    fn an_unknown_encoding_is_a_warning() {
        let mut warnings = Vec::new();
        assert_eq!(Texts::choose(Some("no such"), &mut warnings).line(b"\xe9"), "é");
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn lines_keep_their_blanks() {
        assert_eq!(
            texts(None).line(b" two  words\tand\nlines "),
            " two  words and lines "
        );
    }

    #[test]
    fn escapes_of_values_are_undone() {
        let mut value = String::new();
        texts(None).append_value(br#"A \"b\" \\ \x \"#, &mut value);
        assert_eq!(value, r#"A "b" \ \x \"#);
    }
}
