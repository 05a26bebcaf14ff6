//! The games that are compared, and the passes over them.

use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};

use chessdb::Database;
use parking_lot::Mutex;

use super::cut::{self, SimilarGames};
use super::group::{Players, groups};
use super::seen::{Places, ReadGame, ReadGames, SeenGame};
use super::{Duplicates, Member, worth};
use crate::kept::{folders, temporary_files};
use crate::lines::{KeptLines, LineSource, PackedLine};
use crate::parallel::{chunks_of, in_order};
use crate::positions::{LineEnd, LineHash};
use crate::spill::Partitions;
use crate::task;
use chessdb::bytes::{le_u32, le_u64};

/// The records of more games than this are in temporary files.
const MOST_IN_MEMORY: u32 = 1 << 18;

/// The number of games in a part of the records, roughly.
const GAMES_OF_PART: u32 = 1 << 17;

/// Number of games compared at the same time, and in memory, because they may be cut short or continue such games. A
/// longer list is compared as a whole. Each game takes about 700 bytes.
const MOST_READ: usize = 1 << 16;

/// Maximum number of parts. Each has some kilobytes in memory.
const MOST_PARTS: u32 = 256;

/// A database whose games are compared.
#[derive(Clone, Copy)]
pub struct ComparedDatabase<'a> {
    /// All its games are compared.
    pub database: &'a dyn Database,
    /// Where main lines are read, as far as they are kept.
    pub lines: Option<&'a KeptLines>,
    /// The ends of its main lines, if they are known.
    pub ends: Option<&'a [LineEnd]>,
}

impl ComparedDatabase<'_> {
    /// The main line of a game if it is kept.
    pub(super) fn kept_line(&self, game: u32) -> Option<PackedLine> {
        let mut line = PackedLine::default();
        self.lines?.read(game, &mut line).then_some(line)
    }

    fn hash(&self, game: u32) -> LineHash {
        match self.ends.and_then(|ends| ends.get(game as usize)) {
            Some(end) => end.line,
            None => match self.kept_line(game) {
                Some(line) => LineHash::of_kept(&line),
                None => LineEnd::of(self.database, game).line,
            },
        }
    }
}

/// The games of several databases, numbered consecutively.
pub(super) struct ComparedGames<'a> {
    databases: &'a [ComparedDatabase<'a>],
    /// The number of the first game of each database.
    firsts: Vec<u32>,
    /// Number of all games.
    len: u32,
}

/// A game and hashes of its main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hashed {
    pub(super) game: u32,
    pub(super) line: LineHash,
}

