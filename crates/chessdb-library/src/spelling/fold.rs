//! Which spellings are one player.
//!
//! Spellings with the same surname are taken one by one, those with the most given names first. Each is joined to the
//! only player whose spellings it agrees with; with several such players, to the one with the same words, otherwise to
//! nobody.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::file::SpellingFile;
use super::name::{NameParts, words};
use super::{cut, two_letters};

/// Maximum number of spellings with one surname and one initial that are compared with each other. If there are more,
/// as in hostile files, no spelling is joined.
pub(super) const MOST: usize = 2_000;

/// A spelling, and the number of games that have it.
pub(super) struct SpellingCount {
    pub(super) text: String,
    pub(super) games: u32,
}

/// Names with a comma, by surname and initial.
type NamesByInitial = HashMap<(String, Option<char>), Vec<NameParts>>;

/// What a spelling says about the player.
#[derive(Debug)]
pub(super) struct SpelledName {
    parts: NameParts,
    /// The name that a file has for it.
    correct: Option<Arc<str>>,
    /// Spellings may be joined only if these are the same. `None` if the surname has no letter.
    pub(super) group: Option<u32>,
}

/// Reads spellings.
pub(super) fn readings(names: &[SpellingCount], file: Option<&SpellingFile>) -> Vec<SpelledName> {
    let correct: Vec<Option<Arc<str>>> = names
        .iter()
        .map(|name| file.and_then(|file| file.correct(&name.text)))
        .collect();
    let text = |n: usize| -> &str { correct[n].as_deref().unwrap_or(&names[n].text) };
    let mut parts: Vec<Option<NameParts>> = (0..names.len()).map(|n| with_comma(text(n))).collect();
    let mut known = NamesByInitial::new();
    for parts in parts.iter().flatten().filter(|parts| !parts.given.is_empty()) {
        for key in parts.keys() {
            let known = known.entry(key).or_default();
            if known.len() < MOST {
                known.push(parts.clone());
            }
        }
    }
    for (n, parts) in parts.iter_mut().enumerate() {
        if parts.is_none() {
            *parts = Some(without_comma(text(n), &known));
        }
    }
    let mut parts: Vec<NameParts> = parts.into_iter().flatten().collect();
    two_letters::read(&mut parts);
    cut::complete(&mut parts);
    let mut groups: HashMap<_, u32> = HashMap::new();
    let readings = parts.into_iter().zip(correct);
    readings
        .map(|(parts, correct)| {
            let next = groups.len() as u32;
            let has_surname = !parts.surname.plain.is_empty();
            SpelledName {
                group: has_surname.then(|| *groups.entry(parts.key()).or_insert(next)),
                parts,
                correct,
            }
        })
        .collect()
}

/// The parts of a name with a comma. `None` for the names of several players.
fn with_comma(text: &str) -> Option<NameParts> {
    let (surname, given) = text.split_once(',').filter(|_| !is_team(text))?;
    let has_small = text.contains(char::is_lowercase);
    Some(NameParts::new(&words(surname, false), &words(given, has_small)))
}

/// True for the names of several players, such as `Kasparov, Garry / Short, Nigel`.
fn is_team(text: &str) -> bool {
    text.contains(['&', '/', '+', ':', ';']) || text.matches(',').count() > 1
}

/// The parts of a name without a comma, which agrees with a name with a comma in one of the two orders of its words.
/// Otherwise it is a surname as a whole.
fn without_comma(text: &str, known: &NamesByInitial) -> NameParts {
    let all = words(text, text.contains(char::is_lowercase));
    let is_supported = |parts: &NameParts| {
        let mut known = parts.keys().filter_map(|key| known.get(&key)).flatten();
        let agrees = |known: &NameParts| known.generation == parts.generation && known.given_agree(parts);
        !parts.given.is_empty() && known.any(agrees)
    };
    let orders = (1..all.len()).flat_map(|n| {
        let (before, after) = all.split_at(n);
        [NameParts::new(before, after), NameParts::new(after, before)]
    });
    let mut supported: Vec<NameParts> = orders
        .filter(|parts| !is_team(text) && is_supported(parts))
        .collect();
    supported.dedup();
    match (supported.pop(), supported.is_empty()) {
        (Some(parts), true) => parts,
        _ => NameParts::new(&all, &[]),
    }
}

