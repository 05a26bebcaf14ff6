//! Files that are made when somebody first asks for them, and then kept: `info.txt`, `problems.txt`, documents,
//! tables.

use std::sync::{Arc, OnceLock};

use super::{File, Wait};
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
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

/// A file that is made as a whole.
pub(in crate::fs) trait Text {
    /// The text, where nothing has to be decoded or read for it.
    fn text_if_known(&self) -> Option<Arc<[u8]>>;

    /// The text.
    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.text_if_known().ok_or(FsError::Stale)
    }

    /// What has to be done before the text is known.
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
        let make = || database_info(self.0.entry()).into_bytes().into();
        Some(Arc::clone(self.0.made.info.get_or_init(make)))
    }
}

/// `problems.txt`, for which all games are decoded.
pub(super) struct Problems<'a>(pub(super) &'a DatabaseFs);

impl Text for Problems<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        if !self.0.sizes().are_complete() {
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
        if !self.0.sizes().are_complete() {
            self.0.know_sizes(Games::All(self.0.entry().database.len()));
        }
        self.text_if_known()
            .ok_or_else(|| self.0.texts().fail(Failure::Sizes))
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.0.sizes().are_complete())
    }
}

/// A document of the database's own.
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

    fn wait(&self) -> Wait {
        Wait::Own.unless(self.size_if_known().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (tables, digits) = (self.tables()?, self.0.tree.digits());
        let bytes = tables.read(self.0.entry(), digits, self.1, offset, size);
        Ok(bytes.ok_or_else(|| self.0.texts().fail(Failure::Tags))?.into())
    }
}
