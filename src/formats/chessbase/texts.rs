//! Which games share a player or an event: ids of texts.
//!
//! Texts are not kept. An id names a game and a place in it where the text stands first.

use std::borrow::Cow;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::names::Names;
use crate::formats::TextId;

/// Places of a game's texts in an id.
const PLACES: u32 = 3;

/// Ids of White, Black and event.
pub(super) type Ids = [TextId; PLACES as usize];

/// The id of what is unknown.
pub(super) const UNKNOWN: Ids = [TextId(0); PLACES as usize];

/// White, Black and event.
fn of_names(names: &Names) -> [Cow<'_, str>; PLACES as usize] {
    [names.white(), names.black(), names.event()]
}

/// Ids of all games' texts. `read` gives the texts of a game, and false for a game that has none.
pub(super) fn ids(games: u32, mut read: impl FnMut(u32, &mut Names) -> bool) -> Vec<Ids> {
    let mut first: HashMap<u64, TextId> = HashMap::new();
    let mut names = Names::default();
    // The game that a hash led to, read again to see whether the texts are indeed equal.
    let mut other = Names::default();
    let mut other_game = None;
    let mut all = Vec::with_capacity(games as usize);
    for game in 0..games {
        let mut ids = UNKNOWN;
        if read(game, &mut names) {
            for ((id, text), place) in ids.iter_mut().zip(of_names(&names)).zip(1..) {
                let new = TextId(game.saturating_mul(PLACES).saturating_add(place));
                let known = *first.entry(xxh3_64(text.as_bytes())).or_insert(new);
                let (known_game, known_place) = split(known);
                if known_game != game && other_game != Some(known_game) {
                    read(known_game, &mut other);
                    other_game = Some(known_game);
                }
                let same = if known_game == game { &names } else { &other };
                let is_same = of_names(same)
                    .get(known_place)
                    .is_some_and(|known| *known == text);
                *id = if is_same { known } else { new };
            }
        }
        all.push(ids);
    }
    all
}

/// The game and the place of an id other than that of the unknown.
fn split(id: TextId) -> (u32, usize) {
    let number = id.0.saturating_sub(1);
    (number / PLACES, (number % PLACES) as usize)
}

/// The text of an id. `read` is that of [`ids`].
pub(super) fn text(id: TextId, read: impl FnOnce(u32, &mut Names) -> bool) -> String {
    let (game, place) = split(id);
    let mut names = Names::default();
    let is_there = id != TextId(0) && read(game, &mut names);
    let texts = of_names(&names);
    match texts.get(place) {
        Some(text) if is_there => text.clone().into_owned(),
        _ => "?".to_owned(),
    }
}
