//! Indexes that are kept between runs.

use super::{BuildOptions, Index, IndexError};
use crate::kept::{KeptFile, KeptFiles, KeptKind};
use crate::library::LibraryEntry;

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

impl Index {
    /// The kept index of a database, if there is a valid one. Reads only its header.
    pub fn load(files: &KeptFiles, entry: &LibraryEntry) -> Option<Index> {
        let sections = file(files, entry).load()?;
        Some(Index::of(sections, &entry.database.shared()))
    }

    /// Builds the index of a database and keeps it. `done` is called with numbers of games that have been read.
    ///
    /// # Errors
    /// [`IndexError::Changed`] if a file of the database changes meanwhile; other errors concern the index's
    /// own files.
    pub fn build(
        files: &KeptFiles,
        entry: &LibraryEntry,
        options: BuildOptions,
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Index, IndexError> {
        let temporary = files.temporary()?;
        let database = entry.database.shared();
        let sections = file(files, entry).replace(|file, key| {
            Index::in_file(&database, options, key, file, temporary, done)?;
            if entry.is_intact() {
                Ok(())
            } else {
                Err(IndexError::Changed)
            }
        })?;
        Ok(Index::of(sections, &database))
    }

    /// Removes the kept index of a database, for example if it is damaged.
    pub fn remove(files: &KeptFiles, entry: &LibraryEntry) {
        file(files, entry).remove();
    }
}

/// A database has one index.
fn file(files: &KeptFiles, entry: &LibraryEntry) -> KeptFile {
    files.file(KeptKind::Positions, "", &[entry.origin()])
}