/// For each spelling that is shown under another name, this name.
pub(super) fn joined(
    names: &[SpellingCount],
    readings: &[SpelledName],
    meetings: &FxHashSet<[u32; 2]>,
) -> HashMap<String, Arc<str>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (name, reading) in (0..).zip(readings) {
        let Some(group) = reading.group else { continue };
        // Groups are numbered in the order of their first spellings.
        match groups.get_mut(group as usize) {
            Some(group) => group.push(name),
            None => groups.push(vec![name]),
        }
    }
    let stored: HashMap<&str, u32> = (0..)
        .zip(names)
        .map(|(n, name)| (name.text.as_str(), n))
        .collect();
    let mut given: HashSet<Arc<str>> = HashSet::new();
    let mut shown = HashMap::new();
    for group in groups {
        for player in players(group, names, readings, meetings) {
            let is_free = |correct: &str| match stored.get(correct) {
                Some(stored) => player.contains(stored),
                None => !given.contains(correct),
            };
            let name = name_of(&player, names, readings, is_free);
            given.insert(Arc::clone(&name));
            for spelling in player.iter().filter_map(|&name| names.get(name as usize)) {
                if *spelling.text != *name {
                    shown.insert(spelling.text.clone(), Arc::clone(&name));
                }
            }
        }
    }
    shown
}

/// The players among the spellings of a group.
fn players(
    mut group: Vec<u32>,
    names: &[SpellingCount],
    readings: &[SpelledName],
    meetings: &FxHashSet<[u32; 2]>,
) -> Vec<Vec<u32>> {
    if group.len() > MOST {
        return group.into_iter().map(|name| vec![name]).collect();
    }
    let text = |name: u32| names.get(name as usize).map_or("", |name| &name.text);
    let parts = |name: u32| readings.get(name as usize).map(|reading| &reading.parts);
    let amount = |name: u32| parts(name).map(NameParts::amount);
    group.sort_by(|&a, &b| (Reverse(amount(a)), text(a)).cmp(&(Reverse(amount(b)), text(b))));
    let agree = |a: u32, b: u32| {
        let parts_agree = parts(a).zip(parts(b)).is_some_and(|(a, b)| a.agrees(b));
        parts_agree && !meetings.contains(&[a.min(b), a.max(b)])
    };
    let mut players: Vec<Vec<u32>> = Vec::new();
    for name in group {
        let agrees = |&n: &usize| players[n].iter().all(|&other| agree(name, other));
        let found: Vec<usize> = (0..players.len()).filter(agrees).collect();
        let one = match found.as_slice() {
            [one] => Some(*one),
            several => several
                .iter()
                .copied()
                .find(|&n| players[n].iter().any(|&other| parts(name) == parts(other))),
        };
        match one {
            Some(one) => players[one].push(name),
            None => players.push(vec![name]),
        }
    }
    players
}

/// The name of a player: from a file if the file has one that is still free, otherwise the spelling with the most
/// games.
fn name_of(
    player: &[u32],
    names: &[SpellingCount],
    readings: &[SpelledName],
    is_free: impl Fn(&str) -> bool,
) -> Arc<str> {
    let of_file = player
        .iter()
        .filter_map(|&name| readings.get(name as usize)?.correct.as_ref());
    if let Some(correct) = of_file.min().filter(|correct| is_free(correct)) {
        return Arc::clone(correct);
    }
    let spellings = player.iter().filter_map(|&name| names.get(name as usize));
    let usual = spellings.max_by_key(|name| (name.games, name.text.len(), Reverse(&name.text)));
    usual.map_or("?", |name| &name.text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spellings of different players with one surname and one initial.
    fn players(number: usize) -> impl Iterator<Item = String> {
        let letter = |digit: usize| char::from(b"bcdfghklmn"[digit % 10]);
        (0..number).map(move |n| {
            let [a, b, c, d] = [n / 1000, n / 100, n / 10, n].map(letter);
            format!("Kim, A{a}o{b}o{c}o{d}")
        })
    }

    #[test]
    fn up_to_2000_spellings_with_one_initial_are_joined() {
        for (spellings, are_joined) in [(1_999, true), (2_000, true), (2_001, false)] {
            let two_of_one = ["Kim, Ann", "Kim,Ann"].map(str::to_owned);
            let names = players(spellings - 2).chain(two_of_one);
            let names: Vec<_> = names.map(|text| SpellingCount { text, games: 1 }).collect();
            let joined = joined(&names, &readings(&names, None), &FxHashSet::default());
            assert_eq!(joined.len(), usize::from(are_joined), "{spellings}");
        }
    }
}
