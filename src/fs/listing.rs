//! Which listings have attributes.

use std::ops::{ControlFlow, Deref};

use super::ChessFs;
use super::handle::Handle;
use super::types::{Entry, FsError};

/// A directory of more entries is listed without attributes: the kernel would make an inode for every entry, which
/// takes it ten times as long as the listing itself.
const HUGE: usize = 10_000;

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// [`Handle::read_dir`] with attributes, unless the directory is huge.
    ///
    /// # Errors
    /// Those of [`Handle::read_dir`].
    pub fn read_dir_plus(
        &self,
        offset: u64,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let is_huge = self.entries()? > HUGE;
        self.read_dir(offset, !is_huge, each)
    }
}
