//! What is known of a table that is made as a whole: `games.parquet` or `duplicates.csv`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use parking_lot::Mutex;

use chessdb_library::kept::{KeptFile, Sections, WholeFile};
use chessdb_library::once_lru::OnceLru;

/// What is known of a table.
pub(in crate::fs) struct WholeTable {
    /// One value, until it is damaged.
    pub(in crate::fs) bytes: OnceLru<(), Arc<Sections<WholeFile>>>,
    /// The kept file with it, which the databases remove if they come into doubt.
    pub(in crate::fs) kept: Mutex<Option<Arc<KeptFile>>>,
}

impl WholeTable {
    pub(in crate::fs) fn new() -> WholeTable {
        WholeTable {
            bytes: OnceLru::new(NonZeroUsize::MIN),
            kept: Mutex::default(),
        }
    }

    /// The memory that it takes, in bytes, if it is in no file. One that is being made counts later.
    pub(in crate::fs) fn memory(&self) -> usize {
        self.bytes.sum(|bytes| bytes.memory())
    }
}
