//! What is compared of games that may be duplicates. It is read in the order in which databases store their games,
//! because each look-up in another order may unpack all that precedes a game in a compressed file.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::line::{Line, line_of};
use super::{Games, worth};
use crate::library::tags_of;
use crate::parallel::chunks_of;
use chessdb::game::Tags;

/// Number of games that a thread reads at a time: few, so that all threads are near each other in a file.
const CHUNK: u32 = 32;

/// A game, as far as it is compared.
pub(super) struct Seen {
    pub(super) line: Line,
    /// Its event and round.
    pub(super) place: Tags,
    /// A hash of all tags.
    pub(super) tags: u128,
    /// Number of tags with known values.
    pub(super) known: usize,
    /// Number of comments, glyphs and variations.
    pub(super) annotations: u32,
}

impl Seen {
    fn of(games: &Games<'_>, game: u32) -> Option<Seen> {
        let (database, own) = games.get(game)?;
        let tags = tags_of(database, own);
        let (mut hash, mut place) = (Xxh3::new(), Tags::default());
        for (name, value) in tags.iter() {
            // No tag contains this byte.
            for text in [name, value] {
                hash.update(text.as_bytes());
                hash.update(&[0xff]);
            }
            if matches!(name, "Event" | "Round") {
                place.set(name.to_owned(), value);
            }
        }
        Some(Seen {
            line: line_of(database, own),
            place,
            tags: hash.digest128(),
            known: tags.iter().filter(|(_, value)| worth::is_known(value)).count(),
            annotations: worth::annotations(database, own),
        })
    }
}

/// Reads games, which are sorted.
pub(super) fn read(games: &Games<'_>, sorted: &[u32], threads: usize) -> FxHashMap<u32, Seen> {
    let parts = chunks_of(CHUNK, sorted.len() as u32, threads, &|_| (), |range| {
        let part = sorted.get(range.start as usize..range.end as usize);
        let part = part.unwrap_or_default().iter();
        let seen = part.filter_map(|&game| Some((game, Seen::of(games, game)?)));
        seen.collect::<Vec<_>>()
    });
    parts.into_iter().flatten().collect()
}
