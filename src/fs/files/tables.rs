//! Tables of all games: `games.csv`, `games.ndjson`, `games.parquet` and `duplicates.csv`.

use std::collections::BTreeSet;

use super::{File, Wait};
use crate::fs::branch::BranchFs;
use crate::fs::table::{CombinedTables, DuplicatesTable, Found, ParquetTable};
use crate::fs::types::{Chunk, FsError};
use crate::tree::Table;

/// `games.csv` or `games.ndjson`
pub(super) struct TableFile<'a>(pub(super) &'a BranchFs, pub(super) Table);

impl TableFile<'_> {
    /// The tables. On first use, makes those of every part.
    fn tables(&self) -> Result<&CombinedTables, FsError> {
        let branch = self.0;
        if let Some(tables) = branch.made.combined.get() {
            return Ok(tables);
        }
        let parts = branch.named_parts();
        let tables = CombinedTables::new(&parts, &branch.tables_of(&parts)?);
        Ok(branch.made.combined.get_or_init(|| tables))
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.0.made.combined.get()?;
        Some(tables.len(self.1))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.len(self.1))
    }

    fn wait(&self) -> Wait {
        Wait::Own.unless(self.size_if_known().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (tables, parts) = (self.tables()?, self.0.named_parts());
        let bytes = tables.read(&parts, &self.0.tables_of(&parts)?, self.1, offset, size)?;
        Ok(bytes.into())
    }
}

/// `games.parquet`
pub(super) struct ParquetFile<'a>(pub(super) &'a BranchFs);

impl ParquetFile<'_> {
    /// The table, made on first use.
    fn table(&self) -> Result<&ParquetTable, FsError> {
        let branch = self.0;
        if let Some(table) = branch.made.parquet.get() {
            return Ok(table);
        }
        let parts = branch.named_parts();
        let mut others = BTreeSet::new();
        for tables in branch.tables_of(&parts)? {
            others.extend(tables.others().iter().cloned());
        }
        let table = ParquetTable::new(&parts, &others, branch.threads())?;
        Ok(branch.made.parquet.get_or_init(|| table))
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
        let (table, branch) = (self.table()?, self.0);
        let bytes = table.read(&branch.named_parts(), offset, size, branch.threads())?;
        Ok(bytes.into())
    }
}

/// `duplicates.csv`. The main lines of all games must be decoded for it.
pub(super) struct DuplicatesFile<'a>(pub(super) &'a BranchFs);

impl DuplicatesFile<'_> {
    /// The table, made on first use.
    fn table(&self) -> Result<&DuplicatesTable, FsError> {
        let made = &self.0.made.duplicates;
        if let Some(table) = made.get() {
            return Ok(table);
        }
        let table = self.with_found(|found| DuplicatesTable::new(found, self.0.threads()))?;
        Ok(made.get_or_init(|| table))
    }

    fn with_found<T>(&self, then: impl FnOnce(&Found<'_>) -> T) -> T {
        let branch = self.0;
        then(&Found {
            duplicates: branch.branch().duplicates(),
            parts: &branch.parts(),
            branch: branch.branch(),
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
