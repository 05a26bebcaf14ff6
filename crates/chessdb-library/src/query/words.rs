//! Words of names and other texts, as queries compare them.

use std::collections::HashSet;

use crate::spelling::{FoldedText, canonical, folded, words};
use crate::task;

/// The words of a text: runs of letters and digits, in small letters without accents.
pub(super) fn words_of(text: &str) -> Vec<String> {
    words(&folded(text)).map(str::to_owned).collect()
}

/// Number of bytes in a text from which on a search for words checks whether it was cancelled.
const LONG: usize = 1 << 16;

impl FoldedText {
    /// True if each of the words starts a word of the text.
    pub(super) fn has(&self, wanted: &[WantedWord]) -> bool {
        // Each word takes a pass over the text, which may be a comment of megabytes.
        let is_long = self.plain.len() > LONG;
        wanted.iter().all(|wanted| {
            if is_long {
                task::check();
            }
            let mut words = self.texts().flat_map(|text| words(text));
            words.any(|word| wanted.begins(word))
        })
    }
}

/// A word of a query, to compare with texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedWord {
    /// In small letters without accents, except on the letters that are written in two ways.
    pub(super) canonical: String,
    folded: FoldedText,
}

impl WantedWord {
    /// The words of a text of a query, each once.
    pub(super) fn all(text: &str) -> Vec<WantedWord> {
        let canonical = canonical(text);
        let mut seen = HashSet::new();
        let each_once = words(&canonical).filter(|word| seen.insert(*word));
        let all = each_once.map(|word| WantedWord {
            canonical: word.to_owned(),
            folded: FoldedText::of(word),
        });
        all.collect()
    }

    /// The canonical text of some words.
    pub(super) fn text_of(words: &[WantedWord]) -> String {
        let words: Vec<&str> = words.iter().map(|word| word.canonical.as_str()).collect();
        words.join(" ")
    }

    fn begins(&self, word: &str) -> bool {
        self.folded.texts().any(|text| word.starts_with(text))
    }
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
    fn what_is_canonical_stays_as_it_is() {
        for c in '\0'..='\u{2fa1d}' {
            let canonical = |text: &str| WantedWord::text_of(&WantedWord::all(text));
            let once = canonical(c.encode_utf8(&mut [0; 4]));
            assert_eq!(canonical(&once), once, "{c:?}");
        }
    }

    #[test]
    fn a_letter_is_found_in_both_ways_to_write_it() {
        let has = |text: &str, wanted: &str| FoldedText::of(text).has(&WantedWord::all(wanted));
        let of_letter = [
            ["M\u{fc}ller", "Muller", "Mueller"],
            ["M\u{fc}ller", "MULLER", "MUELLER"],
            ["J\u{f8}rgen", "Jorgen", "Joergen"],
            ["J\u{f6}rg", "Jorg", "Joerg"],
            ["P\u{e4}hlke", "Pahlke", "Paehlke"],
            ["\u{c5}gaard", "Agaard", "Aagaard"],
            ["Mu\u{308}ller", "Muller", "Mueller"],
        ];
        for spellings in of_letter {
            let [letter, short, long] = spellings;
            for one in spellings {
                assert!(has(letter, one), "{letter}: {one}");
                assert!(has(one, letter), "{one}: {letter}");
                assert!(has(one, one), "{one}");
            }
            assert!(!has(short, long), "{short}: {long}");
        }
        for (text, wanted) in [
            ("Ma\u{df}", "mass"),
            ("Mass", "ma\u{df}"),
            ("\u{141}ukasz", "lukasz"),
            ("Lukasz", "\u{142}ukasz"),
            ("M\u{fc}ller, J\u{f6}rg", "joerg muller"),
            ("Bauer, Samuel", "bauer samuel"),
        ] {
            assert!(has(text, wanted), "{text}: {wanted}");
        }
        // Neither a query nor a name is ever shortened.
        for (text, wanted) in [
            ("Baur", "bauer"),
            ("Bauer", "baur"),
            ("Samul", "samuel"),
            ("Muller", "mueller"),
        ] {
            assert!(!has(text, wanted), "{text}: {wanted}");
        }
    }

    #[test]
    fn beginnings_of_words_are_found() {
        let has = |text: &str, wanted: &str| FoldedText::of(text).has(&WantedWord::all(wanted));
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
