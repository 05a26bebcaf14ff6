//! Files that are generated on first use and then kept: `info.txt`, `problems.txt`, documents, tables.

use std::sync::{Arc, Mutex, OnceLock};

use super::{File, Wait};
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::info::{database_info, problem_rows};
use crate::fs::sizes::Games;
use crate::fs::table::{DuplicatesTable, Found, ParquetTable, Part, Tables};
use crate::fs::types::{Chunk, FsError};
use crate::tree::Table;
use chessdb_library::library::document_text;

/// The generated files of a database.
#[derive(Default)]
pub(in crate::fs) struct Made {
    info: OnceLock<Arc<[u8]>>,
    problems: OnceLock<Arc<[u8]>>,
    pub(super) overview: OnceLock<Arc<[u8]>>,
    /// Held by the request that counts for the overview; others wait for it.
    pub(super) overview_turn: Mutex<()>,
    documents: Vec<OnceLock<Arc<[u8]>>>,
    tables: OnceLock<Tables>,
    parquet: OnceLock<ParquetTable>,
    duplicates: OnceLock<DuplicatesTable>,
}

impl Made {
    /// An empty set for a database with `documents` documents.
    pub(in crate::fs) fn new(documents: usize) -> Made {
        Made {
            documents: (0..documents).map(|_| OnceLock::new()).collect(),
            ..Made::default()
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
pub(super) struct Info<'a>(pub(super) &'a DatabaseFs);

impl Text for Info<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        match self.0.entry().is_described() {
            true => self.text().ok(),
            false => self.0.made.info.get().cloned(),
        }
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.0.info().cloned()
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.0.entry().is_described())
    }
}

impl DatabaseFs {
    /// `info.txt`. A source that may not answer is not checked: everything in the text is known since it was opened.
    pub(in crate::fs) fn info(&self) -> Result<&Arc<[u8]>, FsError> {
        if let Some(text) = self.made.info.get() {
            return Ok(text);
        }
        let text = database_info(self.entry(), self.lacks_positions())
            .into_bytes()
            .into();
        if self.texts().remote().is_none() {
            self.texts().check()?;
        }
        Ok(self.made.info.get_or_init(|| text))
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

/// A table of all games.
pub(super) struct TableFile<'a>(pub(super) &'a DatabaseFs, pub(super) Table);

impl DatabaseFs {
    /// The tables; on first use reads the tags of all games.
    pub(in crate::fs) fn tables(&self) -> Result<&Tables, FsError> {
        if let Some(tables) = self.made.tables.get() {
            return Ok(tables);
        }
        let (games, digits) = (Games::All(self.entry().database.len()), self.tree.digits());
        let tables = Tables::new(self.entry(), games, digits, self.options.threads);
        self.texts().check()?;
        Ok(self.made.tables.get_or_init(|| tables))
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.0.made.tables.get()?;
        Some(tables.len(self.1))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.0.tables()?.len(self.1))
    }

    fn wait(&self) -> Wait {
        Wait::Own.unless(self.size_if_known().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (database, tables) = (self.0, self.0.tables()?);
        let (games, digits) = (
            Games::All(database.entry().database.len()),
            database.tree.digits(),
        );
        let bytes = tables.read(database.entry(), games, digits, self.1, offset, size);
        Ok(bytes.ok_or_else(|| self.0.texts().fail(Failure::Tags))?.into())
    }
}

/// `games.parquet`
pub(super) struct ParquetFile<'a>(pub(super) &'a DatabaseFs);

impl ParquetFile<'_> {
    /// The table, after it was made once.
    fn table(&self) -> Result<&ParquetTable, FsError> {
        let database = self.0;
        if let Some(table) = database.made.parquet.get() {
            return Ok(table);
        }
        let others = database.tables()?.others();
        let table = ParquetTable::new(&[Part::of(database)], others, database.options.threads)?;
        Ok(database.made.parquet.get_or_init(|| table))
    }
}

impl File for ParquetFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.made.parquet.get().map(ParquetTable::len)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.table()?.len())
    }

    /// A group of rows has to be made even if the size is known.
    fn wait(&self) -> Wait {
        Wait::Own
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let threads = self.0.options.threads;
        let bytes = self.table()?.read(&[Part::of(self.0)], offset, size, threads)?;
        Ok(bytes.into())
    }
}

/// `duplicates.csv`. The main lines of all games must be decoded for it.
pub(super) struct DuplicatesFile<'a>(pub(super) &'a DatabaseFs);

impl DuplicatesFile<'_> {
    /// The table, after it was made once.
    fn table(&self) -> Result<&DuplicatesTable, FsError> {
        let made = &self.0.made.duplicates;
        if let Some(table) = made.get() {
            return Ok(table);
        }
        let table = self.with_found(|found| DuplicatesTable::new(found, self.0.options.threads))?;
        Ok(made.get_or_init(|| table))
    }

    fn with_found<T>(&self, then: impl FnOnce(&Found<'_>) -> T) -> T {
        let part = Part::of(self.0);
        then(&Found {
            duplicates: part.database.tree.common().duplicates(),
            parts: &[part],
            place_of: &|game| (0, game),
        })
    }
}

impl File for DuplicatesFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.made.duplicates.get().map(DuplicatesTable::len)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.table()?.len())
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.size_if_known().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let table = self.table()?;
        Ok(self.with_found(|found| table.read(found, offset, size))?.into())
    }
}
