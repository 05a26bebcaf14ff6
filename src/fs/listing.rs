//! Listings with or without attributes.

use std::ops::{ControlFlow, Deref};

use super::ChessFs;
use super::handle::Handle;
use super::types::{Entry, FsError};

/// Directories with more entries are listed without attributes. With attributes the kernel would create an
/// inode for every entry, which takes ten times as long as the listing itself.
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
