//! Given names that were cut off, such as `An` and `Ana` for `Anatoly`.

use std::collections::HashMap;

use super::fold::MOST;
use super::name::{NameParts, Word};

/// Minimum number of letters that are missing from a cut name: `Martin` does not count as `Martina` cut off.
const FEWEST: usize = 2;

/// Completes given names that were cut off. A name that several names of the same surname start with is left alone.
pub(super) fn complete(parts: &mut [NameParts]) {
    let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
    for (n, parts) in parts.iter().enumerate() {
        groups.entry(parts.key()).or_default().push(n);
    }
    for group in groups.into_values().filter(|group| group.len() <= MOST) {
        let most = group.iter().map(|&n| parts[n].given.len()).max();
        for place in 0..most.unwrap_or(0) {
            let mut words: Vec<Word> = group
                .iter()
                .filter_map(|&n| parts[n].given.get(place).cloned())
                .filter(|word| !word.is_initial())
                .collect();
            words.sort_unstable_by(|a, b| a.text.plain.cmp(&b.text.plain));
            words.dedup();
            for &n in &group {
                if let Some(word) = parts[n].given.get_mut(place)
                    && let Some(whole) = whole(word, &words)
                {
                    *word = whole.clone();
                }
            }
        }
    }
}

/// The only name that starts with `word` and goes on. `words` are sorted.
fn whole<'a>(word: &Word, words: &'a [Word]) -> Option<&'a Word> {
    if word.is_initial() {
        return None;
    }
    let longer = words.get(words.partition_point(|other| other.text.plain <= word.text.plain)..)?;
    let begins = |other: &&Word| other.text.plain.starts_with(&word.text.plain);
    let candidates = || longer.iter().take_while(begins);
    let whole = candidates().max_by_key(|other| other.text.plain.chars().count())?;
    let is_whole = |other: &Word| other.agrees(whole) || is_cut(other, whole);
    (is_cut(word, whole) && candidates().all(is_whole)).then_some(whole)
}

/// True if a word is the start of another one and lacks some of its letters.
fn is_cut(word: &Word, whole: &Word) -> bool {
    let rest = whole.text.plain.strip_prefix(&word.text.plain);
    rest.is_some_and(|rest| rest.chars().count() >= FEWEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::name::words;

    fn completed<const N: usize>(names: [&str; N]) -> [String; N] {
        let mut parts = names.map(|name| NameParts::new(&words("karpov", false), &words(name, true)));
        complete(&mut parts);
        parts.map(|parts| {
            let words: Vec<&str> = parts.given.iter().map(|word| word.text.plain.as_str()).collect();
            words.join(" ")
        })
    }

    #[test]
    fn cut_names_are_completed_if_there_is_one_way() {
        for (names, expected) in [
            (["Anatoly", "An", "Ana"], ["anatoly", "anatoly", "anatoly"]),
            (["Anatoly", "Anatolij", "An"], ["anatoly", "anatolij", "anatolij"]),
            (["Anatoly", "Andrei", "An"], ["anatoly", "andrei", "an"]),
            (["Anatoly", "Andrei", "Ana"], ["anatoly", "andrei", "anatoly"]),
            (["Anatoly", "Anatol", "An"], ["anatoly", "anatol", "an"]),
            (["Martina", "Martin", "A"], ["martina", "martin", "a"]),
            (
                ["Anatoly Evgenievich", "An Evg", "A E"],
                ["anatoly evgenievich", "anatoly evgenievich", "a e"],
            ),
        ] {
            assert_eq!(completed(names), expected, "{names:?}");
        }
    }
}
