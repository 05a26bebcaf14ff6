//! Duplicates in a [kept file](crate::kept), for the next search for them.
//!
//! The section of games has 16 bytes for each, in the order of the groups: its number, half-moves, annotations, and the
//! [`Reason`] by its number from 1, or 0 for the best game. The section of starts has the place of the first game of each
//! group, and the number of all, in 4 bytes.

use std::io;

use super::{Duplicate, Duplicates, Reason};
use crate::kept::{KeptFile, KeptFiles, KeptKind, Numbers, SectionId, Sections, SourceFiles};
use chessdb::bytes::le_u32;

/// Duplicates among fewer games are not kept: finding them again takes no longer than opening a file.
const FEWEST_GAMES: u32 = 1000;

/// Bytes of a game.
const GAME: usize = 16;

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

    fn sections(&self) -> Sections<DuplicateSection> {
        let mut games = Vec::with_capacity(GAME * self.duplicates.len());
        for duplicate in &self.duplicates {
            let reason = REASONS
                .iter()
                .position(|&reason| Some(reason) == duplicate.reason);
            let reason = reason.map_or(0, |place| place as u32 + 1);
            for number in [duplicate.game, duplicate.plies, duplicate.annotations, reason] {
                games.extend(number.to_le_bytes());
            }
        }
        let starts = self.starts.iter().flat_map(|start| start.to_le_bytes());
        let mut sections = Sections::in_memory(Vec::new(), Numbers::default());
        sections.append(DuplicateSection::Games, games);
        sections.append(DuplicateSection::Starts, starts.collect());
        sections
    }

    fn save(&self, file: &KeptFile, is_intact: impl Fn() -> bool) {
        let written = file.write(|file, key| {
            self.sections().write(file, key)?;
            if is_intact() {
                Ok(())
            } else {
                Err(io::Error::other("a database was changed while it was searched"))
            }
        });
        if let Err(error) = written {
            log::info!("cannot keep duplicates in {}: {error}", file.path().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::Space;

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
        ] {
            let read = Duplicates::of_sections(&one.sections(), 10).unwrap();
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
            // Nothing is kept of a database that has changed.
            assert_eq!(ask(false, duplicates()), 2);
            assert_eq!(ask(true, Duplicates::default()), 0);
            file.remove();
            assert_eq!(ask(true, duplicates()), 2);
            assert_eq!(ask(true, Duplicates::default()), if is_kept { 2 } else { 0 });
        }
    }

    #[test]
    fn wrong_groups_are_not_used() {
        assert!(Duplicates::of_sections(&duplicates().sections(), 9).is_none());
        for starts in [vec![0, 2, 5], vec![0, 2, 2, 6], vec![1, 6], vec![0, 7]] {
            let wrong = Duplicates {
                starts,
                ..duplicates()
            };
            assert!(Duplicates::of_sections(&wrong.sections(), 10).is_none());
        }
    }
}
