//! Characters of texts and comments: code page 437 with chess symbols in 0xB0 to 0xDF (section 8).

use encoding_rs::Encoding;

use crate::text;

/// How bytes are decoded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Characters {
    /// The table of the format.
    ChessFont,
    /// The code page of the option `encoding`.
    Other(&'static Encoding),
}

/// The line break in comments, in any code page.
const NEW_LINE: u8 = 0xfe;

impl Characters {
    /// The table, unless the user sets another code page. An unknown name causes a warning.
    pub(super) fn choose(label: Option<&str>, warnings: &mut Vec<String>) -> Characters {
        let Some(label) = label else {
            return Characters::ChessFont;
        };
        match Encoding::for_label(label.as_bytes()) {
            Some(encoding) => Characters::Other(encoding),
            None => {
                warnings.push(format!(
                    "unknown encoding {label}: the format's own table is used"
                ));
                Characters::ChessFont
            }
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Characters::ChessFont => "code page 437 with chess symbols",
            Characters::Other(encoding) => encoding.name(),
        }
    }

    /// Decodes `bytes` into `out`. Runs of white space become one space; both ends are trimmed.
    pub(super) fn decode(self, bytes: &[u8], out: &mut String) {
        out.clear();
        match self {
            Characters::ChessFont if is_plain_line(bytes) => {
                text::append_ascii(bytes, out);
                return;
            }
            Characters::ChessFont => {
                for &byte in bytes {
                    match byte {
                        b'!'..=b'~' => out.push(char::from(byte)),
                        0..=b' ' => append_blank(out),
                        0x7f => out.push('∆'),
                        _ => {
                            let piece = UPPER.get(usize::from(byte & 0x7f)).copied();
                            append_words(piece.unwrap_or_default(), out);
                        }
                    }
                }
            }
            Characters::Other(encoding) => {
                for (number, line) in bytes.split(|&byte| byte == NEW_LINE).enumerate() {
                    if number > 0 {
                        append_blank(out);
                    }
                    append_words(&text::decode(line, encoding), out);
                }
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
    }
}

/// True for printable ASCII with single spaces between words, as in most texts.
fn is_plain_line(bytes: &[u8]) -> bool {
    let is_blank = |&byte: &u8| byte == b' ';
    let is_printable = bytes
        .iter()
        .fold(true, |printable, byte| printable & (b' '..=b'~').contains(byte));
    let next = bytes.iter().skip(1);
    let is_single = bytes
        .iter()
        .zip(next)
        .fold(true, |single, (a, b)| single & !(is_blank(a) & is_blank(b)));
    is_printable && is_single && !bytes.first().is_some_and(is_blank) && !bytes.last().is_some_and(is_blank)
}

fn append_words(text: &str, out: &mut String) {
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            append_blank(out);
        } else {
            out.push(character);
        }
    }
}

/// Appends a space, unless it would be the first character or follow another space.
fn append_blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// The characters of 0x80 to 0xFF.
#[rustfmt::skip]
static UPPER: [&str; 128] = [
    // 80
    "Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë", "è", "ï", "î", "ì", "Ä", "Å",
    // 90
    "É", "æ", "Æ", "ô", "ö", "ò", "û", "ù", "ÿ", "Ö", "Ü", "ø", "£", "Ø", "ß", "ƒ",
    // A0
    "á", "í", "ó", "ú", "ñ", "Ñ", "ª", "º", "¿", "⌐", "¬", "½", "¼", "¡", "«", "»",
    // B0
    "||", "K", "Q", "N", "B", "R", "P", "¼", "½", "¾", "\u{fffd}", "±", "⩲", "∞/=", "∞", "=/∞",
    // C0
    "⩱", "∓", "(bishop pair) ", "(opposite bishops) ", "(same bishops) ", "≥", "≤", "≤", "○", "□", "∆", "⟪", "⟫", "⟫", "⟪", "↑",
    // D0
    "→", "⇆", "⇗", "⊞", "⇔", "⊥", "×", "⊙", "⊕", "o", "(united pawns) ", "(doubled pawns) ", "(passed pawn) ", "with ", "without ", "⟳",
    // E0
    "α", "ß", "Γ", "π", "Σ", "σ", "µ", "τ", "Φ", "Θ", "Ω", "δ", "∞", "φ", "ε", "∩",
    // F0
    "≡", "±", "≥", "≤", "⌠", "⌡", "÷", "≈", "°", "∙", "·", "√", "ⁿ", "²", " ", " ",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut out = String::from("old");
        Characters::ChessFont.decode(bytes, &mut out);
        out
    }

    #[test]
    fn letters_are_those_of_code_page_437() {
        assert_eq!(
            decoded(b"D\x81sseldorf R\x82ti \x8e\x99\x9a\xe1 \xa4"),
            "Düsseldorf Réti ÄÖÜß ñ"
        );
    }

    #[test]
    fn symbols_are_those_of_the_chess_font() {
        assert_eq!(decoded(b"\xb1\xb2\xb3\xb4\xb5\xb6 \x7f\xb3e5"), "KQNBRP ∆Ne5");
        assert_eq!(decoded(b"\xc2\xdd\xcf"), "(bishop pair) with ↑");
        assert_eq!(decoded(b"\xbb\xbc\xc0\xc1\xbe"), "±⩲⩱∓∞");
    }

    #[test]
    fn white_space_is_one_blank() {
        assert_eq!(decoded(b" \0a\xfe\xfe b\x0d\x0a\xff"), "a b");
        assert_eq!(decoded(b"\xc2 "), "(bishop pair)");
        assert_eq!(decoded(b" a"), "a");
        assert_eq!(decoded(b"a  b c "), "a b c");
        assert_eq!(decoded(b""), "");
    }

    #[test]
    fn another_code_page_keeps_the_line_break() {
        let mut warnings = Vec::new();
        let mut out = String::new();
        Characters::choose(Some("windows-1252"), &mut warnings).decode(b"M\xfcller\xfe\xe9", &mut out);
        assert_eq!((out.as_str(), warnings.len()), ("Müller é", 0));
        assert!(matches!(
            Characters::choose(Some("no such"), &mut warnings),
            Characters::ChessFont
        ));
        assert_eq!(warnings.len(), 1);
    }
}
