//! What a directory can do.

use std::borrow::Cow;

use super::types::{FsError, Inode, Kind};

/// The offset of the first entry of a directory after `.` and `..`.
pub(super) const FIRST_OFFSET: u64 = 2;

/// An entry of a directory, as a listing finds it.
pub(super) struct ListedEntry<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) inode: Inode,
    pub(super) kind: Kind,
    /// The offset after it.
    pub(super) next: u64,
}

/// An existing directory.
pub(super) trait Directory {
    /// The number of entries, without `.` and `..`.
    fn len(&self) -> usize;

    /// The first entry after an offset, which is [`FIRST_OFFSET`] or that of another entry, without `.` and `..`.
    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>>;

    /// The inode of the entry with this name.
    ///
    /// # Errors
    /// [`FsError::NotFound`]; [`FsError::Io`] if the source changed, so that the entry may have existed
    /// before.
    fn child(&self, name: &str) -> Result<Inode, FsError>;

    /// An error if the source changed, so that these entries may be wrong; `None` stands for a listing that is at its
    /// end, so that no entry may be missing either.
    fn check(&self, _shown: Option<&[Inode]>) -> Result<(), FsError> {
        Ok(())
    }
}
