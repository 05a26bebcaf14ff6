//! Names written with two letters in place of one, such as `Mueller` for `Müller`.

use std::collections::HashMap;

use super::fold::MOST;
use super::name::{NameParts, Word};

/// Reads names with two letters as those with the letter, where such a name says that it is meant: `Mueller, Karl` as
/// `Müller, Karl`, and `Müller, Joerg` as `Müller, Jörg`. Without such a name, `Mueller` and `Muller` are two players.
pub(super) fn read(parts: &mut [NameParts]) {
    // Names with a letter in the surname, by the key that they have in two letters.
    let mut with_letters: HashMap<_, Vec<NameParts>> = HashMap::new();
    for parts in parts.iter() {
        if let Some(long) = &parts.surname.long {
            let same = with_letters.entry((long.clone(), parts.key().1)).or_default();
            if same.len() < MOST {
                same.push(parts.clone());
            }
        }
    }
    for parts in parts.iter_mut() {
        let same = with_letters.get(&parts.key()).into_iter().flatten();
        if let Some(other) = same.into_iter().find(|other| other.given_agree(parts)) {
            parts.surname = other.surname.clone();
        }
    }
    // Given names with a letter, by the key of the name and the text in two letters.
    let mut with_letters: HashMap<_, Word> = HashMap::new();
    for parts in parts.iter() {
        for word in &parts.given {
            if let Some(long) = &word.text.long {
                with_letters.insert((parts.key(), long.clone()), word.clone());
            }
        }
    }
    if with_letters.is_empty() {
        return;
    }
    for parts in parts {
        let key = parts.key();
        for word in &mut parts.given {
            if let Some(letter) = with_letters.get(&(key.clone(), word.text.plain.clone())) {
                *word = letter.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::name::words;

    /// How a name with a comma is read if these other names are known.
    fn surname_and_given(name: &str, others: &[&str]) -> String {
        let parts = |name: &&str| {
            let (surname, given) = name.split_once(',').unwrap();
            NameParts::new(&words(surname, false), &words(given, true))
        };
        let mut parts: Vec<NameParts> = [name].iter().chain(others).map(parts).collect();
        read(&mut parts);
        let given: Vec<&str> = parts[0]
            .given
            .iter()
            .map(|word| word.text.plain.as_str())
            .collect();
        format!("{}, {}", parts[0].surname.plain, given.join(" "))
    }

    #[test]
    fn two_letters_are_one_only_if_a_name_with_the_letter_agrees() {
        for (name, others, expected) in [
            ("Mueller, Karl", &["Müller, Karl"][..], "muller, karl"),
            ("Mueller, Karl", &["Müller, K"], "muller, karl"),
            ("Mueller, K", &["Müller, Karl"], "muller, k"),
            ("Mueller, Karl", &["Mu\u{308}ller, Karl"], "muller, karl"),
            ("Mueller, Karl", &["Müller, Kurt"], "mueller, karl"),
            ("Mueller, Karl", &["Müller, Jan"], "mueller, karl"),
            ("Mueller, Karl", &["Muller, Karl"], "mueller, karl"),
            ("Mueller, Joerg", &["Müller, Jörg"], "muller, jorg"),
            ("Mueller, Jorg", &["Müller, Jörg"], "muller, jorg"),
            ("Müller, Joerg", &["Müller, Jörg"], "muller, jorg"),
            ("Muller, Joerg", &["Müller, Jörg"], "muller, jorg"),
            ("Meier, Joerg", &["Müller, Jörg"], "meier, joerg"),
            ("Joergensen, Kaare", &["Jørgensen, Kåre"], "jorgensen, kare"),
            ("Bauer, Samuel", &["Baür, Karl"], "bauer, samuel"),
            ("Mueller Wuest, Karl", &["Müller-Wüst, Karl"], "mullerwust, karl"),
        ] {
            assert_eq!(
                surname_and_given(name, others),
                expected,
                "{name} with {others:?}"
            );
        }
    }
}
