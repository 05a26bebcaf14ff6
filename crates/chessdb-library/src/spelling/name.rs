//! The words of a player's name.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that distinguish members of a family.
const GENERATIONS: [&str; 9] = ["jr", "jun", "junior", "sr", "sen", "senior", "ii", "iii", "iv"];

/// A surname and given names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameParts {
    /// In small letters without accents and punctuation.
    pub(super) surname: String,
    pub(super) given: Vec<Word>,
    /// Words such as `jr`.
    pub(super) generation: Vec<String>,
}

/// A given name or an initial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters without accents.
    pub(super) text: String,
    /// The same with `i` for `y` and `j`, and with double letters reduced to one.
    sound: String,
}

impl Word {
    fn new(text: String) -> Word {
        let mut sound = String::with_capacity(text.len());
        for c in text.chars().map(|c| if matches!(c, 'y' | 'j') { 'i' } else { c }) {
            if !sound.ends_with(c) || c.is_numeric() {
                sound.push(c);
            }
        }
        Word { text, sound }
    }

    /// The first letter of all words that may agree with this one.
    fn beginning(&self) -> Option<char> {
        self.sound.chars().next()
    }

    pub(super) fn is_initial(&self) -> bool {
        let mut characters = self.text.chars();
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
    }

    /// True if both can be the same name, or one the initial of the other.
    pub(super) fn agrees(&self, other: &Word) -> bool {
        if self.is_initial() || other.is_initial() {
            self.text.chars().next() == other.text.chars().next()
        } else {
            self.sound == other.sound
        }
    }
}

impl NameParts {
    /// The parts of a surname and given names.
    pub(super) fn new(surname: &[String], given: &[String]) -> NameParts {
        let is_generation = |word: &&String| GENERATIONS.contains(&word.as_str());
        let (generation, given): (Vec<&String>, Vec<&String>) = given.iter().partition(is_generation);
        let mut joined = String::new();
        for word in surname {
            // Fritz 1.1 is not Fritz 11.
            if word.starts_with(|c: char| c.is_numeric()) {
                joined.push(' ');
            }
            joined.push_str(word);
        }
        NameParts {
            surname: joined,
            given: given.into_iter().cloned().map(Word::new).collect(),
            generation: generation.into_iter().cloned().collect(),
        }
    }

    /// A key that is the same for all spellings that may be joined.
    pub(super) fn key(&self) -> (String, Option<char>) {
        (self.surname.clone(), self.given.first().and_then(Word::beginning))
    }

    /// True if nothing in the names says that these are two players. A surname alone agrees with no given names.
    pub(super) fn agrees(&self, other: &NameParts) -> bool {
        self.surname == other.surname
            && self.generation == other.generation
            && self.given.is_empty() == other.given.is_empty()
            && self.given.iter().zip(&other.given).all(|(a, b)| a.agrees(b))
    }

    /// How complete the given names are: the number of full names, then of all including initials.
    pub(super) fn amount(&self) -> (usize, usize) {
        let whole = self.given.iter().filter(|word| !word.is_initial());
        (whole.count(), self.given.len())
    }
}

/// The words of a text in small letters, without accents and punctuation. Up to three capital letters together are
/// initials if `has_small` is true, that is, if the name is not written in capital letters throughout.
pub(super) fn words(text: &str, has_small: bool) -> Vec<String> {
    let mut words = Vec::new();
    let text: String = text
        .nfkd()
        .filter(|&c| !is_combining_mark(c) && !matches!(c, '\'' | '’'))
        .collect();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let is_initials = has_small && word.len() <= 3 && word.chars().all(|c| c.is_ascii_uppercase());
        if is_initials {
            words.extend(word.chars().map(|c| c.to_lowercase().collect()));
        } else {
            words.push(word.chars().flat_map(small).collect());
        }
    }
    words
}

/// A letter in small letters; special letters such as `ß` are written out as usual.
pub(crate) fn small(c: char) -> impl Iterator<Item = char> {
    let written = match c {
        'ß' | 'ẞ' => "ss",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' => "d",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ı' => "i",
        'ς' => "σ",
        _ => "",
    };
    let other = written.is_empty().then(|| c.to_lowercase());
    written.chars().chain(other.into_iter().flatten())
}
