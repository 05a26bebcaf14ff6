//! Tables of all games whose rows are made when they are read: `games.csv` and `games.ndjson`.

use super::file::File;
use crate::fs::branch::BranchFs;
use crate::fs::failure::Failure;
use crate::fs::table::CombinedTables;
use crate::fs::table_sizes::SizedTable;
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
            let tables = CombinedTables::new(&parts, &branch.tables_of(&parts)?);
            for (table, sized) in [(Table::Csv, SizedTable::Csv), (Table::Ndjson, SizedTable::Ndjson)] {
                if !branch.files.sizes.record(branch, sized, tables.len(table)) {
                    return Err(branch.fail(Failure::Tags));
                }
            }
            Ok(tables)
        })
    }

    fn sized(&self) -> SizedTable {
        match self.1 {
            Table::Csv => SizedTable::Csv,
            Table::Ndjson => SizedTable::Ndjson,
        }
    }
}

impl File for TableFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.files.sizes.get(self.sized())
    }

    fn size(&self) -> Result<u64, FsError> {
        match self.0.files.sizes.find(self.0, self.sized()) {
            Some(size) => Ok(size),
            None => Ok(self.tables()?.len(self.1)),
        }
    }

    /// The size may be kept where the tables are not.
    fn wait(&self) -> Wait {
        Wait::Own.unless(self.0.files.combined.get().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (tables, parts) = (self.tables()?, self.0.named_parts());
        let bytes = tables.read(&parts, &self.0.tables_of(&parts)?, self.1, offset, size)?;
        Ok(bytes.into())
    }
}
