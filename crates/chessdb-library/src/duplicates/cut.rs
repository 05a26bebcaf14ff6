//! Games that were cut short: their moves are the first ones of a longer game.
//!
//! Such a game joins the longer one if
//!
//! - both players of both games are known and agree;
//! - both complete dates are known and the same, or both events and rounds are; and no known part of the dates and no
//!   known round differs (`2` and `2.10` agree, `3.3` and `3.5` differ; the same holds for years in events);
//! - it has at least twenty half-moves, or date and round are known and the same;
//! - the results are the same, or one of them is unknown.
//!
//! It stays alone if two games continue it in different ways, since it may be either. For the same reason, if several
//! games would join a longer one, each must continue the next shorter one. Only games that have a surname of each
//! player in common, and a date or an event, are compared.

use std::cmp::Reverse;
use std::fs::File;
use std::hash::{BuildHasher, Hash};
use std::io;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::compared::{ComparedGames, Hashed, part_of};
use super::group::{KnownGame, Players, is_complete};
use super::line::ComparedLine;
use super::occasion::{Event, EventRound, dates_agree, event_words, numbers};
use super::player::Player;
use super::seen::{ReadGame, ReadGames};
use super::{Duplicate, Member, Reason};
use crate::parallel::{chunks, chunks_of};
use crate::positions::{LineHash, OPENING_PLIES};
use crate::spill::Partitions;
use crate::task;
use chessdb::bytes::{le_u32, le_u64};
use chessdb::game::Outcome;
use chessdb::{Database, Keys, TextId};

/// Number of games that a thread reads at a time: few, so that all threads are at nearly the same place in a file.
const CHUNK: u32 = 32;

/// Maximum number of longer games that a game is compared with. A game with more stays alone.
const MOST_LONGER: usize = 64;

/// Adds games that were cut short to the groups of the longer ones, and makes groups for longer games without one. The
/// games are [similar](SimilarGames); at most `most` of them are read at once, if they [are not few](are_few) and in
/// `few` already.
pub(super) fn join(
    games: &ComparedGames<'_>,
    similar: &[Vec<u32>],
    mut few: ReadGames,
    most: usize,
    members: &mut Vec<Member>,
    threads: usize,
) {
    let mut found: Vec<Beginning> = Vec::new();
    let are_few = are_few(similar, most);
    for lists in batches(similar, most) {
        if !are_few {
            few = read_all(games, lists.concat(), threads);
        }
        let read = &few;
        let parts = chunks(lists.len() as u32, threads, &|_| (), |range| {
            let lists = lists.get(range.start as usize..range.end as usize);
            let lists = lists.unwrap_or_default().iter();
            let mut players = Players::default();
            let found = lists.flat_map(|list| beginnings(games, read, &mut players, list));
            found.collect::<Vec<_>>()
        });
        found.extend(parts.into_iter().flatten());
    }
    if !found.is_empty() {
        join_groups(&found, members);
    }
}

/// Reads games, in the order in which databases store them.
fn read_all(games: &ComparedGames<'_>, mut wanted: Vec<u32>, threads: usize) -> ReadGames {
    wanted.sort_unstable();
    wanted.dedup();
    let parts = chunks_of(CHUNK, wanted.len() as u32, threads, &|_| (), |range| {
        let part = wanted.get(range.start as usize..range.end as usize);
        let part = part.unwrap_or_default().iter();
        let read = part.filter_map(|&game| Some((game, ReadGame::of(games, game)?)));
        read.collect::<Vec<_>>()
    });
    parts.into_iter().flatten().collect()
}

/// A game that may be cut short, and the longer one.
#[derive(Clone, Copy)]
struct Beginning {
    shorter: Duplicate,
    longer: Duplicate,
}

/// Bytes of a game with a key.
const RECORD: usize = 24;

/// Games where one may be the start of another, because they have a surname of each player in common, and a date or an
/// event.
pub(super) struct SimilarGames {
    names: KnownNames,
    /// The games by their keys, once for each [`SharedOccasion`].
    keyed: [(SharedOccasion, Partitions<RECORD>); 2],
}

