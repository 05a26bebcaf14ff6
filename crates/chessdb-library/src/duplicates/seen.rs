//! The data of possible duplicates that is compared.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::compared::ComparedGames;
use super::line::ComparedLine;
use super::occasion::{Event, EventRound, numbers};
use super::{FEWEST_PLIES, worth};
use chessdb::bytes::le_u32;
use chessdb::game::Tags;

/// The compared parts of a game that are read from it.
pub(super) struct ReadGame {
    pub(super) line: ComparedLine,
    pub(super) tags: Tags,
    /// Number of comments, glyphs and variations.
    pub(super) annotations: u32,
}

/// Games by their numbers.
pub(super) type ReadGames = FxHashMap<u32, ReadGame>;

impl ReadGame {
    /// Reads a game; `None` if no part of it can be read.
    pub(super) fn of(games: &ComparedGames<'_>, game: u32) -> Option<ReadGame> {
        let (_, compared, own) = games.place(game)?;
        let database = compared.database;
        if let Some(line) = compared.kept_line(own)
            && database.has_only_moves(own)
        {
            let tags = database.tags(own);
            if tags != Tags::default() {
                return Some(ReadGame {
                    line: ComparedLine::of_kept(&line),
                    tags,
                    annotations: 0,
                });
            }
        }
        let game = database.game(own).game;
        let is_read = game.tags != Tags::default() || !game.movetext.tokens().is_empty();
        is_read.then(|| ReadGame {
            line: ComparedLine::of(&game),
            annotations: worth::annotations(&game.movetext),
            tags: game.tags,
        })
    }

    /// A tag that says where a game was played.
    pub(super) fn place(&self, name: &str) -> &str {
        self.tags.get(name).unwrap_or_default()
    }

    /// Everything to compare in the game with this number, if others may have the same moves; also its event and
    /// round, unless all tags are compared.
    pub(super) fn seen(&self, game: u32) -> (SeenGame, String, String) {
        let plies = self.line.plies();
        let is_short = plies < FEWEST_PLIES;
        let values = self.tags.iter().map(|(_, value)| value);
        let seen = SeenGame {
            line: match is_short {
                true => self.line.hash(&self.tags_hash()),
                false => self.line.hash(&[]),
            },
            game,
            plies,
            annotations: self.annotations,
            known: values.filter(|value| worth::is_known(value)).count() as u32,
            ..SeenGame::default()
        };
        let [event, round] = ["Event", "Round"].map(|name| match is_short {
            true => String::new(),
            false => self.place(name).to_owned(),
        });
        (seen, event, round)
    }

    /// A hash of all tags.
    fn tags_hash(&self) -> [u8; 16] {
        let mut hash = Xxh3::new();
        // A separator that no tag contains.
        for text in self.tags.iter().flat_map(|(name, value)| [name, value]) {
            hash.update(text.as_bytes());
            hash.update(&[0xff]);
        }
        hash.digest128().to_le_bytes()
    }
}

/// What to compare in a game that may have the same moves as others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeenGame {
    /// A hash of its moves; of a game with few moves also of all tags.
    pub(super) line: u128,
    pub(super) game: u32,
    /// Number of moves.
    pub(super) plies: u32,
    /// Number of comments, glyphs and variations.
    pub(super) annotations: u32,
    /// Number of tags with known values.
    pub(super) known: u32,
    /// Its event and round among the [`Places`].
    pub(super) event: u32,
    pub(super) round: u32,
}

impl SeenGame {
    /// Bytes of a record.
    pub(super) const RECORD: usize = 40;

    /// The game as a record.
    pub(super) fn record(&self) -> [u8; SeenGame::RECORD] {
        let mut record = [0; SeenGame::RECORD];
        record[..16].copy_from_slice(&self.line.to_le_bytes());
        let numbers = [
            self.game,
            self.plies,
            self.annotations,
            self.known,
            self.event,
            self.round,
        ];
        let bytes = record[16..].as_chunks_mut::<4>().0;
        for (bytes, number) in bytes.iter_mut().zip(numbers) {
            *bytes = number.to_le_bytes();
        }
        record
    }

    /// The game of a record.
    pub(super) fn of_record(record: &[u8; SeenGame::RECORD]) -> SeenGame {
        let number = |n: usize| le_u32(record, 16 + 4 * n).unwrap_or_default();
        let line = record.first_chunk().copied().unwrap_or_default();
        SeenGame {
            line: u128::from_le_bytes(line),
            game: number(0),
            plies: number(1),
            annotations: number(2),
            known: number(3),
            event: number(4),
            round: number(5),
        }
    }
}

/// The different events and rounds of games, each with a number.
#[derive(Default)]
pub(super) struct Places {
    events: Numbered<Event>,
    rounds: Numbered<[u64]>,
}

impl Places {
    /// The number of an event.
    pub(super) fn event(&mut self, event: &str) -> u32 {
        self.events.number(event, || Event::read(event).into())
    }

    /// The number of a round.
    pub(super) fn round(&mut self, round: &str) -> u32 {
        self.rounds.number(round, || numbers(round).into())
    }

    /// The event and the round with these numbers.
    pub(super) fn get(&self, event: u32, round: u32) -> Option<EventRound> {
        Some(EventRound {
            event: Arc::clone(self.events.values.get(event as usize)?),
            round: Arc::clone(self.rounds.values.get(round as usize)?),
        })
    }
}

/// Texts in the order in which they were first seen, and what was read from each.
struct Numbered<T: ?Sized> {
    numbers: FxHashMap<String, u32>,
    values: Vec<Arc<T>>,
}

impl<T: ?Sized> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered {
            numbers: FxHashMap::default(),
            values: Vec::new(),
        }
    }
}

impl<T: ?Sized> Numbered<T> {
    fn number(&mut self, text: &str, read: impl FnOnce() -> Arc<T>) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(read());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back() {
        let game = SeenGame {
            line: u128::MAX - 1,
            game: 1,
            plies: 2,
            annotations: 3,
            known: 4,
            event: 5,
            round: u32::MAX,
        };
        assert_eq!(SeenGame::of_record(&game.record()), game);
    }
}
