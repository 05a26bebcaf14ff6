//! Games that were cut short: their moves are the first ones of a longer game.
//!
//! Such a game joins the longer one if
//!
//! - both players of both games are known and agree;
//! - both complete dates are known and the same, or both events and rounds are; and no known part of the dates and no
//!   known round differs (`2` and `2.10` do not, `3.3` and `3.5` do; the same holds for years in events);
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

use super::group::{KnownGame, is_complete};
use super::line::ComparedLine;
use super::occasion::{dates_agree, event_words};
use super::player::Player;
use super::{ComparedGames, Duplicate, Hashed, MOST_SEEN, Reason};
use crate::kept::{folders, temporary_files};
use crate::parallel::chunks;
use crate::positions::OPENING_PLIES;
use crate::spill::Partitions;
use crate::task;
use chessdb::bytes::le_u32;
use chessdb::game::Outcome;
use chessdb::{Keys, TextId};

/// Maximum number of longer games that a game is compared with. A game with more stays alone.
const MOST_LONGER: usize = 64;

/// Adds games that were cut short to the groups of the longer ones, and makes groups for longer games without one. The
/// games are [similar](similar_games).
pub(super) fn join(
    games: &mut ComparedGames<'_>,
    similar: &[Vec<u32>],
    groups: &mut Vec<Vec<Duplicate>>,
    threads: usize,
) {
    let mut found: Vec<Beginning> = Vec::new();
    for lists in batches(similar) {
        games.see(lists.concat(), threads);
        let games = &*games;
        let parts = chunks(lists.len() as u32, threads, &|_| (), |range| {
            let lists = lists.get(range.start as usize..range.end as usize);
            let lists = lists.unwrap_or_default().iter();
            lists.flat_map(|list| beginnings(games, list)).collect::<Vec<_>>()
        });
        found.extend(parts.into_iter().flatten());
    }
    if !found.is_empty() {
        join_groups(&found, groups);
    }
}

/// A game that may be cut short, and the longer one.
#[derive(Clone, Copy)]
struct Beginning {
    shorter: Duplicate,
    longer: Duplicate,
}

/// Lists of games where one may be the start of another, because they have a surname of each player in common, and a
/// date or an event.
pub(super) fn similar_games(games: &ComparedGames<'_>, hashed: &[Hashed]) -> Vec<Vec<u32>> {
    let mut names = KnownNames::default();
    let mut lists = Vec::new();
    for occasion in [SharedOccasion::Date, SharedOccasion::Event] {
        let file = (hashed.len() > MOST_IN_MEMORY).then(temporary_file).flatten();
        let found = lists_of(games, hashed, occasion, &mut names, file).or_else(|error| {
            log::warn!(
                "cannot write a temporary file to find duplicates: {error}; comparing games in memory"
            );
            lists_of(games, hashed, occasion, &mut names, None)
        });
        // `lists_of` fails only if it uses a file, and here everything is in memory.
        lists.extend(found.unwrap_or_default());
    }
    lists
}

/// The lists of games that may be compared with each other, because they have `occasion` and surnames in common.
///
/// # Errors
/// If the file for their keys cannot be written or read.
fn lists_of(
    games: &ComparedGames<'_>,
    hashed: &[Hashed],
    occasion: SharedOccasion,
    names: &mut KnownNames,
    file: Option<File>,
) -> io::Result<Vec<Vec<u32>>> {
    let keyed = keyed_games(games, hashed, occasion, names, file)?;
    let mut lists = Vec::new();
    for part in 0..keyed.parts() {
        task::check();
        let records = keyed.records(part)?;
        let mut keyed: Vec<(u64, Hashed)> = records.iter().map(read_record).collect();
        keyed.sort_unstable_by_key(|(key, hashed)| (*key, hashed.opening, hashed.hash, hashed.game));
        for run in keyed.chunk_by(|(a, _), (b, _)| a == b) {
            // Lines that are too short for an opening sort first. With the same date and round they may begin any other
            // line.
            let has_short = run.first().is_some_and(|(_, hashed)| hashed.opening == 0);
            if has_short && occasion == SharedOccasion::Date {
                lists.extend(list(run));
            } else {
                let of_openings = run.chunk_by(|(_, a), (_, b)| a.opening == b.opening);
                lists.extend(of_openings.filter(|run| run[0].1.opening > 0).filter_map(list));
            }
        }
    }
    Ok(lists)
}

