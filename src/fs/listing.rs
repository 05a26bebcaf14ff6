//! Listings with or without attributes.

use std::ops::{ControlFlow, Deref};

use super::ChessFs;
use super::handle::Handle;
use super::readers::Listing;
use super::types::{Described, Entry, FsError, Inode, Kind};

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

    /// [`Handle::read_dir`] with attributes of the entries for which `listing` wants them.
    ///
    /// # Errors
    /// Those of [`Handle::read_dir`].
    pub fn read_dir_plus(
        &self,
        offset: u64,
        listing: Listing,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<Listed, FsError> {
        let is_huge = self.entries()? > HUGE;
        let described = match is_huge {
            true => listing.described_if_huge,
            false => listing.described,
        };
        let mut listed = Listed::default();
        let mut may_probe = listing.is_probed;
        self.read_entries(offset, described, &mut |mut entry| {
            let (inode, is_file) = (entry.inode, entry.kind != Kind::Directory);
            let is_dots = matches!(entry.name, "." | "..");
            let is_probe = may_probe && inode.is_game() && entry.attributes.is_some();
            if is_probe {
                entry.attributes = None;
            }
            each(entry)?;
            // Programs visit the directories of a directory before the files after them.
            may_probe &= is_dots;
            listed.probe = listed.probe.or(is_probe.then_some(inode));
            listed.is_by_name |= is_file && !is_huge && described == Described::Directories;
            ControlFlow::Continue(())
        })?;
        Ok(listed)
    }
}

/// What was left out of a listing because of its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The game without attributes of a [probed](Listing::is_probed) listing.
    pub probe: Option<Inode>,
    /// True if there are files without attributes because the reader needs names only.
    pub is_by_name: bool,
}
