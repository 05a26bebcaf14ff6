//! Finds names of players, events and openings by the starts of their words.

use std::collections::HashMap;
use std::sync::LazyLock;

use chessdb::{Database, TextId};

use crate::openings::{OpeningName, with_other_names};
use crate::positions::DatabasePart;
use crate::spelling::{FoldedText, canonical, words};
use crate::task;

/// Number of games after which [`GameNames::of`] checks whether it was cancelled.
const CHECK_INTERVAL: usize = 1024;

/// Number of names that are searched together.
const BLOCK: usize = 64;

/// The names of the games of some databases. Those with the most games come first.
#[derive(Debug, Default)]
pub struct GameNames {
    /// Of players.
    pub players: NameList,
    /// Of events.
    pub events: NameList,
}

/// Names, and in how many games they are.
#[derive(Debug, Default)]
pub struct NameList {
    names: Box<[(Box<str>, u32)]>,
    /// The words of the names in small letters, each after a blank, and one line for each name.
    lines: String,
    /// Where the lines of each block of names begin.
    blocks: Vec<usize>,
}

impl GameNames {
    /// The names of all games that are not marked as deleted. Ends when its work is [cancelled](task).
    pub fn of(parts: &[DatabasePart]) -> GameNames {
        let mut players = HashMap::new();
        let mut events = HashMap::new();
        for part in parts {
            let database = part.database();
            let [mut own_players, mut own_events]: [HashMap<TextId, u32>; 2] = Default::default();
            for (n, game) in part.games_at(0..part.len()).enumerate() {
                if n % CHECK_INTERVAL == 0 {
                    task::check();
                }
                let keys = database.keys(game);
                if keys.deleted {
                    continue;
                }
                for player in [keys.white, keys.black] {
                    *own_players.entry(player).or_default() += 1;
                }
                *own_events.entry(keys.event).or_default() += 1;
            }
            add(&mut players, database, own_players);
            add(&mut events, database, own_events);
        }
        GameNames {
            players: players.into_iter().collect(),
            events: events.into_iter().collect(),
        }
    }
}

/// Adds the counts of a database.
fn add(names: &mut HashMap<String, u32>, database: &dyn Database, own: HashMap<TextId, u32>) {
    for (id, games) in own {
        let name = database.text(id);
        if !matches!(&*name, "" | "?") {
            *names.entry(name).or_default() += games;
        }
    }
}

impl FromIterator<(String, u32)> for NameList {
    fn from_iter<I: IntoIterator<Item = (String, u32)>>(names: I) -> NameList {
        NameList::with_words(names, str::to_owned)
    }
}

/// The names of openings.
static OPENINGS: LazyLock<NameList> = LazyLock::new(|| {
    let names = OpeningName::all().map(|opening| (opening.name.to_owned(), 0));
    NameList::with_words(names, with_other_names)
});