/// The keys of more games than this are kept in a file, so that memory does not grow with the number of games.
const MOST_IN_MEMORY: usize = 1_000_000;

/// The number of games in a part of the keys, roughly.
const GAMES_OF_PART: usize = 1 << 18;

/// Bytes of a game with a key.
const RECORD: usize = 24;

/// The games by their keys, in parts that have all games of a key.
///
/// # Errors
/// If the file cannot be written.
fn keyed_games(
    games: &ComparedGames<'_>,
    hashed: &[Hashed],
    occasion: SharedOccasion,
    names: &mut KnownNames,
    file: Option<File>,
) -> io::Result<Partitions<RECORD>> {
    let parts = hashed.len().div_ceil(GAMES_OF_PART).clamp(1, 256);
    let mut keyed = Partitions::new(parts, file);
    let mut pushed = Ok(());
    for (n, &hashed) in hashed.iter().enumerate() {
        if n.is_multiple_of(1024) {
            task::check();
        }
        names.keys(games, hashed.game, occasion, |key| {
            if pushed.is_ok() {
                pushed = keyed.push((key % parts as u64) as usize, record(key, hashed));
            }
        });
    }
    pushed.map(|()| keyed)
}

fn record(key: u64, hashed: Hashed) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&key.to_le_bytes());
    record[8..16].copy_from_slice(&hashed.hash.to_le_bytes());
    record[16..20].copy_from_slice(&hashed.opening.to_le_bytes());
    record[20..].copy_from_slice(&hashed.game.to_le_bytes());
    record
}

fn read_record(record: &[u8; RECORD]) -> (u64, Hashed) {
    let number = |at| le_u32(record, at).unwrap_or_default();
    let long = |at| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
    let hashed = Hashed {
        hash: long(8),
        opening: number(16),
        game: number(20),
    };
    (long(0), hashed)
}

fn temporary_file() -> Option<File> {
    let (_, [file]) = temporary_files(folders()).ok()?;
    Some(file)
}

/// What two games must have in common to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SharedOccasion {
    Date,
    Event,
}

/// The games of a run that has different lines.
fn list(run: &[(u64, Hashed)]) -> Option<Vec<u32>> {
    let first = run.first()?.1.hash;
    let differ = run.iter().any(|(_, hashed)| hashed.hash != first);
    differ.then(|| run.iter().map(|(_, hashed)| hashed.game).collect())
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
    /// The keys of a game. Games that agree have one in common.
    fn keys(
        &mut self,
        games: &ComparedGames<'_>,
        game: u32,
        shared: SharedOccasion,
        mut then: impl FnMut(u64),
    ) {
        let Some((number, database, own)) = games.place(game) else {
            return;
        };
        let Keys {
            white,
            black,
            event,
            date,
            ..
        } = database.keys(own);
        let occasion = match shared {
            SharedOccasion::Date => is_complete(date).then(|| hash((date.year, date.month, date.day))),
            SharedOccasion::Event => *self.events.entry((number, event)).or_insert_with(|| {
                let words = event_words(&database.text(event));
                (!words.is_empty()).then(|| hash(words))
            }),
        };
        let Some(occasion) = occasion else {
            return;
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
                then(hash((shared, occasion, white, black)));
            }
        }
    }
}

fn hash(of: impl Hash) -> u64 {
    FxBuildHasher.hash_one(of)
}

/// The lists in batches of at most [`MOST_SEEN`] games, or of one list that has more.
fn batches(lists: &[Vec<u32>]) -> Vec<&[Vec<u32>]> {
    let (mut batches, mut start, mut len) = (Vec::new(), 0, 0);
    for (n, list) in lists.iter().enumerate() {
        if len > 0 && len + list.len() > MOST_SEEN {
            batches.extend(lists.get(start..n));
            (start, len) = (n, 0);
        }
        len += list.len();
    }
    batches.extend(lists.get(start..).filter(|rest| !rest.is_empty()));
    batches
}

/// The games that other games continue, each paired with such a game.
fn beginnings(games: &ComparedGames<'_>, list: &[u32]) -> Vec<Beginning> {
    let of_game = |&game: &u32| {
        let seen = games.seen.get(&game)?;
        let duplicate = Duplicate {
            game,
            plies: seen.line.plies(),
            annotations: seen.annotations,
            reason: None,
        };
        Some((&seen.line, duplicate, KnownGame::of(games, game, true)?))
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
                .filter(|(.., other)| is_same(games, shorter.plies, known, other));
            found.extend(fits.map(|&&(_, longer, _)| Beginning {
                shorter: *shorter,
                longer,
            }));
        }
    }
    found
}

