//! Ids of texts, which show which games share a player or an event.
//!
//! Texts are not stored. An id identifies the first game with the text, and the place of the text in the
//! game.

use std::borrow::Cow;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128;

use super::names::Names;
use crate::database::TextId;

/// Number of texts in a game that have ids.
const PLACES: u32 = 3;

/// Ids of White, Black and event.
pub(super) type Ids = [TextId; PLACES as usize];

/// The id of an unknown text.
pub(super) const UNKNOWN: Ids = [TextId(0); PLACES as usize];

/// White, Black and event.
fn of_names(names: &Names) -> [Cow<'_, str>; PLACES as usize] {
    [names.white(), names.black(), names.event()]
}

/// The ids of the texts of games, numbered from 0. `read` reads the texts of a game, and returns false for a game
/// without texts.
///
/// Texts count as the same if 96 bits of their hashes are the same. A coincidence is practically impossible. Therefore
/// no text is stored or read twice.
pub(super) fn ids(
    games: impl Iterator<Item = u32>,
    mut read: impl FnMut(u32, &mut Names) -> bool,
) -> Vec<Ids> {
    // Maps the first half of a hash to a part of the second half and the id.
    let mut first: HashMap<u64, (u32, TextId)> = HashMap::new();
    let mut names = Names::default();
    let mut all = Vec::with_capacity(games.size_hint().0);
    for game in games {
        let mut ids = UNKNOWN;
        if read(game, &mut names) {
            for ((id, text), place) in ids.iter_mut().zip(of_names(&names)).zip(1..) {
                let new = TextId(game.saturating_mul(PLACES).saturating_add(place));
                let (hash, check) = hash(&text);
                *id = match *first.entry(hash).or_insert((check, new)) {
                    (known_check, known) if known_check == check => known,
                    _ => new,
                };
            }
        }
        all.push(ids);
    }
    all
}

/// 96 bits of a hash in two parts.
fn hash(text: &str) -> (u64, u32) {
    let bytes = xxh3_128(text.as_bytes()).to_le_bytes();
    let [.., a, b, c, d] = bytes;
    let first = bytes.first_chunk().map_or(0, |&half| u64::from_le_bytes(half));
    (first, u32::from_le_bytes([a, b, c, d]))
}

/// The game and the place of an id other than the unknown one.
fn split(id: TextId) -> (u32, usize) {
    let number = id.0.saturating_sub(1);
    (number / PLACES, (number % PLACES) as usize)
}

/// The text of an id. `read` reads the names of a game, as for [`ids`].
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
