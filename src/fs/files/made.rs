//! Files that are made as a whole when somebody first asks for them, and then kept: `info.txt`, `problems.txt`,
//! documents, tables.

use std::sync::{Arc, OnceLock};

use super::File;
use crate::fs::database::DatabaseFs;
use crate::fs::info::{database_info, problem_rows};
use crate::fs::sizes::Games;
use crate::fs::table::Tables;
use crate::fs::types::{Chunk, FsError};
use crate::library::document_text;
use crate::tree::Table;

/// What was made of such files.
#[derive(Default)]
pub(in crate::fs) struct Made {
    info: OnceLock<Arc<[u8]>>,
    problems: OnceLock<Arc<[u8]>>,
    documents: Vec<OnceLock<Arc<[u8]>>>,
    tables: OnceLock<Tables>,
}

impl Made {
    /// Nothing yet, for a database with so many documents.
    pub(in crate::fs) fn new(documents: usize) -> Made {
        Made {
            documents: (0..documents).map(|_| OnceLock::new()).collect(),
            ..Made::default()
        }
    }
}

/// `info.txt`
pub(super) struct Info<'a>(pub(super) &'a DatabaseFs);

impl Info<'_> {
    fn text(&self) -> &Arc<[u8]> {
        let make = || database_info(self.0.entry()).into_bytes().into();
        self.0.made.info.get_or_init(make)
    }
}

impl File for Info<'_> {
    fn size_if_known(&self) -> Option<u64> {
        Some(self.text().len() as u64)
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.text().len() as u64)
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(Arc::clone(self.text()), offset, size))
    }

    fn may_wait(&self) -> bool {
        false
    }
}

/// `problems.txt`, for which all games are decoded.
pub(super) struct Problems<'a>(pub(super) &'a DatabaseFs);

impl Problems<'_> {
    fn text(&self) -> Result<&Arc<[u8]>, FsError> {
        let database = self.0;
        if !database.sizes().are_complete() {
            database.know_sizes(Games::All(database.entry().database.len()));
        }
        if !database.sizes().are_complete() {
            return Err(FsError::Io);
        }
        Ok(database.made.problems.get_or_init(|| {
            let own = database.entry().database.problems();
            let rows = problem_rows(own, database.sizes(), database.tree.digits());
            rows.into_bytes().into()
        }))
    }
}

impl File for Problems<'_> {
    fn size_if_known(&self) -> Option<u64> {
        (!self.may_wait()).then(|| self.size().ok())?
    }

    fn size(&self) -> Result<u64, FsError> {
        self.text().map(|text| text.len() as u64)
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(Arc::clone(self.text()?), offset, size))
    }

    fn may_wait(&self) -> bool {
        !self.0.sizes().are_complete()
    }
}

/// A document of the database's own.
pub(super) struct Document<'a>(pub(super) &'a DatabaseFs, pub(super) u32);

impl Document<'_> {
    fn kept(&self) -> Option<&OnceLock<Arc<[u8]>>> {
        self.0.made.documents.get(self.1 as usize)
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let kept = self.kept().ok_or(FsError::Stale)?;
        if let Some(text) = kept.get() {
            return Ok(Arc::clone(text));
        }
        let text = document_text(self.0.entry(), self.1).into();
        self.0.texts().check()?;
        Ok(Arc::clone(kept.get_or_init(|| text)))
    }
}

impl File for Document<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.kept()?.get().map(|text| text.len() as u64)
    }

    fn size(&self) -> Result<u64, FsError> {
        self.text().map(|text| text.len() as u64)
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(self.text()?, offset, size))
    }
}

/// A table of all games.
pub(super) struct TableFile<'a>(pub(super) &'a DatabaseFs, pub(super) Table);

impl TableFile<'_> {
    /// The tables, after a look through the tags of all games.
    fn tables(&self) -> Result<&Tables, FsError> {
        let database = self.0;
        if let Some(tables) = database.made.tables.get() {
            return Ok(tables);
        }
        let tables = Tables::new(database.entry(), database.tree.digits(), database.options.threads);
        database.texts().check()?;
        Ok(database.made.tables.get_or_init(|| tables))
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.0.made.tables.get()?;
        Some(tables.len(self.1))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.len(self.1))
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (tables, digits) = (self.tables()?, self.0.tree.digits());
        Ok(tables.read(self.0.entry(), digits, self.1, offset, size)?.into())
    }
}
