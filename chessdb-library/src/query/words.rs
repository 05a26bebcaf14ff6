//! Words of names and other texts, as queries compare them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::spelling::small;

/// A text in small letters without accents.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let letters = text.nfkd().filter(|&c| !is_combining_mark(c));
    letters.flat_map(small).collect()
}

/// The words of a text: runs of letters and digits, in small letters without accents.
pub(super) fn words_of(text: &str) -> Vec<String> {
    words(&folded(text)).map(str::to_owned).collect()
}

/// The words of a folded text.
fn words(folded: &str) -> impl Iterator<Item = &str> + Clone {
    folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// True if each word of `wanted` is the beginning of a word of a [`folded`] text.
pub(super) fn has_words(folded: &str, wanted: &[String]) -> bool {
    let words = words(folded);
    wanted
        .iter()
        .all(|wanted| words.clone().any(|word| word.starts_with(wanted.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_stays_as_it_is() {
        // No later character has a decomposition.
        for c in '\0'..='\u{2fa1d}' {
            let once = folded(c.encode_utf8(&mut [0; 4]));
            assert_eq!(folded(&once), once, "{c:?}");
        }
    }

    #[test]
    fn beginnings_of_words_are_found() {
        let has = |text: &str, wanted: &str| has_words(&folded(text), &words_of(wanted));
        for (text, wanted) in [
            ("Carlsen, Magnus", "carlsen"),
            ("Carlsen, Magnus", "m carl"),
            ("Tal, Mihail", "TAL"),
            ("O'Kelly de Galway, Alb\u{e9}ric", "kelly alberic"),
            ("Ma\u{df}, J\u{f8}rgen", "mass jorgen"),
            (
                "\u{3a0}\u{391}\u{3a0}\u{39f}\u{3a3}",
                "\u{3c0}\u{3b1}\u{3c0}\u{3bf}\u{3c2}",
            ),
            // Decomposed.
            ("Mu\u{308}ller", "M\u{fc}ller"),
            ("Fritz 11", "fritz 1"),
        ] {
            assert!(has(text, wanted), "{text}: {wanted}");
        }
        for (text, wanted) in [("Vitaly", "tal"), ("Carlsen, M", "magnus"), ("", "a")] {
            assert!(!has(text, wanted), "{text}: {wanted}");
        }
    }
}