impl<'a> ComparedGames<'a> {
    pub(super) fn new(databases: &'a [ComparedDatabase<'a>]) -> ComparedGames<'a> {
        let mut len = 0u32;
        let firsts = databases.iter().map(|compared| {
            let first = len;
            len = len.saturating_add(compared.database.len());
            first
        });
        ComparedGames {
            firsts: firsts.collect(),
            databases,
            len,
        }
    }

    /// The number of the database of a game, the database, and the number of the game in it.
    pub(super) fn place(&self, game: u32) -> Option<(usize, &'a ComparedDatabase<'a>, u32)> {
        let numbers = self.firsts.partition_point(|&first| first <= game);
        let number = numbers.checked_sub(1)?;
        Some((
            number,
            self.databases.get(number)?,
            game - self.firsts.get(number)?,
        ))
    }

    /// Finds the groups among the games for which `is_shown` is true, as in [`Duplicates::find_among`].
    pub(super) fn find(&self, threads: usize, is_shown: &(impl Fn(usize, u32) -> bool + Sync)) -> Duplicates {
        let parts = self.len.div_ceil(GAMES_OF_PART).clamp(1, MOST_PARTS) as usize;
        let file = || (self.len > MOST_IN_MEMORY).then(temporary_file).flatten();
        let found = self.find_with(threads, is_shown, parts, MOST_READ, file);
        let found = found.or_else(|error| {
            log::warn!(
                "cannot write a temporary file to find duplicates: {error}; comparing games in memory"
            );
            self.find_with(threads, is_shown, parts, MOST_READ, || None)
        });
        // It fails only if it uses a file, and the second time everything is in memory.
        found.unwrap_or_default()
    }

    /// Finds the groups. The records are in this number of parts; `file` creates files for them, and if it does not they
    /// stay in memory. At most `most_read` similar games are in memory at the same time.
    ///
    /// # Errors
    /// If a file cannot be written or read.
    fn find_with(
        &self,
        threads: usize,
        is_shown: &(impl Fn(usize, u32) -> bool + Sync),
        parts: usize,
        most_read: usize,
        file: impl Fn() -> Option<File>,
    ) -> io::Result<Duplicates> {
        let mut hashed = Partitions::new(parts, file());
        let mut similar = SimilarGames::new(parts, &file);
        let hash = |game| {
            let (number, compared, own) = self.place(game)?;
            let keys = compared.database.keys(own);
            (is_shown(number, own) && !keys.deleted).then(|| {
                let line = compared.hash(own);
                let of = (number, compared.database);
                (of, keys, Hashed { game, line })
            })
        };
        self.each(threads, hash, |(of, keys, game)| {
            hashed.push(part_of(game.line.hash, parts), hash_record(game))?;
            similar.push(of, &keys, game)
        })?;
        let has_copy = self.share_hash(hashed)?;
        let similar = similar.lists()?;
        let mut seen = Partitions::new(parts, file());
        let mut places = Places::default();
        // If there is room for all similar games, the same pass reads them.
        let is_similar = cut::are_few(&similar, most_read).then(|| self.marks(similar.iter().flatten()));
        let mut few = ReadGames::default();
        let read = |game: u32| {
            let is_similar = is_similar.as_ref().is_some_and(|marks| marks[game as usize]);
            let has_copy = has_copy[game as usize];
            let read = (has_copy || is_similar).then(|| ReadGame::of(self, game));
            let read = read.flatten()?;
            let seen = has_copy.then(|| read.seen(game));
            Some((seen, is_similar.then_some((game, read))))
        };
        self.each(threads, read, |(game, read)| {
            few.extend(read);
            let Some((game, event, round)) = game else {
                return Ok(());
            };
            let game = SeenGame {
                event: places.event(&event),
                round: places.round(&round),
                ..game
            };
            seen.push(part_of(game.line as u64, parts), game.record())
        })?;
        let mut members = self.groups(&seen, &places, threads)?;
        drop((seen, places));
        cut::join(self, &similar, few, most_read, &mut members, threads);
        Ok(Duplicates::of(members))
    }

    /// Calls `read` for all games, on up to `threads` threads, and `take` on this one with what it returns, both in the
    /// order in which the games are stored.
    ///
    /// # Errors
    /// The first error of `take`.
    fn each<T: Send>(
        &self,
        threads: usize,
        read: impl Fn(u32) -> Option<T> + Sync,
        mut take: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut taken = Ok(());
        let read = |games: Range<u32>| games.filter_map(&read).collect::<Vec<T>>();
        let _ = in_order(self.len, threads, read, |found| {
            taken = found.into_iter().try_for_each(&mut take);
            match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        taken
    }

    /// For each game whether it is one of these.
    fn marks<'g>(&self, games: impl IntoIterator<Item = &'g u32>) -> Vec<bool> {
        let mut marks = vec![false; self.len as usize];
        for &game in games {
            if let Some(mark) = marks.get_mut(game as usize) {
                *mark = true;
            }
        }
        marks
    }

    /// Whether each game shares its hash with another game.
    ///
    /// # Errors
    /// If reading the records fails.
    fn share_hash(&self, hashed: Partitions<HASH_RECORD>) -> io::Result<Vec<bool>> {
        let mut has_copy = self.marks([]);
        for part in 0..hashed.parts() {
            task::check();
            let records = hashed.records(part)?;
            let mut games: Vec<(u64, u32)> = records.iter().map(read_hash_record).collect();
            games.sort_unstable();
            for same in games
                .chunk_by(|(a, _), (b, _)| a == b)
                .filter(|same| same.len() > 1)
            {
                for &(_, game) in same {
                    if let Some(has_copy) = has_copy.get_mut(game as usize) {
                        *has_copy = true;
                    }
                }
            }
        }
        Ok(has_copy)
    }

    /// The groups among games with the same moves.
    ///
    /// # Errors
    /// If reading the records fails.
    fn groups(
        &self,
        seen: &Partitions<{ SeenGame::RECORD }>,
        places: &Places,
        threads: usize,
    ) -> io::Result<Vec<Member>> {
        let members = Mutex::new(Vec::new());
        let read = chunks_of(1, seen.parts() as u32, threads, &|_| (), |parts| {
            for part in parts {
                let records = seen.records(part as usize)?;
                let mut games: Vec<SeenGame> = records.iter().map(SeenGame::of_record).collect();
                drop(records);
                games.sort_unstable_by_key(|game| (game.line, game.game));
                let mut players = Players::default();
                let mut found = Vec::new();
                for same in games
                    .chunk_by(|a, b| a.line == b.line)
                    .filter(|same| same.len() > 1)
                {
                    let groups = groups(self, places, &mut players, same);
                    found.extend(groups.iter().flat_map(|group| worth::members(group)));
                }
                members.lock().extend(found);
            }
            Ok(())
        });
        read.into_iter().collect::<io::Result<()>>()?;
        Ok(members.into_inner())
    }
}