impl SimilarGames {
    /// No games yet. They will be in this number of parts, and in files unless `file` returns none.
    pub(super) fn new(parts: usize, file: impl Fn() -> Option<File>) -> SimilarGames {
        let occasions = [SharedOccasion::Date, SharedOccasion::Event];
        SimilarGames {
            names: KnownNames::default(),
            keyed: occasions.map(|occasion| (occasion, Partitions::new(parts, file()))),
        }
    }

    /// Adds a game of the database with this number.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(super) fn push(&mut self, of: (usize, &dyn Database), keys: &Keys, game: Hashed) -> io::Result<()> {
        for (occasion, keyed) in &mut self.keyed {
            let parts = keyed.parts();
            self.names.keys(of, keys, *occasion, |key| {
                keyed.push(part_of(key, parts), record(key, game))
            })?;
        }
        Ok(())
    }

    /// The lists of games that may be compared with each other.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn lists(self) -> io::Result<Vec<Vec<u32>>> {
        let mut lists = Vec::new();
        for (occasion, keyed) in self.keyed {
            for part in 0..keyed.parts() {
                task::check();
                let records = keyed.records(part)?;
                let mut games: Vec<(u64, Hashed)> = records.iter().map(read_record).collect();
                games.sort_unstable_by_key(|(key, Hashed { game, line })| {
                    (*key, line.opening, line.hash, *game)
                });
                for run in games.chunk_by(|(a, _), (b, _)| a == b) {
                    // Lines that are too short for an opening sort first. With the same date and round they may begin
                    // any other line.
                    let has_short = run.first().is_some_and(|(_, game)| game.line.opening == 0);
                    if has_short && occasion == SharedOccasion::Date {
                        lists.extend(list(run));
                    } else {
                        let of_openings = run.chunk_by(|(_, a), (_, b)| a.line.opening == b.line.opening);
                        let long = of_openings.filter(|run| run[0].1.line.opening > 0);
                        lists.extend(long.filter_map(list));
                    }
                }
            }
        }
        Ok(lists)
    }
}

fn record(key: u64, Hashed { game, line }: Hashed) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&key.to_le_bytes());
    record[8..16].copy_from_slice(&line.hash.to_le_bytes());
    record[16..20].copy_from_slice(&line.opening.to_le_bytes());
    record[20..].copy_from_slice(&game.to_le_bytes());
    record
}

fn read_record(record: &[u8; RECORD]) -> (u64, Hashed) {
    let line = LineHash {
        hash: le_u64(record, 8).unwrap_or_default(),
        opening: le_u32(record, 16).unwrap_or_default(),
    };
    let game = le_u32(record, 20).unwrap_or_default();
    (le_u64(record, 0).unwrap_or_default(), Hashed { game, line })
}

/// What two games must have in common to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SharedOccasion {
    Date,
    Event,
}

/// The games of a run that has different lines.
fn list(run: &[(u64, Hashed)]) -> Option<Vec<u32>> {
    let first = run.first()?.1.line.hash;
    let differ = run.iter().any(|(_, game)| game.line.hash != first);
    differ.then(|| run.iter().map(|(_, game)| game.game).collect())
}

/// Names that were read before, by the number of the database and the id of the text.
#[derive(Default)]
struct KnownNames {
    /// Hashes of the surnames that a player may have.
    surnames: FxHashMap<(usize, TextId), Box<[u64]>>,
    /// A hash of the words of an event.
    events: FxHashMap<(usize, TextId), Option<u64>>,
}

