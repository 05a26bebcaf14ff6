//! Tables of all games whose rows are made when they are read: `games.csv` and `games.ndjson`.

use std::sync::Arc;

use super::file::File;
use super::file_cache::SizedTable;
use crate::fs::branch::BranchFs;
use crate::fs::part::PartFs;
use crate::fs::table::{CombinedTables, Tables, TablesOfGames};
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Games, GamesOfPart, Node, Table};
use chessdb_library::made::Wait;

/// `games.csv` or `games.ndjson`
pub(super) struct TableFile<'a>(pub(super) &'a BranchFs, pub(super) Table);

impl TableFile<'_> {
    /// The tables. On first use, makes the tables of every part.
    fn tables(&self) -> Result<&CombinedTables, FsError> {
        let branch = self.0;
        branch.files.combined.get_or_make(|| {
            let parts = branch.named_parts();
            let tables = CombinedTables::new(&parts, &branch.tables_of(&parts)?);
            branch.record_size(SizedTable::Csv, tables.len(Table::Csv))?;
            branch.record_size(SizedTable::Ndjson, tables.len(Table::Ndjson))?;
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
        self.0.known_size(self.sized())
    }

    fn size(&self) -> Result<u64, FsError> {
        self.0.size_of(self.sized(), || Ok(self.tables()?.len(self.1)))
    }

    /// A kept size answers requests for the size without making the tables.
    fn wait_to_read(&self) -> Wait {
        Wait::Own.unless(self.0.files.combined.get().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (tables, parts) = (self.tables()?, self.0.named_parts());
        let bytes = tables.read(&parts, &self.0.tables_of(&parts)?, self.1, offset, size)?;
        Ok(bytes.into())
    }
}

/// The tags of some games as a table.
pub(super) struct TableOfGames<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) file: Node,
    pub(super) games: Games<'a>,
}

impl TableOfGames<'_> {
    fn parts(&self) -> Vec<PartFs<'_>> {
        let branch = self.branch;
        let parts = branch.named_parts();
        let found = self.games.by_part(branch.game_set()).into_iter();
        found
            .filter_map(|GamesOfPart { part, games, .. }| {
                let part = parts.get(part)?.clone();
                Some(PartFs { games, ..part })
            })
            .collect()
    }

    fn kept(&self) -> Option<Arc<TablesOfGames>> {
        self.branch.files.tables_of_games.get(&self.file)
    }

    /// The tables. On first use, reads the tags of the games.
    fn tables(&self) -> Result<Arc<TablesOfGames>, FsError> {
        let branch = self.branch;
        branch.files.tables_of_games.get_or_make(self.file, || {
            let parts = self.parts();
            let own = parts.iter().map(|part| part.new_tables(branch.threads()));
            let own = own.collect::<Result<Vec<_>, _>>()?;
            let all = CombinedTables::new(&parts, &own.iter().collect::<Vec<_>>());
            Ok(Arc::new(TablesOfGames { own, all }))
        })
    }
}

impl File for TableOfGames<'_> {
    fn size_if_known(&self) -> Option<u64> {
        Some(self.kept()?.all.len(Table::Csv))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.all.len(Table::Csv))
    }

    fn wait_to_read(&self) -> Wait {
        Wait::Own.unless(self.kept().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let tables = self.tables()?;
        let own: Vec<&Tables> = tables.own.iter().collect();
        let bytes = tables.all.read(&self.parts(), &own, Table::Csv, offset, size)?;
        Ok(bytes.into())
    }
}
