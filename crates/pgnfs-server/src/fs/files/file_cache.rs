//! A cache of the files of a branch.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::fs::table::{CombinedTables, Tables, TablesOfGames};
use crate::tree::Node;
use chessdb_library::kept::{KeptFile, Sections, WholeFile};
use chessdb_library::made::Made;
use chessdb_library::once_lru::OnceLru;

/// Maximum number of files of joined games whose parts' ends are kept.
const MOST_LISTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Maximum number of tables of some games that are kept.
const MOST_TABLES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// Maximum number of documents and of texts of sections that are kept.
const MOST_TEXTS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// A cache of the files of a branch.
pub(in crate::fs) struct BranchFiles {
    pub(in crate::fs) info: Made<Arc<[u8]>>,
    pub(super) problems: Made<Arc<[u8]>>,
    pub(super) overview: Made<Arc<[u8]>>,
    /// The tables of each part, where these are not the tables of its database.
    pub(in crate::fs) tables_of_parts: Made<Vec<Tables>>,
    pub(super) combined: Made<CombinedTables>,
    pub(in crate::fs) sizes: TableSizes,
    pub(super) parquet: WholeTable,
    pub(super) duplicates: WholeTable,
    pub(super) texts: OnceLru<Node, Arc<[u8]>>,
    pub(super) tables_of_games: OnceLru<Node, Arc<TablesOfGames>>,
    /// Where each part of a file ends.
    pub(super) ends: OnceLru<Node, Arc<[u64]>>,
}

impl BranchFiles {
    /// An empty cache.
    pub(in crate::fs) fn new() -> BranchFiles {
        BranchFiles {
            info: Made::new(),
            problems: Made::new(),
            overview: Made::new(),
            tables_of_parts: Made::new(),
            combined: Made::new(),
            sizes: TableSizes::new(),
            parquet: WholeTable::new(),
            duplicates: WholeTable::new(),
            texts: OnceLru::new(MOST_TEXTS),
            tables_of_games: OnceLru::new(MOST_TABLES),
            ends: OnceLru::new(MOST_LISTS),
        }
    }

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

/// The state of a table that is made as a whole: `games.parquet` or `duplicates.csv`.
pub(super) struct WholeTable {
    /// One value, until it is damaged.
    pub(super) bytes: OnceLru<(), Arc<Sections<WholeFile>>>,
    /// Its kept file, which a database removes when it can no longer be trusted.
    pub(super) kept: Mutex<Option<Arc<KeptFile>>>,
}

impl WholeTable {
    pub(super) fn new() -> WholeTable {
        WholeTable {
            bytes: OnceLru::new(NonZeroUsize::MIN),
            kept: Mutex::default(),
        }
    }

    /// The memory that it takes, in bytes, if it is not in a file. A table that is still being made counts later.
    pub(super) fn memory(&self) -> usize {
        self.bytes.sum(|bytes| bytes.memory())
    }
}

/// A table whose size is kept.
#[derive(Clone, Copy, Debug)]
pub(in crate::fs) enum SizedTable {
    Csv,
    Ndjson,
    Parquet,
    Duplicates,
    Overview,
}

/// Number of [`SizedTable`]s.
const TABLES: usize = SizedTable::Overview as usize + 1;

/// The sizes of the tables of a branch.
pub(in crate::fs) struct TableSizes {
    /// By [`SizedTable`].
    pub(in crate::fs) known: [OnceLock<u64>; TABLES],
    /// Set once the kept sizes are among the known ones.
    pub(in crate::fs) are_read: OnceLock<()>,
    /// Their kept file, which a database removes when it can no longer be trusted.
    pub(in crate::fs) kept: Mutex<Option<Arc<KeptFile>>>,
}

impl TableSizes {
    fn new() -> TableSizes {
        TableSizes {
            known: [const { OnceLock::new() }; TABLES],
            are_read: OnceLock::new(),
            kept: Mutex::default(),
        }
    }
}
