//! Ids of games for clients of the explorer: eight letters and digits.
//!
//! | part of the number | content |
//! |---|---|
//! | 27 bits | the number of the game |
//! | 20 bits above | a code for the database, from its path |
//!
//! A game from Lichess keeps its id, because clients open it on Lichess.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use chessdb_library::explorer::lichess_id;
use chessdb_library::positions::DatabasePart;
use lru::LruCache;
use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_64;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Number of characters.
const LEN: usize = 8;

// 47 bits in all, as many as fit into eight characters of 62 kinds.
const GAME_BITS: u32 = 27;
const CODE_BITS: u32 = 20;

/// Number of ids of Lichess that are remembered.
const MOST_OF_LICHESS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// The ids of games in answers.
pub(super) struct GameIds {
    of_lichess: Mutex<LruCache<String, (String, u32)>>,
}

impl Default for GameIds {
    fn default() -> GameIds {
        GameIds {
            of_lichess: Mutex::new(LruCache::new(MOST_OF_LICHESS)),
        }
    }
}

impl GameIds {
    /// The id of a game of a part: `lichess` if the game is from Lichess. `code` is the part's item of [`codes`]. `None`
    /// if the game's number is too high for an id.
    pub(super) fn of(
        &self,
        part: &DatabasePart,
        code: u32,
        game: u32,
        lichess: Option<&str>,
    ) -> Option<String> {
        if let Some(id) = lichess {
            let path = part.entry().path.clone();
            self.of_lichess.lock().put(id.to_owned(), (path, game));
            return Some(id.to_owned());
        }
        (game >> GAME_BITS == 0).then(|| written(u64::from(code) << GAME_BITS | u64::from(game)))
    }

    /// The part and the number of the game with an id. Reads the tags of a game with an id of Lichess again, because
    /// the database may have changed.
    pub(super) fn game(&self, parts: &[DatabasePart], id: &str) -> Option<(usize, u32)> {
        // The lock is released at once, because reading the tags may take long.
        let known = self.of_lichess.lock().get(id).cloned();
        if let Some((path, game)) = known {
            let part = parts.iter().position(|part| part.entry().path == path)?;
            let database = parts[part].database();
            let is_own = game < database.len() && lichess_id(&database.tags(game)).as_deref() == Some(id);
            return is_own.then_some((part, game));
        }
        let number = read(id)?;
        let (code, game) = (number >> GAME_BITS, number & ((1 << GAME_BITS) - 1));
        let part = codes(parts).iter().position(|&other| u64::from(other) == code)?;
        let game = u32::try_from(game).ok()?;
        (game < parts.get(part)?.database().len()).then_some((part, game))
    }
}

/// A code for each part. Takes as long as sorting the parts, so compute the codes once for all games of an answer.
pub(super) fn codes(parts: &[DatabasePart]) -> Vec<u32> {
    codes_of_paths(parts.iter().map(|part| part.entry().path.as_str()))
}

/// A code for each path. If two collide, the later path gets the next free code.
fn codes_of_paths<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let paths: Vec<&str> = paths.collect();
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by_key(|&n| paths[n]);
    let mut taken = HashMap::new();
    for n in order {
        let mut code = (xxh3_64(paths[n].as_bytes()) >> (64 - CODE_BITS)) as u32;
        while taken.contains_key(&code) {
            code = (code + 1) & ((1 << CODE_BITS) - 1);
        }
        taken.insert(code, n);
    }
    let mut codes = vec![0; paths.len()];
    taken.into_iter().for_each(|(code, n)| codes[n] = code);
    codes
}

fn written(mut number: u64) -> String {
    let mut id = [b'0'; LEN];
    for digit in id.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    id.iter().map(|&byte| char::from(byte)).collect()
}

fn read(id: &str) -> Option<u64> {
    if id.len() != LEN {
        return None;
    }
    id.bytes().try_fold(0, |number, byte| {
        let digit = DIGITS.iter().position(|&digit| digit == byte)?;
        Some(number * 62 + digit as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_read_back() {
        let most = (1 << (GAME_BITS + CODE_BITS)) - 1;
        for number in [0, 1, 61, 62, 1 << GAME_BITS, most] {
            let id = written(number);
            assert!(id.len() == LEN && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(read(&id), Some(number));
        }
        for id in ["", "0000000", "000000000", "0000000-", "000000é"] {
            assert_eq!(read(id), None, "{id}");
        }
    }

    #[test]
    fn no_two_databases_have_one_code() {
        let paths: Vec<String> = (0..3000).map(|n| n.to_string()).collect();
        let found = codes_of_paths(paths.iter().map(String::as_str));
        let different: std::collections::BTreeSet<&u32> = found.iter().collect();
        assert_eq!(different.len(), paths.len());
        // Databases are found in the order of their paths.
        let reversed = codes_of_paths(paths.iter().rev().map(String::as_str));
        assert!(found.iter().eq(reversed.iter().rev()));
    }
}