/// The part that has all games with a hash.
pub(super) fn part_of(hash: u64, parts: usize) -> usize {
    (hash % parts as u64) as usize
}

/// A file without a name; `None` if no folder allows it.
fn temporary_file() -> Option<File> {
    let (_, [file]) = temporary_files(folders()).ok()?;
    Some(file)
}

/// Bytes of a hash and of the game that has it.
const HASH_RECORD: usize = 12;

fn hash_record(Hashed { game, line }: Hashed) -> [u8; HASH_RECORD] {
    let mut record = [0; HASH_RECORD];
    record[..8].copy_from_slice(&line.hash.to_le_bytes());
    record[8..].copy_from_slice(&game.to_le_bytes());
    record
}

fn read_hash_record(record: &[u8; HASH_RECORD]) -> (u64, u32) {
    (
        le_u64(record, 0).unwrap_or_default(),
        le_u32(record, 8).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::Reason;
    use super::*;

    /// Games of several players and days, with moves up to one of four places, and some with comments. One player's games are
    /// all short.
    fn games(first: u32) -> String {
        let line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 \
                    11. d4 Qc7 12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 17. Rc1 Qb7 18. Qe2 Rfe8 \
                    19. Bd3 Rab8 20. Nf1";
        let game = |n: u32| {
            let (white, day) = (n % 5, n / 5 % 3 + 1);
            let words = if white == 4 {
                12
            } else {
                [30, 36, 12, 58][n as usize % 4]
            };
            let moves: Vec<&str> = line.split(' ').take(words).collect();
            let comment = if n.is_multiple_of(7) { "{good}" } else { "" };
            format!(
                "[White \"White{white}, A\"]\n[Black \"Black\"]\n[Date \"2000.01.0{day}\"]\n[Round \"1\"]\n\n\
                 {} {comment} *\n\n",
                moves.join(" ")
            )
        };
        (first..first + 300).map(game).collect()
    }

    #[test]
    fn groups_do_not_depend_on_where_the_records_are() {
        let folder = tempfile::tempdir().unwrap();
        let databases = [0, 1, 170].map(|first| {
            let path = folder.path().join(format!("{first}.pgn"));
            std::fs::write(&path, games(first)).unwrap();
            chessdb::open(&path).unwrap()
        });
        let databases: Vec<_> = databases
            .iter()
            .map(|database| ComparedDatabase {
                database: &**database,
                lines: None,
                ends: None,
            })
            .collect();
        let games = ComparedGames::new(&databases);
        let find = |parts, most_read, file: fn() -> Option<File>| {
            let found = games.find_with(2, &|_, _| true, parts, most_read, file);
            let found = found.unwrap();
            (found.duplicates, found.starts)
        };
        let expected = find(1, usize::MAX, || None);
        let reasons = [Reason::Date, Reason::Tags, Reason::Shorter];
        for reason in reasons {
            let mut duplicates = expected.0.iter();
            assert!(
                duplicates.any(|duplicate| duplicate.reason == Some(reason)),
                "{reason:?}"
            );
        }
        for parts in [1, 2, 7, MOST_PARTS as usize] {
            for most_read in [0, 50, usize::MAX] {
                assert_eq!(find(parts, most_read, || None), expected, "{parts}");
                let in_files = find(parts, most_read, || tempfile::tempfile().ok());
                assert_eq!(in_files, expected, "{parts}");
            }
        }
    }
}