impl KnownNames {
    /// Passes the keys of a game to `then`. Games that agree have one in common.
    fn keys(
        &mut self,
        (number, database): (usize, &dyn Database),
        keys: &Keys,
        shared: SharedOccasion,
        mut then: impl FnMut(u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let &Keys {
            white,
            black,
            event,
            date,
            ..
        } = keys;
        let occasion = match shared {
            SharedOccasion::Date => is_complete(date).then(|| hash((date.year, date.month, date.day))),
            SharedOccasion::Event => *self.events.entry((number, event)).or_insert_with(|| {
                let words = event_words(&database.text(event));
                (!words.is_empty()).then(|| hash(words))
            }),
        };
        let Some(occasion) = occasion else {
            return Ok(());
        };
        for player in [white, black] {
            self.surnames.entry((number, player)).or_insert_with(|| {
                let player = Player::read(&database.text(player));
                let readings = player.iter().flat_map(Player::readings);
                let mut surnames: Vec<u64> = readings.map(|reading| hash(&reading.surname)).collect();
                surnames.sort_unstable();
                surnames.dedup();
                surnames.into()
            });
        }
        let surnames = |player| self.surnames.get(&(number, player)).into_iter().flatten();
        for white in surnames(white) {
            for black in surnames(black) {
                then(hash((shared, occasion, white, black)))?;
            }
        }
        Ok(())
    }
}

fn hash(of: impl Hash) -> u64 {
    FxBuildHasher.hash_one(of)
}

/// True if the lists have at most `most` games together.
pub(super) fn are_few(lists: &[Vec<u32>], most: usize) -> bool {
    lists.iter().map(Vec::len).sum::<usize>() <= most
}

/// The lists in batches of at most `most` games, or of one list that has more.
fn batches(lists: &[Vec<u32>], most: usize) -> Vec<&[Vec<u32>]> {
    let (mut batches, mut start, mut len) = (Vec::new(), 0, 0);
    for (n, list) in lists.iter().enumerate() {
        if len > 0 && len + list.len() > most {
            batches.extend(lists.get(start..n));
            (start, len) = (n, 0);
        }
        len += list.len();
    }
    batches.extend(lists.get(start..).filter(|rest| !rest.is_empty()));
    batches
}

/// The games that other games continue, each paired with such a game.
fn beginnings(
    games: &ComparedGames<'_>,
    read: &ReadGames,
    players: &mut Players,
    list: &[u32],
) -> Vec<Beginning> {
    let of_game = |&game: &u32| {
        let read = read.get(&game)?;
        let duplicate = Duplicate {
            game,
            plies: read.line.plies(),
            annotations: read.annotations,
            reason: None,
        };
        let place = EventRound {
            event: Event::read(read.place("Event")).into(),
            round: numbers(read.place("Round")).into(),
        };
        let known = KnownGame::of(games, players, game, Some(place), true)?;
        Some((&read.line, duplicate, known))
    };
    let mut sorted: Vec<(&ComparedLine, Duplicate, KnownGame)> = list.iter().filter_map(of_game).collect();
    // A line is followed by the lines that start with it.
    sorted.sort_by_key(|(line, duplicate, _)| (*line, duplicate.game));
    let mut found = Vec::new();
    let mut rest = sorted.as_slice();
    for same in sorted.chunk_by(|(a, ..), (b, ..)| a == b) {
        rest = rest.get(same.len()..).unwrap_or_default();
        let longer = rest.iter().take_while(|(line, ..)| same[0].0.begins(line));
        let longer: Vec<_> = longer.take(MOST_LONGER + 1).collect();
        if longer.len() > MOST_LONGER {
            continue;
        }
        for (_, shorter, known) in same {
            let fits = longer
                .iter()
                .filter(|(.., other)| is_same(shorter.plies, known, other));
            found.extend(fits.map(|&&(_, longer, _)| Beginning {
                shorter: *shorter,
                longer,
            }));
        }
    }
    found
}

/// True if a game whose `plies` half-moves are the start of another game can be that other game.
fn is_same(plies: u32, shorter: &KnownGame, longer: &KnownGame) -> bool {
    let (a, b) = (&shorter.occasion, &longer.occasion);
    let Some((place, other)) = a.place.as_ref().zip(b.place.as_ref()) else {
        return false;
    };
    let rounds = place.has_round_of(other);
    let is_round = rounds == Some(true);
    let is_date = is_complete(a.date) && a.date == b.date;
    let is_event = place.has_event_of(other);
    let mut players = shorter.players.iter().zip(&longer.players);
    let outcomes = [shorter.outcome, longer.outcome];
    players.all(|(a, b)| a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a.agrees(b)))
        && dates_agree(a.date, b.date)
        && (rounds.is_none() || is_round)
        && (is_date || is_event && is_round)
        && (plies as usize >= OPENING_PLIES || is_date && is_round)
        && (outcomes[0] == outcomes[1] || outcomes.contains(&Outcome::Unknown))
}

