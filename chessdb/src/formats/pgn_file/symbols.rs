//! Glyphs written as signs (section 5.3).

/// Signs after a move or alone, with their NAGs. A longer sign precedes those with which it ends.
const SYMBOLS: [(&str, u8); 34] = [
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("!", 1),
    ("?", 2),
    ("=/∞", 44),
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
    ("⟳", 32),
    ("→", 36),
    ("↑", 40),
    ("⇆", 132),
    ("□", 7),
    ("‼", 3),
    ("⁇", 4),
    ("⁉", 5),
];

/// Signs that are only used alone, because moves end with such letters.
const ALONE: [(&str, u8); 2] = [("N", 146), ("D", 220)];

/// The glyph that a whole word stands for.
pub(super) fn alone(word: &str) -> Option<u8> {
    let found = SYMBOLS.iter().chain(&ALONE).find(|(symbol, _)| *symbol == word);
    found.map(|&(_, nag)| nag)
}

/// Splits off the glyph at the end of a word.
pub(super) fn split_last(word: &str) -> Option<(&str, u8)> {
    let split = |&(symbol, nag): &(&str, u8)| Some((word.strip_suffix(symbol)?, nag));
    SYMBOLS.iter().find_map(split)
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
        assert_eq!(alone("+/-"), Some(16));
        assert_eq!(alone("N"), Some(146));
        assert_eq!(alone("Nf3"), None);
        assert_eq!(split_last("Be7+-"), Some(("Be7", 18)));
        assert_eq!(split_last("Be7!?"), Some(("Be7", 5)));
        assert_eq!(split_last("Be7=/∞"), Some(("Be7", 44)));
        assert_eq!(split_last("Be7"), None);
    }
}
