//! Files that keep indexes between runs.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_128;

use super::sections::Sections;
use super::{BuildOptions, Index, IndexError};
use crate::library::LibraryEntry;
use crate::store::{Store, program_hash};

/// The use of a file is noted only if the last note is older than this.
const NOTE_AFTER: Duration = Duration::from_secs(24 * 3600);

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
pub struct IndexFiles {
    store: Store,
    options: Arc<str>,
}

impl IndexFiles {
    /// Opens a folder of indexes with at most `most_bytes` together, and creates the folder if it does not
    /// exist.
    /// `options` are all options of the user that change a move or a tag.
    ///
    /// # Errors
    /// If the folder can be neither opened nor created.
    pub fn open(folder: &Path, options: &str, most_bytes: u64) -> io::Result<IndexFiles> {
        Ok(IndexFiles {
            store: Store::open(folder, "positions")?.with_most(most_bytes),
            options: options.into(),
        })
    }

    /// The index of a database, if there is a valid one. Reads only its header.
    pub fn load(&self, entry: &LibraryEntry) -> Option<Index> {
        let (number, key) = (self.number(entry), self.key(entry)?);
        let path = self.store.path(number);
        let loaded = self.store.file(number).map_err(|error| error.to_string());
        let loaded = loaded.and_then(|file| {
            let sections = Sections::open(file.try_clone().map_err(|error| error.to_string())?, &path, &key)?;
            let age = file
                .metadata()
                .and_then(|meta| meta.modified())
                .map(|time| time.elapsed());
            if !matches!(age, Ok(Ok(age)) if age < NOTE_AFTER) {
                self.store.note_use(number, &file);
            }
            Ok(Index::of(sections, &entry.database))
        });
        let (name, path) = (entry.name(), path.display());
        match loaded {
            Ok(index) => {
                log::debug!("{name}: index of positions from {path}");
                Some(index)
            }
            Err(why) => {
                log::debug!("{name}: {path}: not used: {why}");
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
        let key = self.key(entry);
        let key = key.ok_or_else(|| io::Error::other("the program cannot be read"))?;
        let temporary = self.store.temporary()?;
        self.store.replace_with(self.number(entry), |file| {
            Index::in_file(&entry.database, options, &key, file, temporary, done)?;
            match entry.is_intact() {
                true => Ok(()),
                false => Err(IndexError::Changed),
            }
        })?;
        self.store.tidy();
        self.load(entry).ok_or(IndexError::Damaged)
    }

    /// Removes the file of a database's index, for example if it is damaged.
    pub fn remove(&self, entry: &LibraryEntry) {
        self.store.remove(self.number(entry));
    }

    fn number(&self, entry: &LibraryEntry) -> u128 {
        xxh3_128(&entry.place_bytes(&self.options))
    }

    fn key(&self, entry: &LibraryEntry) -> Option<Vec<u8>> {
        let mut key = program_hash()?.to_le_bytes().to_vec();
        key.extend(entry.state_bytes(&self.options));
        Some(key)
    }
}
