//! What a directory can do.

use std::borrow::Cow;

use super::types::{Attributes, FsError, Inode, Kind};

/// The offset of the first entry of a directory after `.` and `..`.
pub(super) const FIRST_OFFSET: u64 = 2;

/// One entry of a directory.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its node.
    pub inode: Inode,
    /// What that is.
    pub kind: Kind,
    /// The offset at which a listing continues after this entry.
    pub next: u64,
    /// The attributes, if they were asked for and are known.
    pub attributes: Option<Attributes>,
}

impl<'a> Entry<'a> {
    /// An entry without attributes.
    pub(super) fn new(name: impl Into<Cow<'a, str>>, inode: Inode, kind: Kind, next: u64) -> Entry<'a> {
        Entry {
            name: name.into(),
            inode,
            kind,
            next,
            attributes: None,
        }
    }

    /// True for `.` and `..`.
    pub fn is_dots(&self) -> bool {
        matches!(&*self.name, "." | "..")
    }
}

/// An existing directory.
pub(super) trait Directory {
    /// The number of entries, without `.` and `..`.
    fn len(&self) -> usize;

    /// The first entry after an offset, which is [`FIRST_OFFSET`] or that of another entry, without `.` and `..`.
    fn entry_after(&self, offset: u64) -> Option<Entry<'_>>;

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
