//! Tables of all games whose rows are made when they are read: `games.csv` and `games.ndjson`.

use super::file::File;
use crate::fs::branch::BranchFs;
use crate::fs::table::CombinedTables;
use crate::fs::types::{Chunk, FsError};
use crate::tree::Table;
use chessdb_library::made::Wait;

/// `games.csv` or `games.ndjson`
pub(super) struct TableFile<'a>(pub(super) &'a BranchFs, pub(super) Table);

impl TableFile<'_> {
    /// The tables. On first use, makes those of every part.
    fn tables(&self) -> Result<&CombinedTables, FsError> {
        let branch = self.0;
        branch.files.combined.get_or_make(|| {
            let parts = branch.named_parts();
            Ok(CombinedTables::new(&parts, &branch.tables_of(&parts)?))
        })
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.0.files.combined.get()?;
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
