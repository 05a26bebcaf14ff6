//! Files that are generated on first use and then kept: `info.txt`, `problems.txt`, documents, tables.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::found::{FoundGames, FoundTables};
use super::{File, Wait};
use crate::fs::branch::{Branch, Part};
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::info::problem_rows;
use crate::fs::object::At;
use crate::fs::table::{CombinedTables, DuplicatesTable, ParquetTable, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::Node;
use chessdb_library::library::document_text;
use chessdb_library::recent::Recent;

/// Maximum number of files of joined games, and of lists of games, that are kept.
const MOST_LISTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Maximum number of tables of found games that are kept.
const MOST_TABLES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// Maximum number of texts of sections that are kept.
const MOST_TEXTS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// What is kept of the files of a branch.
pub(in crate::fs) struct Made {
    pub(in crate::fs) info: OnceLock<Arc<[u8]>>,
    problems: OnceLock<Arc<[u8]>>,
    pub(super) overview: OnceLock<Arc<[u8]>>,
    /// Held by the request that counts for the overview; others wait for it.
    pub(super) overview_turn: Mutex<()>,
    documents: Vec<OnceLock<Arc<[u8]>>>,
    /// The tables of all games of a database, as it stores them.
    tables: OnceLock<Tables>,
    /// The tables of each part, where these are others.
    pub(in crate::fs) tables_of_parts: OnceLock<Vec<Tables>>,
    pub(super) combined: OnceLock<CombinedTables>,
    pub(super) parquet: OnceLock<ParquetTable>,
    pub(super) duplicates: OnceLock<DuplicatesTable>,
    texts: Recent<Node, Arc<[u8]>>,
    pub(super) found_games: Recent<Node, Arc<FoundGames>>,
    pub(super) found_tables: Recent<Node, Arc<FoundTables>>,
    /// Offset at which each part of a file ends.
    pub(super) ends: Recent<Node, Arc<[u64]>>,
}

impl Made {
    /// Nothing, of a branch with `documents` documents.
    pub(in crate::fs) fn new(documents: usize) -> Made {
        Made {
            info: OnceLock::new(),
            problems: OnceLock::new(),
            overview: OnceLock::new(),
            overview_turn: Mutex::new(()),
            documents: (0..documents).map(|_| OnceLock::new()).collect(),
            tables: OnceLock::new(),
            tables_of_parts: OnceLock::new(),
            combined: OnceLock::new(),
            parquet: OnceLock::new(),
            duplicates: OnceLock::new(),
            texts: Recent::new(MOST_TEXTS),
            found_games: Recent::new(MOST_LISTS),
            found_tables: Recent::new(MOST_TABLES),
            ends: Recent::new(MOST_LISTS),
        }
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
pub(super) struct Info<'a>(pub(super) &'a dyn Branch);

impl Text for Info<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.info_if_known()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info()
    }

    fn wait(&self) -> Wait {
        let is_described = |database: &DatabaseFs| database.entry().is_described();
        let is_known = match self.0.database() {
            Some(database) => is_described(database) || self.0.made().info.get().is_some(),
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
        branch.made().texts.get(&node)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let At {
            branch,
            section,
            node,
        } = self.0;
        branch.made().texts.get_or_make(node, || {
            let text = section.text(node);
            if section.is_unavailable() {
                return Err(branch.fail_without_index());
            }
            let text = text.ok_or(FsError::Stale)?;
            branch.check(None).map(|()| text.into_bytes().into())
        })
    }
}

/// `problems.txt`. All games must be decoded for it.
pub(super) struct Problems<'a>(pub(super) &'a DatabaseFs);

impl Text for Problems<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        if !self.0.sizes().have_problems() {
            return None;
        }
        let problems = self.0.made.problems.get_or_init(|| {
            let own = self.0.entry().database.problems();
            let rows = problem_rows(own, self.0.sizes(), self.0.tree.digits());
            rows.into_bytes().into()
        });
        Some(Arc::clone(problems))
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if !self.0.sizes().have_problems() {
            self.0.know_problems();
        }
        self.text_if_known()
            .ok_or_else(|| self.0.texts().fail(Failure::Sizes))
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.0.sizes().have_problems())
    }
}

/// A document that the database provides, by its number.
pub(super) struct Document<'a>(pub(super) &'a DatabaseFs, pub(super) u32);

impl Document<'_> {
    fn kept(&self) -> Option<&OnceLock<Arc<[u8]>>> {
        self.0.made.documents.get(self.1 as usize)
    }
}

impl Text for Document<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.kept()?.get().cloned()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let text = document_text(self.0.entry(), self.1).into();
        self.0.texts().check()?;
        let kept = self.kept().ok_or(FsError::Stale)?;
        Ok(Arc::clone(kept.get_or_init(|| text)))
    }
}

impl DatabaseFs {
    /// The tables of all games; on first use reads their tags.
    pub(in crate::fs) fn tables(&self) -> Result<&Tables, FsError> {
        if let Some(tables) = self.made.tables.get() {
            return Ok(tables);
        }
        let tables = Part::of(self).new_tables(self.options.threads)?;
        Ok(self.made.tables.get_or_init(|| tables))
    }
}
