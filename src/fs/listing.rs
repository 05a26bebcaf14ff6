//! Listings with or without attributes.

use std::ops::{ControlFlow, Deref};

use super::ChessFs;
use super::handle::Handle;
use super::types::{Described, Entry, FsError};

/// Directories with more entries are huge. With attributes the kernel would create an inode for every entry,
/// which takes ten times as long as the listing itself.
const HUGE: usize = 10_000;

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// Calls `each` with the entries of a directory, starting at `offset` (0, or [`Entry::next`] of an
    /// entry), until it breaks. The first two entries are `.` and `..`. With `with_attributes`, entries have
    /// attributes if these are known or the game is among the few that are decoded now.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] if the node does not exist.
    pub fn read_dir(
        &self,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let described = match with_attributes {
            true => Described::All,
            false => Described::Nothing,
        };
        self.read_entries(offset, described, each)
    }

    /// [`Handle::read_dir`] with attributes of some entries.
    ///
    /// # Errors
    /// Those of [`Handle::read_dir`].
    pub fn read_dir_plus(
        &self,
        offset: u64,
        described: Described,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let is_huge = self.entries()? > HUGE;
        let described = match described {
            Described::All if is_huge => Described::Nothing,
            Described::AllOfWalk if is_huge => Described::Directories,
            _ => described,
        };
        self.read_entries(offset, described, each)
    }
}
