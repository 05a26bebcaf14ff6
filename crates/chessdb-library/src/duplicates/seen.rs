//! The data of possible duplicates that is compared. It is read in the order in which databases store their games: in
//! any other order, each game of a compressed file might have to unpack everything in front of it.

use rustc_hash::{FxBuildHasher, FxHashMap};
use xxhash_rust::xxh3::Xxh3;

use super::line::ComparedLine;
use super::{ComparedGames, worth};
use crate::parallel::chunks_of;
use chessdb::game::Tags;

/// Number of games that a thread reads at a time: few, so that all threads are at nearly the same place in a file.
const CHUNK: u32 = 32;

/// The compared parts of a game.
pub(super) struct ComparedGame {
    pub(super) line: ComparedLine,
    /// Its event and round.
    pub(super) place: Tags,
    /// A hash of all tags.
    pub(super) tags: u128,
    /// Number of tags with known values.
    pub(super) known: usize,
    /// Number of comments, glyphs and variations.
    pub(super) annotations: u32,
}

impl ComparedGame {
    /// Decodes a game; `None` if no part of it can be read.
    fn of(games: &ComparedGames<'_>, game: u32) -> Option<ComparedGame> {
        let (database, own) = games.get(game)?;
        let game = database.game(own).game;
        let tags = &game.tags;
        if *tags == Tags::default() && game.movetext.tokens().is_empty() {
            return None;
        }
        let (mut hash, mut place) = (Xxh3::new(), Tags::default());
        for (name, value) in tags.iter() {
            // A separator that no tag contains.
            for text in [name, value] {
                hash.update(text.as_bytes());
                hash.update(&[0xff]);
            }
            if matches!(name, "Event" | "Round") {
                place.set(name.to_owned(), value);
            }
        }
        Some(ComparedGame {
            line: ComparedLine::of(&game),
            place,
            tags: hash.digest128(),
            known: tags.iter().filter(|(_, value)| worth::is_known(value)).count(),
            annotations: worth::annotations(&game.movetext),
        })
    }
}

/// Reads games, which are sorted.
pub(super) fn read(
    games: &ComparedGames<'_>,
    sorted: &[u32],
    threads: usize,
) -> FxHashMap<u32, ComparedGame> {
    let parts = chunks_of(CHUNK, sorted.len() as u32, threads, &|_| (), |range| {
        let part = sorted.get(range.start as usize..range.end as usize);
        let part = part.unwrap_or_default().iter();
        let seen = part.filter_map(|&game| Some((game, ComparedGame::of(games, game)?)));
        seen.collect::<Vec<_>>()
    });
    let mut read = FxHashMap::with_capacity_and_hasher(sorted.len(), FxBuildHasher);
    parts.into_iter().for_each(|part| read.extend(part));
    read
}
