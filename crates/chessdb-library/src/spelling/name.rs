//! The words of a player's name.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::letters::FoldedText;

/// Words that distinguish members of a family.
const GENERATIONS: [&str; 9] = ["jr", "jun", "junior", "sr", "sen", "senior", "ii", "iii", "iv"];

/// A surname and given names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameParts {
    /// Without punctuation and spaces.
    pub(super) surname: FoldedText,
    pub(super) given: Vec<Word>,
    /// Words such as `jr`.
    pub(super) generation: Vec<String>,
}

/// A given name or an initial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: FoldedText,
    /// The text without accents, with `i` for `y` and `j`, and with double letters reduced to one.
    sound: String,
}

impl Word {
    fn new(text: FoldedText) -> Word {
        let mut sound = String::with_capacity(text.plain.len());
        for c in text
            .plain
            .chars()
            .map(|c| if matches!(c, 'y' | 'j') { 'i' } else { c })
        {
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
        let mut characters = self.text.plain.chars();
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
    }

    /// True if both can be the same name, or one the initial of the other.
    pub(super) fn agrees(&self, other: &Word) -> bool {
        if self.is_initial() || other.is_initial() {
            self.text.plain.chars().next() == other.text.plain.chars().next()
        } else {
            let is_written_as = |a: &Word, b: &Word| a.text.long.as_ref() == Some(&b.text.plain);
            self.sound == other.sound || is_written_as(self, other) || is_written_as(other, self)
        }
    }
}

impl NameParts {
    /// The parts of a surname and given names.
    pub(super) fn new(surname: &[FoldedText], given: &[FoldedText]) -> NameParts {
        let is_generation = |word: &&FoldedText| GENERATIONS.contains(&word.plain.as_str());
        let (generation, given): (Vec<&FoldedText>, Vec<&FoldedText>) = given.iter().partition(is_generation);
        NameParts {
            surname: FoldedText::join(surname),
            given: given.into_iter().cloned().map(Word::new).collect(),
            generation: generation.into_iter().map(|word| word.plain.clone()).collect(),
        }
    }

    /// A key that is the same for all spellings that may be joined.
    pub(super) fn key(&self) -> (String, Option<char>) {
        (
            self.surname.plain.clone(),
            self.given.first().and_then(Word::beginning),
        )
    }

    /// The keys of both ways to write the surname.
    pub(super) fn keys(&self) -> impl Iterator<Item = (String, Option<char>)> + Clone {
        let (_, initial) = self.key();
        self.surname
            .texts()
            .map(move |surname| (surname.clone(), initial))
    }

    /// True if nothing in the names says that these are two players. A surname alone agrees with no given names.
    pub(super) fn agrees(&self, other: &NameParts) -> bool {
        self.surname.plain == other.surname.plain
            && self.generation == other.generation
            && self.given_agree(other)
    }

    pub(super) fn given_agree(&self, other: &NameParts) -> bool {
        self.given.is_empty() == other.given.is_empty()
            && self.given.iter().zip(&other.given).all(|(a, b)| a.agrees(b))
    }

    /// How complete the given names are: the number of full names, then of all including initials.
    pub(super) fn amount(&self) -> (usize, usize) {
        let whole = self.given.iter().filter(|word| !word.is_initial());
        (whole.count(), self.given.len())
    }
}

impl FoldedText {
    /// A surname of several words.
    fn join(words: &[FoldedText]) -> FoldedText {
        let join = |text: fn(&FoldedText) -> &String| {
            let mut joined = String::new();
            for word in words.iter().map(text) {
                // Fritz 1.1 is not Fritz 11.
                if word.starts_with(|c: char| c.is_numeric()) {
                    joined.push(' ');
                }
                joined.push_str(word);
            }
            joined
        };
        let plain = join(|word| &word.plain);
        let long = join(|word| word.long.as_ref().unwrap_or(&word.plain));
        FoldedText {
            long: Some(long).filter(|long| *long != plain),
            plain,
        }
    }
}

/// The words of a text. Up to three capital letters together are initials if `has_small` is true, that is, if the name
/// is not all in capital letters.
pub(super) fn words(text: &str, has_small: bool) -> Vec<FoldedText> {
    let text: String = text.nfkd().filter(|&c| !matches!(c, '\'' | '’')).collect();
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
        let letters: String = word.chars().filter(|&c| !is_combining_mark(c)).collect();
        if has_small && letters.len() <= 3 && letters.chars().all(|c| c.is_ascii_uppercase()) {
            words.extend(
                letters
                    .chars()
                    .map(|c| FoldedText::of(c.encode_utf8(&mut [0; 4]))),
            );
        } else if !letters.is_empty() {
            words.push(FoldedText::of(word));
        }
    }
    words
}
