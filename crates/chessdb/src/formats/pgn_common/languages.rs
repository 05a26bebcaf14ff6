//! Letters of pieces in languages other than English (section 5.1).

use std::borrow::Cow;

use crate::text::Charset;

use super::characters::decode;
use super::form::{form, is_figurine};
use super::items::{Item, Items};
use super::promotion::{may_name_piece, piece_apart};
use super::symbols::nag_of_sign;
use super::values::with_plain_signs;
use super::words::without_number;

/// The letters of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// The language, for problems.
    pub(super) name: &'static str,
    /// The letters of king, queen, rook, bishop and knight.
    letters: [&'static str; 5],
}

/// The same pieces in English.
const ENGLISH: [&str; 5] = ["K", "Q", "R", "B", "N"];

/// Where two of these languages share a letter, it means the same piece, so a game reads the same in every language
/// that has all its letters.
const LANGUAGES: [Language; 6] = [
    Language {
        name: "German",
        letters: ["K", "D", "T", "L", "S"],
    },
    Language {
        name: "French",
        letters: ["R", "D", "T", "F", "C"],
    },
    Language {
        name: "Dutch",
        letters: ["K", "D", "T", "L", "P"],
    },
    Language {
        name: "Spanish",
        letters: ["R", "D", "T", "A", "C"],
    },
    Language {
        name: "Italian",
        letters: ["R", "D", "T", "A", "C"],
    },
    Language {
        name: "Russian",
        letters: ["Кр", "Ф", "Л", "С", "К"],
    },
];

impl Language {
    /// The English name of a piece; `None` if the language does not have this name.
    fn in_english<'a>(&self, piece: &'a str) -> Option<&'a str> {
        if piece.is_empty() || piece.starts_with(is_figurine) {
            return Some(piece);
        }
        let place = self.letters.iter().position(|letter| *letter == piece)?;
        ENGLISH.get(place).copied()
    }

    /// A word with English letters for its pieces; `None` if this language does not have one of the letters.
    pub(super) fn translate<'a>(&self, word: &'a str) -> Option<Cow<'a, str>> {
        let Some(form) = form(word) else {
            return Some(word.into());
        };
        let [piece, promotion] = [form.piece, form.promotion].map(|name| self.in_english(name));
        let (before, after) = word.split_at(form.piece.len() + form.squares.len());
        let squares = before.get(form.piece.len()..)?;
        let after = after.replacen(form.promotion, promotion?, 1);
        Some(format!("{}{squares}{after}", piece?).into())
    }
}

/// The languages in which the movetext of a game may be written: they have all its letters, and at least one letter
/// means something else in English.
pub(super) fn candidates(items: Items<'_>, encoding: Charset) -> Vec<&'static Language> {
    let mut items = items;
    let mut found: Vec<(&Language, bool)> = LANGUAGES.iter().map(|language| (language, false)).collect();
    while !found.is_empty()
        && let Some(item) = items.next()
    {
        let Item::Word(word) = item else { continue };
        let word = with_plain_signs(&decode(without_number(word).0, encoding));
        let Some(form) = form(&word) else { continue };
        let apart = || {
            let piece = piece_apart(items.text, items.at).filter(|_| form.lacks_promotion())?;
            let name = decode(items.text.get(piece.name)?, encoding);
            let is_piece = may_name_piece(&name) && (piece.has_sign || nag_of_sign(&name).is_none());
            is_piece.then_some(name)
        };
        for name in [form.piece, form.promotion, &apart().unwrap_or_default()] {
            found.retain_mut(|(language, differs)| {
                let english = language.in_english(name);
                *differs |= english != Some(name);
                english.is_some()
            });
        }
    }
    let differing = found.into_iter().filter(|(_, differs)| *differs);
    differing.map(|(language, _)| language).collect()
}

/// True if a language has a piece of this name.
pub(super) fn names_piece(name: &str) -> bool {
    LANGUAGES
        .iter()
        .any(|language| language.in_english(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let found = candidates(Items::new(text.as_bytes(), 0, b'\n'), Charset::Utf8);
        found.iter().map(|language| language.name).collect()
    }

    #[test]
    fn a_language_has_all_letters() {
        assert_eq!(names("1. d4 d5 2. Lf4 {Nf6} (2. Tg5 $2)"), ["German", "Dutch"]);
        assert_eq!(names("1.Cf3 d5 2. R1d4"), ["French", "Spanish", "Italian"]);
        assert_eq!(names("1. Крf2 e1Ф"), ["Russian"]);
        assert_eq!(names("1. d8 (S) Kf2"), ["German"]);
        assert_eq!(names("1. d8 =F Kf2"), [""; 0]);
        assert_eq!(names("1. d4 Sf6 2. Nf3"), [""; 0]);
        assert_eq!(names("1. e4 ♘f6 2. Kf2"), [""; 0]);
    }

    #[test]
    fn no_letter_stands_for_two_pieces() {
        for letter in LANGUAGES.iter().flat_map(|language| language.letters) {
            let mut meanings: Vec<_> = LANGUAGES
                .iter()
                .filter_map(|language| language.in_english(letter))
                .collect();
            meanings.dedup();
            assert_eq!(meanings.len(), 1, "{letter}");
        }
    }

    #[test]
    fn letters_become_english() {
        let [german, .., russian] = &LANGUAGES;
        for (word, wanted) in [
            ("Sg1-f3!?", Some("Ng1-f3!?")),
            ("dxe8=D+", Some("dxe8=Q+")),
            ("d1(S)", Some("d1(N)")),
            ("Kd1", Some("Kd1")),
            ("♘f3", Some("♘f3")),
            ("O-O", Some("O-O")),
            ("e4", Some("e4")),
            ("Nf3", None),
        ] {
            assert_eq!(german.translate(word).as_deref(), wanted, "{word}");
        }
        assert_eq!(russian.translate("Крf2").as_deref(), Some("Kf2"));
        assert_eq!(russian.translate("Кf2").as_deref(), Some("Nf2"));
    }
}
