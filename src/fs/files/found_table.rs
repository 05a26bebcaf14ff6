//! The tags of some games as a table: `games.csv` of a position.

use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use super::{File, Wait};
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::sizes::Games;
use crate::fs::table::Tables;
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Node, Table};

/// Maximum number of tables that are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// The most recently used tables.
pub(in crate::fs) struct FoundTables(Mutex<LruCache<Node, Arc<Tables>>>);

impl FoundTables {
    pub(in crate::fs) fn new() -> FoundTables {
        FoundTables(Mutex::new(LruCache::sparse(MOST_KEPT)))
    }

    fn get(&self, file: Node) -> Option<Arc<Tables>> {
        let mut tables = self.0.lock();
        tables.get(&file).cloned()
    }

    fn put(&self, file: Node, table: &Arc<Tables>) {
        let mut tables = self.0.lock();
        tables.put(file, Arc::clone(table));
    }
}

/// The table of a node.
pub(super) struct FoundTable<'a> {
    database: &'a DatabaseFs,
    file: Node,
    games: Arc<[u32]>,
}

impl<'a> FoundTable<'a> {
    pub(super) fn new(database: &'a DatabaseFs, file: Node, games: Arc<[u32]>) -> FoundTable<'a> {
        FoundTable {
            database,
            file,
            games,
        }
    }

    /// The table. On first use, reads the tags of its games.
    fn tables(&self) -> Result<Arc<Tables>, FsError> {
        let database = self.database;
        if let Some(tables) = database.found_tables.get(self.file) {
            return Ok(tables);
        }
        let (digits, threads) = (database.tree.digits(), database.options.threads);
        let games = Games::Listed((&*self.games).into());
        let tables = Arc::new(Tables::new(database.entry(), games, digits, threads));
        database.texts().check()?;
        database.found_tables.put(self.file, &tables);
        Ok(tables)
    }
}

impl File for FoundTable<'_> {
    fn size_if_known(&self) -> Option<u64> {
        let tables = self.database.found_tables.get(self.file)?;
        Some(tables.len(Table::Csv))
    }

    fn size(&self) -> Result<u64, FsError> {
        Ok(self.tables()?.len(Table::Csv))
    }

    fn wait(&self) -> Wait {
        Wait::Own.unless(self.size_if_known().is_some())
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (database, games) = (self.database, Games::Listed((&*self.games).into()));
        let (entry, digits) = (database.entry(), database.tree.digits());
        let bytes = self
            .tables()?
            .read(entry, games, digits, Table::Csv, offset, size);
        Ok(bytes.ok_or_else(|| database.texts().fail(Failure::Tags))?.into())
    }
}