/// Joins groups of shorter games with the groups of longer ones. A group is named by its first game.
fn join_groups(found: &[Beginning], members: &mut Vec<Member>) {
    let of_games = found.iter().flat_map(|found| [found.shorter, found.longer]);
    let mut alone: FxHashMap<u32, Duplicate> = of_games.map(|game| (game.game, game)).collect();
    let mut names: FxHashMap<u32, u32> = alone.keys().map(|&game| (game, game)).collect();
    for Member { group, duplicate } in &*members {
        if let Some(name) = names.get_mut(&duplicate.game) {
            *name = *group;
            alone.remove(&duplicate.game);
        }
    }
    // The new name of each group that joins another group, and whether it is a shorter game.
    let mut joined: FxHashMap<u32, (u32, bool)> = FxHashMap::default();
    for (longest, shorter) in chains(found, |game| names.get(&game).copied().unwrap_or(game)) {
        let first = shorter.iter().copied().fold(longest, u32::min);
        joined.insert(longest, (first, false));
        joined.extend(shorter.into_iter().map(|name| (name, (first, true))));
    }
    let alone = alone.into_iter().filter(|(game, _)| joined.contains_key(game));
    members.extend(alone.map(|(group, duplicate)| Member { group, duplicate }));
    for Member { group, duplicate } in members {
        if let Some(&(first, is_shorter)) = joined.get(group) {
            *group = first;
            if is_shorter {
                duplicate.reason = Some(Reason::Shorter);
            }
        }
    }
}

/// Each group that shorter groups join, with the names of these. A group joins the longest group that continues it, and
/// only if all groups that continue it continue each other.
fn chains(found: &[Beginning], name: impl Fn(u32) -> u32) -> Vec<(u32, Vec<u32>)> {
    // For each group the half-moves and names of the longer groups, the shortest first.
    let mut longer: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
    for found in found {
        let of_one = longer.entry(name(found.shorter.game)).or_default();
        of_one.push((found.longer.plies, name(found.longer.game)));
    }
    for of_one in longer.values_mut() {
        of_one.sort_unstable();
        of_one.dedup();
    }
    let longer_than = |name: u32| longer.get(&name).map_or(&[][..], Vec::as_slice);
    let is_chain = |of_one: &[(u32, u32)]| {
        let mut rest = (1..).zip(of_one);
        rest.all(|(next, &(_, one))| of_one.get(next..) == Some(longer_than(one)))
    };
    let mut joining: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (&shorter, of_one) in longer.iter().filter(|(_, of_one)| is_chain(of_one)) {
        if let Some(&(_, longest)) = of_one.last() {
            joining.entry(longest).or_default().push(shorter);
        }
    }
    for shorter in joining.values_mut() {
        shorter.sort_unstable_by_key(|&name| Reverse(longer_than(name).len()));
    }
    let begins = |pair: &[u32]| {
        longer_than(pair[0])
            .first()
            .is_some_and(|&(_, next)| next == pair[1])
    };
    joining.retain(|_, shorter| shorter.windows(2).all(begins));
    joining.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_never_divide_a_list() {
        let lists = [2, 3, 1, 7, 1].map(|len| vec![0; len]);
        let lens = |most| {
            let batches = batches(&lists, most).into_iter();
            batches.map(<[Vec<u32>]>::len).collect::<Vec<_>>()
        };
        assert_eq!(lens(5), [2, 1, 1, 1]);
        assert_eq!(lens(6), [3, 1, 1]);
        assert_eq!(lens(13), [4, 1]);
        assert_eq!(lens(14), [5]);
        assert_eq!([13, 14].map(|most| are_few(&lists, most)), [false, true]);
        assert_eq!(batches(&[], 5).len(), 0);
    }

    #[test]
    fn a_record_comes_back() {
        let line = LineHash {
            hash: 0x0123_4567_89ab_cdef,
            opening: u32::MAX,
        };
        let game = Hashed { game: 7, line };
        assert_eq!(read_record(&record(u64::MAX - 1, game)), (u64::MAX - 1, game));
    }
}