impl NameList {
    /// The names of all openings, which are also found by their other names. Counts no games; the shortest names,
    /// which cover the most lines, come first.
    pub fn openings() -> &'static NameList {
        &OPENINGS
    }

    /// Names that are found by the words of the texts that `text` gives for them.
    fn with_words(names: impl IntoIterator<Item = (String, u32)>, text: impl Fn(&str) -> String) -> NameList {
        let mut names: Vec<(Box<str>, u32)> = names
            .into_iter()
            .map(|(name, games)| (name.into_boxed_str(), games))
            .collect();
        let len = |(name, games): &(Box<str>, u32)| if *games == 0 { name.len() } else { 0 };
        names.sort_unstable_by(|a, b| {
            let by_games = b.1.cmp(&a.1).then_with(|| len(a).cmp(&len(b)));
            by_games.then_with(|| a.0.cmp(&b.0))
        });
        names.dedup();
        let (mut lines, mut blocks) = (String::new(), Vec::new());
        for (number, (name, _)) in names.iter().enumerate() {
            if number % BLOCK == 0 {
                blocks.push(lines.len());
            }
            for word in FoldedText::of(&text(name)).texts().flat_map(|text| words(text)) {
                lines.push(' ');
                lines += word;
            }
            lines.push('\n');
        }
        NameList {
            names: names.into_boxed_slice(),
            lines,
            blocks,
        }
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True without any name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The first `most` names that match a text, each with its number of games. A name matches if each word of the text
    /// starts a word of it.
    pub fn find(&self, text: &str, most: usize) -> Vec<(&str, u32)> {
        // The ways to write each, with the blank before it.
        let writings = |word| -> Vec<String> {
            let folded = FoldedText::of(word);
            folded.texts().map(|text| format!(" {text}")).collect()
        };
        let words: Vec<Vec<String>> = words(&canonical(text)).map(writings).collect();
        let has = |line: &str, word: &[String]| word.iter().any(|text| line.contains(text.as_str()));
        // The longest word is in the fewest names.
        let Some(rarest) = words.iter().max_by_key(|word| word[0].len()) else {
            return self
                .names
                .iter()
                .take(most)
                .map(|(name, games)| (&**name, *games))
                .collect();
        };
        let mut found = Vec::new();
        if most == 0 {
            return found;
        }
        for (number, &begin) in self.blocks.iter().enumerate() {
            let end = self.blocks.get(number + 1).copied().unwrap_or(self.lines.len());
            let block = &self.lines[begin..end];
            if !has(block, rarest) {
                continue;
            }
            for (line, (name, games)) in block.lines().zip(&self.names[number * BLOCK..]) {
                if words.iter().all(|word| has(line, word)) {
                    found.push((&**name, *games));
                    if found.len() == most {
                        return found;
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[(&str, u32)]) -> NameList {
        let names = names.iter().map(|&(name, games)| (name.to_owned(), games));
        names.collect()
    }

    #[test]
    fn each_word_begins_a_word_and_many_games_come_first() {
        let names = list(&[
            ("Carlsen, Magnus", 40),
            ("Carlsen,M", 7),
            ("Carlsson, Pontus", 50),
            ("Müller, Karl", 9),
            ("Bruecker, Jan", 1),
            ("Brucker, Jan", 1),
            ("Vitaly, Tal", 2),
            ("Tal, Mikhail", 3),
            ("O'Kelly de Galway", 1),
        ]);
        let found = |text: &str, most: usize| -> Vec<&str> {
            names.find(text, most).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(
            found("carls", 9),
            ["Carlsson, Pontus", "Carlsen, Magnus", "Carlsen,M"]
        );
        assert_eq!(found("CARLSEN, m", 9), ["Carlsen, Magnus", "Carlsen,M"]);
        assert_eq!(found("magnus carl", 9), ["Carlsen, Magnus"]);
        assert_eq!(found("carls", 1), ["Carlsson, Pontus"]);
        for text in ["muller", "mueller", "Müller"] {
            assert_eq!(found(text, 9), ["Müller, Karl"], "{text}");
        }
        assert_eq!(found("brücker", 9), ["Brucker, Jan", "Bruecker, Jan"]);
        assert_eq!(found("bruecker", 9), ["Bruecker, Jan"]);
        assert_eq!(found("tal", 9), ["Tal, Mikhail", "Vitaly, Tal"]);
        assert_eq!(found("kelly", 9), ["O'Kelly de Galway"]);
        assert_eq!(found("aly", 9), [""; 0]);
        assert_eq!(found("", 2), ["Carlsson, Pontus", "Carlsen, Magnus"]);
        assert_eq!(found(" , ", 1), ["Carlsson, Pontus"]);
        assert_eq!(found("x", 9), [""; 0]);
    }

    #[test]
    fn the_shortest_names_of_openings_come_first() {
        for (text, first) in [
            ("sicilian", "Sicilian Defense"),
            ("french", "French Defense"),
            ("queen's g", "Queen's Gambit"),
            ("najdorf", "Sicilian Defense: Najdorf"),
        ] {
            let found = NameList::openings().find(text, 8);
            assert!(found[0].0.starts_with(first), "{text}: {found:?}");
        }
    }

    #[test]
    fn openings_are_found_by_their_other_names() {
        let found = |text: &str| NameList::openings().find(text, usize::MAX);
        let all = found("");
        let different: std::collections::HashSet<&str> = all.iter().map(|(name, _)| *name).collect();
        assert!(all.len() > 2000 && different.len() == all.len());
        for text in [
            "najdorf",
            "spanish berlin",
            "sicilian defence",
            "sicilian defense",
        ] {
            assert!(!found(text).is_empty(), "{text}");
        }
        assert_eq!(found("sicilian defence najdorf")[0].1, 0);
    }

    #[test]
    fn names_of_all_blocks_are_found() {
        for count in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK] {
            let all: Vec<(String, u32)> = (0..count).map(|n| (format!("Player{n:04} A"), 1)).collect();
            let names: NameList = all.iter().cloned().collect();
            assert_eq!((names.len(), names.is_empty()), (count, count == 0));
            assert_eq!(names.find("a", usize::MAX).len(), count);
            for (name, games) in &all {
                assert_eq!(names.find(name, 9), [(name.as_str(), *games)]);
            }
        }
    }
}
