//! Glyphs written as signs (section 5.3).

/// Signs other than `!` and `?` after a move or alone, with their NAGs; signs with 0 have no meaning. A longer sign
/// comes before the signs that it ends with.
const SYMBOLS: [(&str, u8); 49] = [
    ("=/∞", 44),
    ("=∞", 44),
    ("∞=", 44),
    ("⯹", 44),
    ("+/-", 16),
    ("-/+", 17),
    ("+--", 18),
    ("--+", 19),
    ("+-", 18),
    ("-+", 19),
    ("+/=", 14),
    ("=/+", 15),
    ("+=", 14),
    ("=+", 15),
    ("=", 10),
    ("~", 13),
    ("∞", 13),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("∓", 17),
    ("⨀", 22),
    ("⊙", 22),
    ("↑↑", 32),
    ("⟳", 32),
    ("↻", 32),
    ("↑", 36),
    ("→", 40),
    ("⇆", 132),
    ("⇄", 132),
    ("⊕", 138),
    ("∆", 140),
    ("Δ", 140),
    ("△", 140),
    ("∇", 141),
    ("▽", 141),
    ("⌓", 142),
    ("□", 7),
    ("‼", 3),
    ("⁇", 4),
    ("⁈", 6),
    ("⁉", 5),
    // Check, mate, and characters that turn signs into emoji.
    ("+", 0),
    ("#", 0),
    ("†", 0),
    ("‡", 0),
    ("\u{fe0e}", 0),
    ("\u{fe0f}", 0),
    ("\u{200b}", 0),
];

/// Letters that are glyphs, alone or not after a letter.
const LETTERS: [(&str, u8); 2] = [("N", 146), ("D", 220)];

/// Words and points without a meaning that may follow a move.
const REST: [&str; 5] = ["ch.", "ch", "mate", ".", ","];

/// Ways to write that a pawn is captured en passant.
const EN_PASSANT: [&str; 4] = ["e.p.", "e.p", "ep.", "ep"];

/// The NAG of a sign that may follow a move in PGN, such as `!!`, `+/-`, `±` or `N`; `None` for any other text.
///
/// ```
/// use chessdb::formats::nag_of_sign;
///
/// assert_eq!(["!!", "+/-", "e4"].map(nag_of_sign), [Some(3), Some(16), None]);
/// ```
pub fn nag_of_sign(sign: &str) -> Option<u8> {
    let mut rows = SYMBOLS.iter().chain(&LETTERS);
    let row = rows.find(|(symbol, _)| *symbol == sign);
    let nag = match row {
        Some((_, nag)) => *nag,
        None if sign.len() <= 2 => of_marks(sign.as_bytes()),
        None => 0,
    };
    (nag > 0).then_some(nag)
}

/// Splits off the sign at the end of a word, unless it is `!` or `?`. The glyph is 0 if the sign has no meaning.
pub(super) fn split_last(word: &str) -> Option<(&str, u8)> {
    // A sign is ASCII punctuation or not ASCII.
    let last = *word.as_bytes().last()?;
    if last.is_ascii_alphanumeric() {
        return None;
    }
    let split = |&(symbol, nag): &(&'static str, u8)| Some((word.strip_suffix(symbol)?, nag));
    SYMBOLS.iter().find_map(split)
}

/// Splits off a letter that is a glyph.
pub(super) fn split_letter(word: &str) -> Option<(&str, u8)> {
    let split = |&(letter, nag): &(&'static str, u8)| Some((word.strip_suffix(letter)?, nag));
    let (before, nag) = LETTERS.iter().find_map(split)?;
    let is_name = before.ends_with(|c: char| c.is_alphabetic() || matches!(c, '=' | '/' | '('));
    (!is_name).then_some((before, nag))
}

/// Splits off signs without a meaning after a move.
pub(super) fn split_rest(word: &str) -> Option<&str> {
    REST.iter().find_map(|rest| word.strip_suffix(rest))
}

/// A word without the remark en passant, which is alone or follows a square.
pub(super) fn without_en_passant(word: &str) -> &str {
    let before = EN_PASSANT.iter().find_map(|remark| word.strip_suffix(remark));
    before
        .filter(|before| before.is_empty() || before.ends_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(word)
}

/// The glyph of the marks `!` and `?` after a move.
#[inline]
pub(super) fn of_marks(marks: &[u8]) -> u8 {
    match marks {
        b"!" => 1,
        b"?" => 2,
        [b'!', b'!', ..] => 3,
        [b'?', b'?', ..] => 4,
        [b'!', b'?', ..] => 5,
        [b'?', b'!', ..] => 6,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_sign_counts() {
        assert_eq!(split_last("Be7+-"), Some(("Be7", 18)));
        assert_eq!(split_last("Be7=/∞"), Some(("Be7", 44)));
        assert_eq!(split_last("Be7"), None);
        for (number, (symbol, nag)) in SYMBOLS.iter().enumerate() {
            assert_eq!(split_last(symbol), Some(("", *nag)), "sign {number}");
        }
    }

    #[test]
    fn signs_have_numbers() {
        for (sign, nag) in [
            ("!", Some(1)),
            ("?", Some(2)),
            ("?!", Some(6)),
            ("=", Some(10)),
            ("-+", Some(19)),
            ("N", Some(146)),
            ("□", Some(7)),
            // Signs without a meaning, and texts without a sign.
            ("+", None),
            ("#", None),
            ("!!!", None),
            ("!x", None),
            ("", None),
        ] {
            assert_eq!(nag_of_sign(sign), nag, "{sign}");
        }
    }

    #[test]
    fn letters_are_glyphs_unless_they_name_a_piece() {
        assert_eq!(split_letter("Nf3N"), Some(("Nf3", 146)));
        assert_eq!(split_letter("D"), Some(("", 220)));
        assert_eq!(split_letter("e8=N"), None);
        assert_eq!(split_letter("FIN"), None);
    }
}
