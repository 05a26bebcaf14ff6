//! Files that keep indexes between runs.

use std::io;
use std::path::Path;

use super::{BuildOptions, Index, IndexError};
use crate::library::{LibraryEntry, Of, SectionFiles};

/// Default for the maximum number of bytes of all indexes together.
pub const MOST_BYTES: u64 = 8 << 30;

/// Whether an index is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexUse {
    /// If there is one, or if it is worth building.
    #[default]
    Auto,
    /// Always: a missing index is built.
    Yes,
    /// Never.
    No,
}

/// The folder of indexes, for databases that are read with the same options.
#[derive(Clone, Debug)]
pub struct IndexFiles(SectionFiles);

impl IndexFiles {
    /// Opens a folder of indexes with at most `most_bytes` together, and creates the folder if it does not
    /// exist.
    /// `options` are all options of the user that change a move or a tag.
    ///
    /// # Errors
    /// If the folder can be neither opened nor created.
    pub fn open(folder: &Path, options: &str, most_bytes: u64) -> io::Result<IndexFiles> {
        SectionFiles::open(folder, "positions", options, most_bytes).map(IndexFiles)
    }

    /// The index of a database, if there is a valid one. Reads only its header.
    pub fn load(&self, entry: &LibraryEntry) -> Option<Index> {
        let of = of(entry);
        let (name, path) = (entry.name(), self.0.path(of));
        match self.0.load(of) {
            Ok(sections) => {
                log::debug!("{name}: index of positions from {}", path.display());
                Some(Index::of(sections, &entry.database))
            }
            Err(why) => {
                log::debug!("{name}: {}: not used: {why}", path.display());
                None
            }
        }
    }

    /// Builds the index of a database and keeps it in its file. `done` is called with numbers of games that
    /// have been read.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if a file of the database changes meanwhile; other errors concern the index's
    /// own files.
    pub fn build(
        &self,
        entry: &LibraryEntry,
        options: BuildOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Index, IndexError> {
        let temporary = self.0.temporary()?;
        self.0.replace(of(entry), |file, key| {
            Index::in_file(&entry.database, options, key, file, temporary, done)?;
            match entry.is_intact() {
                true => Ok(()),
                false => Err(IndexError::Changed),
            }
        })?;
        self.load(entry).ok_or(IndexError::Damaged)
    }

    /// Removes the file of a database's index, for example if it is damaged.
    pub fn remove(&self, entry: &LibraryEntry) {
        self.0.remove(of(entry));
    }
}

/// A database has one index.
fn of(entry: &LibraryEntry) -> Of<'_> {
    Of { entry, what: "" }
}
