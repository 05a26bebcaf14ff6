//! Duplicates in a [kept file](crate::kept), for the next search for them.
//!
//! The section of games has 16 bytes for each, in the order of the groups: its number, half-moves, annotations, and the
//! [`Reason`] by its number from 1, or 0 for the best game. The section of starts has the place of the first game of each
//! group, and the number of all, in 4 bytes.

use std::io;

use super::{Duplicate, Duplicates, Reason};
use crate::kept::{
    KeptFile, KeptFiles, KeptKind, Numbers, Output, SectionId, Sections, SourceFiles, begin, next_page,
};
use chessdb::bytes::le_u32;

/// Duplicates among fewer games are not kept: finding them again takes no longer than opening a file.
const FEWEST_GAMES: u32 = 1000;

/// Bytes of a game.
const GAME: usize = 16;

/// Number of games that are written at once.
const PIECE: usize = 1 << 12;

/// The reasons by their numbers from 1.
const REASONS: [Reason; 4] = [Reason::Tags, Reason::Date, Reason::Moves, Reason::Shorter];

#[derive(Clone, Copy, Debug)]
enum DuplicateSection {
    Games,
    Starts,
}

impl SectionId for DuplicateSection {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        let [games, starts] = [DuplicateSection::Games, DuplicateSection::Starts]
            .map(|section| numbers.sections[section.place()].1);
        games.is_multiple_of(GAME as u64) && starts.is_multiple_of(4) && starts > 0
    }
}

impl Duplicates {
    /// The kept file with the duplicates among all games of some databases.
    pub fn file(files: &KeptFiles, origins: &[SourceFiles]) -> KeptFile {
        files.file(KeptKind::Duplicates, "groups", origins)
    }

    /// The duplicates among all games of some databases, which have `games` games together: from their
    /// [file](Duplicates::file), otherwise what `find` returns, which is then kept. `is_intact` is false if a database
    /// has changed, so that nothing may be kept.
    pub fn kept_or(
        file: Option<&KeptFile>,
        games: u32,
        is_intact: impl Fn() -> bool,
        find: impl FnOnce() -> Duplicates,
    ) -> Duplicates {
        let file = file.filter(|_| games >= FEWEST_GAMES);
        if let Some(kept) = file.and_then(|file| Duplicates::load(file, games)) {
            return kept;
        }
        let found = find();
        if let Some(file) = file.filter(|_| is_intact()) {
            found.save(file, is_intact);
        }
        found
    }

    fn load(file: &KeptFile, games: u32) -> Option<Duplicates> {
        let sections = file.load::<DuplicateSection>()?;
        let read = Duplicates::of_sections(&sections, games);
        if read.is_none() {
            log::debug!("{}: not used: its groups are wrong", file.path().display());
        }
        read
    }

    fn of_sections(sections: &Sections<DuplicateSection>, games: u32) -> Option<Duplicates> {
        let of_games = sections.all(DuplicateSection::Games).ok()?;
        let starts = sections.all(DuplicateSection::Starts).ok()?;
        let duplicates = of_games.chunks_exact(GAME).map(|bytes| {
            let reason = le_u32(bytes, 12)? as usize;
            Some(Duplicate {
                game: le_u32(bytes, 0).filter(|&game| game < games)?,
                plies: le_u32(bytes, 4)?,
                annotations: le_u32(bytes, 8)?,
                reason: match reason.checked_sub(1) {
                    None => None,
                    Some(place) => Some(*REASONS.get(place)?),
                },
            })
        });
        let duplicates = duplicates.collect::<Option<Vec<Duplicate>>>()?;
        let starts = starts.chunks_exact(4).map(|bytes| le_u32(bytes, 0));
        let starts = starts.collect::<Option<Vec<u32>>>()?;
        let are_groups = starts.first() == Some(&0)
            && starts.last().map(|&last| last as usize) == Some(duplicates.len())
            && starts.is_sorted_by(|a, b| a < b);
        (are_groups && !sections.is_lost()).then_some(Duplicates { duplicates, starts })
    }

