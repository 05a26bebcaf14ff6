//! Which listings have attributes.

use std::ops::ControlFlow;

use super::live::Live;
use super::types::{Entry, FsError, Inode};

/// A directory of more entries is listed without attributes: the kernel would make an inode for every entry, which
/// takes it ten times as long as the listing itself.
const HUGE: usize = 10_000;

impl Live {
    /// [`Live::read_dir`] with attributes, unless the directory is huge.
    ///
    /// # Errors
    /// Those of [`Live::read_dir`].
    pub fn read_dir_plus(
        &self,
        directory: Inode,
        offset: u64,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let is_huge = self.entries(directory)? > HUGE;
        self.read_dir(directory, offset, !is_huge, each)
    }
}
