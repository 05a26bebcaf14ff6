//! Files that are generated on first use and then kept: `info.txt`, `problems.txt`, documents, tables.

use std::sync::Arc;

use super::file::{File, Text};
use crate::fs::branch::BranchFs;
use crate::fs::database::DatabaseFs;
use crate::fs::info::problem_rows;
use crate::fs::types::{Chunk, Failure, FsError};
use crate::tree::{Games, Node, Section};
use chessdb_library::made::Wait;

/// `info.txt`
pub(super) struct InfoFile<'a>(pub(super) &'a BranchFs);

impl Text for InfoFile<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.info_if_known()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info()
    }

    fn wait_to_read(&self) -> Wait {
        let is_known = match self.0.own_database() {
            Some(own) => own.served_entry().is_counted() || self.0.files.info.get().is_some(),
            None => self.text_if_known().is_some(),
        };
        Wait::Common.unless(is_known)
    }
}

/// A file with the text that its section generates, such as `moves.csv` or a document.
pub(super) struct SectionText<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) section: &'a dyn Section,
    pub(super) file: Node,
}

impl Text for SectionText<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.branch.files.texts.get(&self.file)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let (branch, section) = (self.branch, self.section);
        branch.files.texts.get_or_make(self.file, || {
            let text = section.text(self.file);
            if section.is_unavailable() {
                return Err(branch.fail_without_index());
            }
            let text = text.ok_or(FsError::Stale)?;
            branch.check(None).map(|()| text.into_bytes().into())
        })
    }
}

/// `problems.txt`. Making it decodes all games that are shown.
pub(super) struct Problems<'a> {
    branch: &'a BranchFs,
    database: &'a DatabaseFs,
}

impl Problems<'_> {
    /// The problems of a branch with one database; `None` with several.
    pub(super) fn new(branch: &BranchFs) -> Option<Problems<'_>> {
        let database = branch.only_database()?;
        Some(Problems { branch, database })
    }

    /// The games, if these are not all of the database.
    fn games(&self) -> Option<Games<'_>> {
        let branch = self.branch.game_set();
        branch.is_filtered().then(|| branch.games_of(0))
    }

    fn determine(&self) {
        match self.games() {
            Some(games) if !self.database.sizes().are_stored() => self.database.determine_sizes(&games),
            _ => self.database.determine_problems(),
        }
    }
}

impl Text for Problems<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        if Text::wait_to_read(self) != Wait::None {
            return None;
        }
        self.branch.check_answer().ok()?;
        let problems = self.branch.files.problems.get_or(|| {
            let (database, games) = (self.database, self.games());
            let own = match games {
                None => database.served_entry().problems(),
                Some(_) => Vec::new(),
            };
            let is_shown = |game| games.as_ref().is_none_or(|games| games.position(game).is_some());
            let rows = problem_rows(&own, database.sizes(), is_shown, database.indexed().digits());
            rows.into_bytes().into()
        });
        Some(Arc::clone(problems))
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if Text::wait_to_read(self) != Wait::None {
            self.determine();
        }
        self.branch.check_answer()?;
        let text = self.text_if_known();
        text.ok_or_else(|| self.database.texts().fail(Failure::Sizes))
    }

    fn wait_to_read(&self) -> Wait {
        let sizes = self.database.sizes();
        let have_some =
            || !sizes.are_stored() && self.games().is_some_and(|games| sizes.sum(&games).is_some());
        Wait::Common
            .unless(self.branch.files.problems.get().is_some() || sizes.have_problems() || have_some())
    }
}

/// A member of a database.
pub(super) struct RawFile<'a> {
    pub(super) database: &'a DatabaseFs,
    pub(super) member: u32,
    pub(super) size: u64,
}

impl File for RawFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        Some(self.size)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.size)
    }

    fn wait_to_read(&self) -> Wait {
        Wait::None
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (entry, member) = (self.database.served_entry(), self.member);
        let wanted = self.size.saturating_sub(offset).min(u64::from(size));
        let mut bytes =
            vec![0; usize::try_from(wanted).map_err(|_| FsError::Io(Failure::Member(member, offset)))?];
        let mut filled = 0;
        while filled < bytes.len() {
            let rest = bytes.get_mut(filled..).unwrap_or_default();
            let at = offset + filled as u64;
            let read = entry.database.as_files().read_member(member as usize, at, rest);
            match read {
                Ok(more) if more > 0 => filled += more,
                end => {
                    log::debug!("{}: file {member} in it: {end:?}", entry.name());
                    return Err(self.database.texts().fail(Failure::Member(member, at)));
                }
            }
        }
        self.database.texts().check()?;
        Ok(bytes.into())
    }
}
