//! What a file of a branch can do, and what requests for it wait for.

use std::sync::Arc;

use crate::fs::types::{Chunk, FsError};
use chessdb_library::made::Wait;

/// An existing file. Making one reads and builds nothing.
pub(in crate::fs) trait File: Send + Sync {
    /// The size in bytes, if nothing has to be decoded or read for it.
    fn size_if_known(&self) -> Option<u64>;

    /// The size in bytes. Decodes games if necessary; called only if [`File::size_if_known`] returned `None`.
    fn size(&self) -> Result<u64, FsError>;

    /// Returns `size` bytes from `offset`, fewer only at the end of the file.
    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError>;

    /// The work that must be done before size and contents are known.
    fn wait_to_read(&self) -> Wait;
}

/// A file that is generated as a whole.
pub(in crate::fs) trait Text: Send + Sync {
    /// The text, if nothing has to be decoded or read for it.
    fn text_if_known(&self) -> Option<Arc<[u8]>>;

    /// The text.
    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        self.text_if_known().ok_or(FsError::Stale)
    }

    /// The work that must be done before the text is known.
    fn wait_to_read(&self) -> Wait {
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

    fn wait_to_read(&self) -> Wait {
        Text::wait_to_read(self)
    }
}