/// True if a game whose `plies` half-moves are the start of another game can be that other game.
fn is_same(games: &ComparedGames<'_>, plies: u32, shorter: &KnownGame, longer: &KnownGame) -> bool {
    let outcome = |game: &KnownGame| {
        games
            .get(game.game)
            .map(|(database, own)| database.keys(own).outcome)
    };
    let (a, b) = (&shorter.occasion, &longer.occasion);
    let Some((place, other)) = a.place.as_ref().zip(b.place.as_ref()) else {
        return false;
    };
    let rounds = place.has_round_of(other);
    let is_round = rounds == Some(true);
    let is_date = is_complete(a.date) && a.date == b.date;
    let is_event = place.has_event_of(other);
    let mut players = shorter.players.iter().zip(&longer.players);
    let outcomes = [outcome(shorter), outcome(longer)];
    players.all(|(a, b)| a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a.agrees(b)))
        && dates_agree(a.date, b.date)
        && (rounds.is_none() || is_round)
        && (is_date || is_event && is_round)
        && (plies as usize >= OPENING_PLIES || is_date && is_round)
        && (outcomes[0] == outcomes[1] || outcomes.contains(&Some(Outcome::Unknown)))
}

/// Joins groups of shorter games with the groups of longer ones. A group is named by its first game.
fn join_groups(found: &[Beginning], groups: &mut Vec<Vec<Duplicate>>) {
    let mut names: FxHashMap<u32, u32> = FxHashMap::default();
    for group in &*groups {
        if let Some(name) = group.iter().map(|duplicate| duplicate.game).min() {
            names.extend(group.iter().map(|duplicate| (duplicate.game, name)));
        }
    }
    let name = |game: u32| names.get(&game).copied().unwrap_or(game);
    let mut members: FxHashMap<u32, Vec<Duplicate>> = FxHashMap::default();
    for group in groups.drain(..) {
        if let Some(first) = group.first() {
            members.insert(name(first.game), group);
        }
    }
    for game in found.iter().flat_map(|found| [found.shorter, found.longer]) {
        members.entry(name(game.game)).or_insert_with(|| vec![game]);
    }
    for (longest, shorter) in chains(found, name) {
        let of_shorter = shorter.iter().filter_map(|name| members.remove(name)).flatten();
        let of_shorter: Vec<Duplicate> = of_shorter.collect();
        if let Some(group) = members.get_mut(&longest) {
            group.extend(of_shorter.into_iter().map(|duplicate| Duplicate {
                reason: Some(Reason::Shorter),
                ..duplicate
            }));
            let others = group.get_mut(1..).unwrap_or_default();
            others.sort_unstable_by_key(|duplicate| duplicate.game);
        }
    }
    groups.extend(members.into_values().filter(|group| group.len() > 1));
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
    fn lists_are_the_same_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let game = |n: u32| {
            let (white, moves) = (n % 10, ["e4", "d4", "c4", "Nf3"][(n % 4) as usize]);
            format!(
                "[White \"White{white}\"]\n[Black \"Black\"]\n[Date \"2000.01.01\"]\n[Event \"E\"]\n\n1. {moves} *\n\n"
            )
        };
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, (0..200).map(game).collect::<String>()).unwrap();
        let database = chessdb::open(&path).unwrap();
        let databases = [&*database];
        let games = ComparedGames::new(&databases);
        let hashed = super::super::hashed_games(&games, 1, |_, _| true, |_| None);
        for (occasion, has_lists) in [(SharedOccasion::Date, true), (SharedOccasion::Event, false)] {
            let lists = |file| lists_of(&games, &hashed, occasion, &mut KnownNames::default(), file).unwrap();
            let in_memory = lists(None);
            assert_eq!(!in_memory.is_empty(), has_lists);
            assert_eq!(lists(Some(tempfile::tempfile().unwrap())), in_memory);
        }
    }

    #[test]
    fn a_record_comes_back() {
        let hashed = Hashed {
            hash: 0x0123_4567_89ab_cdef,
            game: 7,
            opening: u32::MAX,
        };
        let (key, read) = read_record(&record(u64::MAX - 1, hashed));
        assert_eq!(key, u64::MAX - 1);
        assert_eq!((read.hash, read.game, read.opening), (hashed.hash, 7, u32::MAX));
    }
}
