//! The state of a table that is made as a whole: `games.parquet` or `duplicates.csv`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use parking_lot::Mutex;

use chessdb_library::kept::{KeptFile, Sections, WholeFile};
use chessdb_library::once_lru::OnceLru;

/// The state of such a table.
pub(in crate::fs) struct WholeTable {
    /// One value, until it is damaged.
    pub(in crate::fs) bytes: OnceLru<(), Arc<Sections<WholeFile>>>,
    /// Its kept file, which a database removes when it can no longer be trusted.
    pub(in crate::fs) kept: Mutex<Option<Arc<KeptFile>>>,
}

impl WholeTable {
    pub(in crate::fs) fn new() -> WholeTable {
        WholeTable {
            bytes: OnceLru::new(NonZeroUsize::MIN),
            kept: Mutex::default(),
        }
    }

    /// The memory that it takes, in bytes, if it is not in a file. A table that is still being made counts later.
    pub(in crate::fs) fn memory(&self) -> usize {
        self.bytes.sum(|bytes| bytes.memory())
    }
}
