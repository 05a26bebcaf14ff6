//! Files that are generated on first use and then kept: `info.txt`, `problems.txt`, documents, tables.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{File, TablesOfGames, Wait, WholeTable};
use crate::fs::branch::BranchFs;
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::info::problem_rows;
use crate::fs::object::At;
use crate::fs::table::{CombinedTables, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Games, Node};
use chessdb_library::library::document_text;
use chessdb_library::made::Made;
use chessdb_library::recent::Recent;

/// Maximum number of files of joined games whose parts' ends are kept.
const MOST_LISTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Maximum number of tables of some games that are kept.
const MOST_TABLES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// Maximum number of documents and of texts of sections that are kept.
const MOST_TEXTS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// What is kept of the files of a branch.
pub(in crate::fs) struct BranchFiles {
    pub(in crate::fs) info: Made<Arc<[u8]>>,
    problems: Made<Arc<[u8]>>,
    pub(super) overview: Made<Arc<[u8]>>,
    /// The tables of each part, where these are not the tables of its database.
    pub(in crate::fs) tables_of_parts: Made<Vec<Tables>>,
    pub(super) combined: Made<CombinedTables>,
    pub(super) parquet: WholeTable,
    pub(super) duplicates: WholeTable,
    texts: Recent<Node, Arc<[u8]>>,
    pub(super) tables_of_games: Recent<Node, Arc<TablesOfGames>>,
    /// Offset at which each part of a file ends.
    pub(super) ends: Recent<Node, Arc<[u64]>>,
}

impl BranchFiles {
    /// Nothing.
    pub(in crate::fs) fn new() -> BranchFiles {
        BranchFiles {
            info: Made::new(),
            problems: Made::new(),
            overview: Made::new(),
            tables_of_parts: Made::new(),
            combined: Made::new(),
            parquet: WholeTable::new(),
            duplicates: WholeTable::new(),
            texts: Recent::new(MOST_TEXTS),
            tables_of_games: Recent::new(MOST_TABLES),
            ends: Recent::new(MOST_LISTS),
        }
    }
}

impl BranchFiles {
    /// The memory that it takes, in bytes.
    pub(in crate::fs) fn bytes(&self) -> usize {
        let texts = [&self.info, &self.problems, &self.overview];
        let texts: usize = texts
            .map(|text| text.get().map_or(0, |text| text.len()))
            .iter()
            .sum();
        let tables = self.tables_of_parts.get().into_iter().flatten();
        texts
            + tables.map(Tables::bytes).sum::<usize>()
            + self.parquet.memory()
            + self.duplicates.memory()
            + self.texts.sum(|text| text.len())
            + self.tables_of_games.sum(|tables| tables.bytes())
            + self.ends.sum(|ends| size_of_val(&**ends))
    }
}

/// A file that is generated as a whole.
pub(in crate::fs) trait Text {
    /// The text, if nothing has to be decoded or read for it.
    fn text_if_known(&self) -> Option<Arc<[u8]>>;

    /// The text.
    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.text_if_known().ok_or(FsError::Stale)
    }

    /// The work that must be done before the text is known.
    fn wait(&self) -> Wait {
        Wait::Own.unless(self.text_if_known().is_some())
    }
}

impl<T: Text> File for T {
    fn size_if_known(&self) -> Option<u64> {
        self.text_if_known().map(|text| text.len() as u64)
    }

    fn size(&self) -> Result<u64, FsError> {
        self.text().map(|text| text.len() as u64)
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(self.text()?, offset, size))
    }

    fn wait(&self) -> Wait {
        Text::wait(self)
    }
}

/// `info.txt`
pub(super) struct InfoFile<'a>(pub(super) &'a BranchFs);

impl Text for InfoFile<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.info_if_known()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info()
    }

    fn wait(&self) -> Wait {
        let is_known = match self.0.own_database() {
            Some(own) => own.entry().is_described() || self.0.files.info.get().is_some(),
            None => self.text_if_known().is_some(),
        };
        Wait::Common.unless(is_known)
    }
}

/// A file with the text that its section generates, such as `moves.csv`.
pub(super) struct Own<'a>(pub(super) At<'a>);

impl Text for Own<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        let At { branch, node, .. } = self.0;
        branch.files.texts.get(&node)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let At {
            branch,
            section,
            node,
        } = self.0;
        branch.files.texts.get_or_make(node, || {
            let text = section.text(node);
            if section.is_unavailable() {
                return Err(branch.fail_without_index());
            }
            let text = text.ok_or(FsError::Stale)?;
            branch.check(None).map(|()| text.into_bytes().into())
        })
    }
}

/// `problems.txt`. All games that are shown must be decoded for it.
pub(super) struct Problems<'a> {
    branch: &'a BranchFs,
    database: &'a DatabaseFs,
}

impl Problems<'_> {
    /// The problems of the only database of a branch. `None` if it has several.
    pub(super) fn new(branch: &BranchFs) -> Option<Problems<'_>> {
        let database = branch.only_database()?;
        Some(Problems { branch, database })
    }

    /// The games, if these are not all of the database.
    fn games(&self) -> Option<Games<'_>> {
        let branch = self.branch.branch();
        branch.is_filtered().then(|| branch.games_of(0))
    }

    fn are_known(&self) -> bool {
        let sizes = self.database.sizes();
        let have_some =
            || !sizes.are_stored() && self.games().is_some_and(|games| sizes.sum(&games).is_some());
        self.branch.files.problems.get().is_some() || sizes.have_problems() || have_some()
    }

    fn know(&self) {
        match self.games() {
            Some(games) if !self.database.sizes().are_stored() => self.database.know_sizes(&games),
            _ => self.database.know_problems(),
        }
    }
}

impl Text for Problems<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        if !self.are_known() {
            return None;
        }
        self.branch.check_answer().ok()?;
        let problems = self.branch.files.problems.get_or(|| {
            let (database, games) = (self.database, self.games());
            let own = match games {
                None => database.entry().problems(),
                Some(_) => Vec::new(),
            };
            let is_shown = |game| games.as_ref().is_none_or(|games| games.position(game).is_some());
            let rows = problem_rows(&own, database.sizes(), is_shown, database.indexed().digits());
            rows.into_bytes().into()
        });
        Some(Arc::clone(problems))
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if !self.are_known() {
            self.know();
        }
        self.branch.check_answer()?;
        let text = self.text_if_known();
        text.ok_or_else(|| self.database.texts().fail(Failure::Sizes))
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.are_known())
    }
}

/// A document that a database provides, by its number.
pub(super) struct Document<'a> {
    pub(super) at: At<'a>,
    pub(super) database: &'a DatabaseFs,
    pub(super) number: u32,
}

impl Text for Document<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.at.branch.files.texts.get(&self.at.node)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.at.branch.files.texts.get_or_make(self.at.node, || {
            let text = document_text(self.database.entry(), self.number);
            self.database.texts().check().map(|()| text.into())
        })
    }
}