    fn save(&self, file: &KeptFile, is_intact: impl Fn() -> bool) {
        let written = file.begin().and_then(|new| {
            let mut out = Output::File(new.file().try_clone()?);
            let numbers = self.write(&mut out, begin(new.key()))?;
            if is_intact() {
                new.keep(&numbers)
            } else {
                Err(io::Error::other("a database was changed while it was searched"))
            }
        });
        if let Err(error) = written {
            log::info!("cannot keep duplicates in {}: {error}", file.path().display());
        }
    }

    /// Writes the sections, from an offset on.
    fn write(&self, out: &mut Output, begin: u64) -> io::Result<Numbers> {
        let mut end = begin;
        for games in self.duplicates.chunks(PIECE) {
            let bytes = games.iter().flat_map(|duplicate| {
                let reason = REASONS
                    .iter()
                    .position(|&reason| Some(reason) == duplicate.reason);
                let reason = reason.map_or(0, |place| place as u32 + 1);
                let numbers = [duplicate.game, duplicate.plies, duplicate.annotations, reason];
                numbers.into_iter().flat_map(u32::to_le_bytes)
            });
            let bytes: Vec<u8> = bytes.collect();
            out.write_at(end, &bytes)?;
            end += bytes.len() as u64;
        }
        let starts: Vec<u8> = self.starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        let starts_at = next_page(end);
        out.write_at(starts_at, &starts)?;
        let mut numbers = Numbers::default();
        numbers.sections[DuplicateSection::Games.place()] = (begin, end - begin);
        numbers.sections[DuplicateSection::Starts.place()] = (starts_at, starts.len() as u64);
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::Space;

    fn sections(duplicates: &Duplicates) -> Sections<DuplicateSection> {
        let mut out = Output::Memory(Vec::new());
        let numbers = duplicates.write(&mut out, 0).unwrap();
        let Output::Memory(bytes) = out else {
            unreachable!()
        };
        Sections::in_memory(bytes, numbers)
    }

    fn duplicates() -> Duplicates {
        let duplicate = |game, reason| Duplicate {
            game,
            plies: 40 + game,
            annotations: game * 7,
            reason,
        };
        Duplicates {
            duplicates: vec![
                duplicate(0, None),
                duplicate(9, Some(Reason::Tags)),
                duplicate(2, None),
                duplicate(3, Some(Reason::Date)),
                duplicate(4, Some(Reason::Moves)),
                duplicate(5, Some(Reason::Shorter)),
            ],
            starts: vec![0, 2, 6],
        }
    }

    #[test]
    fn the_same_groups_come_back() {
        for one in [
            duplicates(),
            Duplicates {
                duplicates: Vec::new(),
                starts: vec![0],
            },
            Duplicates {
                duplicates: duplicates().duplicates.repeat(PIECE / 6 + 1),
                starts: vec![0, 6 * (PIECE as u32 / 6 + 1)],
            },
        ] {
            let read = Duplicates::of_sections(&sections(&one), 10).unwrap();
            assert_eq!((read.duplicates, read.starts), (one.duplicates, one.starts));
        }
    }

    #[test]
    fn they_are_kept_from_a_thousand_games_on() {
        for (games, is_kept) in [(999, false), (1000, true), (1001, true)] {
            let folder = tempfile::tempdir().unwrap();
            let files = KeptFiles::open(&folder.path().join("cache"), "", Space::default()).unwrap();
            let file = Duplicates::file(&files, &[SourceFiles::new("x", "format", "")]);
            let ask = |is_intact: bool, found: Duplicates| {
                Duplicates::kept_or(Some(&file), games, || is_intact, || found).groups()
            };
            // Nothing is kept for a database that has changed.
            assert_eq!(ask(false, duplicates()), 2);
            assert_eq!(ask(true, Duplicates::default()), 0);
            file.remove();
            assert_eq!(ask(true, duplicates()), 2);
            assert_eq!(ask(true, Duplicates::default()), if is_kept { 2 } else { 0 });
        }
    }

    #[test]
    fn wrong_groups_are_not_used() {
        assert!(Duplicates::of_sections(&sections(&duplicates()), 9).is_none());
        for starts in [vec![0, 2, 5], vec![0, 2, 2, 6], vec![1, 6], vec![0, 7]] {
            let wrong = Duplicates {
                starts,
                ..duplicates()
            };
            assert!(Duplicates::of_sections(&sections(&wrong), 10).is_none());
        }
    }
}
