//! Spellings of players' names: which of them are one player, and which is shown.
//!
//! Names that play each other in a game are never joined, whatever the other rules say.
//!
//! Two spellings are compared so:
//!
//! - The surname is before the comma. A name without a comma is read in both orders if it agrees with a name with a
//!   comma in exactly one of them; otherwise all of it is a surname, as is a name of several players, with `&`, `/`,
//!   `+`, `:`, `;` or two commas.
//! - Letter case, accents, punctuation and spaces do not count. `jr`, `sr`, `ii` and the like are not given names. Two
//!   or three capital letters together are initials, unless the whole name is in capital letters.
//! - Two names agree if their surnames and their `jr` are the same, and the given names that both have agree one by
//!   one from the first. A surname alone agrees with no given names.
//! - Two given names agree if one is the initial of the other, or if they are the same when doubled letters count once
//!   and `y` and `j` count as `i`: `Garry` and `Gary`, `Yuri` and `Juri`.
//! - `ä`, `ö`, `ü`, `å` and `ø` may be written with two letters, `ae`, `oe`, `ue` and `aa`, if a name with the letter is
//!   the same otherwise: `Mueller, Karl` is `Müller, Karl` if there is one, and not `Muller, Karl` without it.
//! - A given name of at least two letters that starts another one, and lacks at least two of its letters, is read as
//!   that one if no other given name of this surname starts like that: `Karpov, An` is `Karpov, Anatoly` unless there
//!   is a `Karpov, Andrei`, and `Martin` is never `Martina`.
//!
//! The spellings of a surname are taken one by one: those with the most full given names first, then with the most
//! given names, then in the order of their texts. Each joins the one player with all of whose spellings it agrees and
//! none of whose spellings it meets in a game; of several players, the one with a spelling of the same words. Otherwise
//! it is a separate player. If more than 2,000 spellings have one surname and one initial, none of them is joined.

mod cut;
mod file;
mod fold;
mod letters;
mod name;
mod two_letters;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::task;
use chessdb::{Database, TextId};

pub use file::SpellingFile;
use fold::SpellingCount;
pub(crate) use letters::{FoldedText, canonical, folded, words};

/// Number of games after which [`Names::find`] checks whether it was cancelled.
const CHECK_INTERVAL: u32 = 1024;

/// Which spellings are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// None.
    #[default]
    Stored,
    /// Names with the same surname, and no given name that differs.
    Fold,
    /// Names that a file says are one player, and then as in [`Spelling::Fold`].
    File(Arc<SpellingFile>),
}

impl Spelling {
    /// A text that differs whenever other spellings would be joined.
    pub fn key(&self) -> String {
        match self {
            Spelling::Stored => "stored".to_owned(),
            Spelling::Fold => "fold".to_owned(),
            Spelling::File(file) => format!("file {:032x}", file.hash),
        }
    }
}

/// The shown names of the players in some databases.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, Arc<str>>);

impl Names {
    /// Joins the spellings in these databases. `None` if there is nothing to join.
    pub fn find(databases: &[&dyn Database], spelling: &Spelling) -> Option<Names> {
        let file = match spelling {
            Spelling::Stored => return None,
            Spelling::Fold => None,
            Spelling::File(file) => Some(&**file),
        };
        let mut players = Players::default();
        let games: Vec<Vec<[u32; 2]>> = databases
            .iter()
            .map(|&database| players.numbers_in(database))
            .collect();
        let readings = fold::readings(&players.names, file);
        // Only names that may be joined can meet.
        let mut meetings = FxHashSet::default();
        for &[white, black] in games.iter().flatten() {
            let group = |name: u32| readings.get(name as usize)?.group;
            if white != black && group(white).is_some() && group(white) == group(black) {
                meetings.insert([white.min(black), white.max(black)]);
            }
        }
        Some(Names(fold::joined(&players.names, &readings, &meetings)))
    }

    /// The name that is shown for a player stored under this name.
    pub fn shown(&self, stored: String) -> String {
        match self.other(&stored) {
            Some(shown) => shown.to_owned(),
            None => stored,
        }
    }

    /// The name that is shown for a player stored under this name, if it is different.
    pub fn other(&self, stored: &str) -> Option<&str> {
        let found = match is_nfc_quick(stored.chars()) {
            IsNormalized::Yes => self.0.get(stored),
            _ => self.0.get(&stored.nfc().collect::<String>()),
        };
        found.map(AsRef::as_ref)
    }
}

/// The different spellings in some databases.
#[derive(Default)]
struct Players {
    names: Vec<SpellingCount>,
    numbers: HashMap<String, u32>,
}

impl Players {
    /// The spellings of White and Black in each game of a database, by their numbers.
    fn numbers_in(&mut self, database: &dyn Database) -> Vec<[u32; 2]> {
        let mut by_id: FxHashMap<TextId, u32> = FxHashMap::default();
        let games = (0..database.len()).map(|game| {
            if game % CHECK_INTERVAL == 0 {
                task::check();
            }
            let keys = database.keys(game);
            [keys.white, keys.black].map(|id| {
                let number = *by_id.entry(id).or_insert_with(|| self.number(database.text(id)));
                if let Some(name) = self.names.get_mut(number as usize) {
                    name.games += 1;
                }
                number
            })
        });
        games.collect()
    }

    fn number(&mut self, text: String) -> u32 {
        let text: String = text.nfc().collect();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            let text = text.clone();
            self.names.push(SpellingCount { text, games: 0 });
            self.names.len() as u32 - 1
        })
    }
}
