//! Spelling files as Scid has them: correct names of players, with others below.

use std::collections::HashMap;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;
use xxhash_rust::xxh3::xxh3_128;

use super::letters::FoldedText;
use super::name::words;

/// Beginning of the section with the names of players.
const PLAYERS: &str = "@PLAYER";

/// Maximum length of a correct name in bytes. Every game of the player has it in tables.
const LONGEST: usize = 255;

/// The names of players in a spelling file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SpellingFile {
    /// By the words of a spelling; `None` if it is a spelling of several players.
    correct: HashMap<Box<str>, Option<Arc<str>>>,
    /// The same by the words in two letters, `ue` for `ü`, of spellings that have such letters.
    in_two_letters: HashMap<Box<str>, Option<Arc<str>>>,
    /// Hash of the text.
    pub(super) hash: u128,
}

impl SpellingFile {
    /// Reads the text of a file: lines with correct names, each followed by lines with other spellings after `=`.
    /// Everything after `#` is a comment. A correct name that is too long has no effect, nor have the spellings below
    /// it.
    ///
    /// # Errors
    /// If the text has no names of players, with words for users.
    pub fn read(text: &str) -> Result<SpellingFile, &'static str> {
        let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
        let lines = lines.skip_while(|line| !line.starts_with(PLAYERS));
        let lines = lines.skip(1).take_while(|line| !line.starts_with('@'));
        let mut file = SpellingFile {
            hash: xxh3_128(text.as_bytes()),
            ..SpellingFile::default()
        };
        let mut name: Option<Arc<str>> = None;
        for line in lines {
            let line = line.split('#').next().unwrap_or_default();
            let spelling = line.trim();
            match spelling.strip_prefix('=') {
                _ if spelling.is_empty() || spelling.starts_with('%') => {}
                Some(other) => name.iter().for_each(|name| file.add(other, name)),
                // Indented lines say more about the player.
                None if line.starts_with(char::is_whitespace) => {}
                None => {
                    let correct: String = spelling.chars().filter(|c| !c.is_control()).nfc().collect();
                    let correct: Option<Arc<str>> = (correct.len() <= LONGEST).then(|| correct.into());
                    correct.iter().for_each(|name| file.add(spelling, name));
                    name = correct;
                }
            }
        }
        if file.correct.is_empty() {
            Err("it has no line @PLAYER with names below it, as a spelling file of Scid has (.ssp)")
        } else {
            Ok(file)
        }
    }

    fn add(&mut self, spelling: &str, correct: &Arc<str>) {
        let maps = [&mut self.correct, &mut self.in_two_letters];
        for (map, key) in maps.into_iter().zip(keys(spelling)) {
            // Otherwise any name without letters would be a name of the player.
            if !key.contains(char::is_alphanumeric) {
                return;
            }
            let known = map.entry(key).or_insert_with(|| Some(Arc::clone(correct)));
            if known.as_ref().is_some_and(|known| known != correct) {
                *known = None;
            }
        }
    }

    /// The correct name for a spelling; `None` if the file does not have it, or for several players.
    pub fn correct(&self, spelling: &str) -> Option<Arc<str>> {
        let mut keys = keys(spelling);
        let plain = keys.next()?;
        let known = self.correct.get(&plain);
        let known = known.or_else(|| keys.find_map(|long| self.correct.get(&long)));
        known.or_else(|| self.in_two_letters.get(&plain))?.clone()
    }
}

/// The words of a name, with a sign where a comma is: without accents, and in two letters if that is different.
fn keys(spelling: &str) -> impl Iterator<Item = Box<str>> {
    let parts: Vec<Vec<FoldedText>> = spelling.splitn(2, ',').map(|part| words(part, false)).collect();
    let key = |text: fn(&FoldedText) -> &str| -> Box<str> {
        let parts = parts
            .iter()
            .map(|words| words.iter().map(text).collect::<Vec<_>>().join(" "));
        parts.collect::<Vec<_>>().join(",").into()
    };
    let plain = key(|word| &word.plain);
    let long = key(|word| word.long.as_ref().unwrap_or(&word.plain));
    let long = Some(long).filter(|long| *long != plain);
    [Some(plain), long].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_may_be_written_in_two_ways() {
        let file = SpellingFile::read(
            "@PLAYER\nMüller, Karl\nJoergensen, A\nMoeller, B\nMöller, B\n= Moller, Bert\nKåre\nKaare, X\n= Kaare\n",
        )
        .unwrap();
        for (spelling, expected) in [
            ("Müller, Karl", Some("Müller, Karl")),
            ("Muller, Karl", Some("Müller, Karl")),
            ("Mueller, Karl", Some("Müller, Karl")),
            ("Mueller, Kurt", None),
            ("Jørgensen, A", Some("Joergensen, A")),
            ("Joergensen, A", Some("Joergensen, A")),
            ("Jorgensen, A", None),
            // Names that the file has as written come first.
            ("Moeller, B", Some("Moeller, B")),
            ("Möller, B", Some("Möller, B")),
            ("Moller, B", Some("Möller, B")),
            ("Kåre", Some("Kåre")),
            ("Kaare", Some("Kaare, X")),
        ] {
            assert_eq!(file.correct(spelling).as_deref(), expected, "{spelling}");
        }
    }

    #[test]
    fn a_correct_name_has_at_most_255_bytes() {
        for (len, is_read) in [(254, true), (255, true), (256, false)] {
            let name = "x".repeat(len);
            let file = SpellingFile::read(&format!("@PLAYER\nOther, A\n{name}\n= y\n")).unwrap();
            let expected: Option<Arc<str>> = is_read.then(|| name.as_str().into());
            assert_eq!(
                (file.correct(&name), file.correct("y")),
                (expected.clone(), expected),
                "{len}"
            );
        }
    }
}
