//! The files of sections that are kept of databases, in the cache folder.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LibraryEntry;
use crate::sections::{Part, Sections};
use crate::store::{Store, program_hash};

/// A folder of files with one extension, for databases that are read with the same options.
#[derive(Clone, Debug)]
pub struct SectionFiles {
    store: Store,
    options: Arc<str>,
}

/// What a file is of.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    /// The database.
    pub entry: &'a LibraryEntry,
    /// What of the database: a database may have several files with one extension.
    pub what: &'a str,
}

impl SectionFiles {
    /// Opens a folder of files with at most `most_bytes` together, and creates the folder if it does not exist.
    /// `options` are all options of the user that change the contents of databases.
    ///
    /// # Errors
    /// If the folder can be neither opened nor created.
    pub fn open(
        folder: &Path,
        extension: &'static str,
        options: &str,
        most_bytes: u64,
    ) -> io::Result<SectionFiles> {
        Ok(SectionFiles {
            store: Store::open(folder, extension)?.with_most(most_bytes),
            options: options.into(),
        })
    }

    /// The sections in a file. Reads only its header.
    ///
    /// # Errors
    /// Why there are none, or none of the present state of the database.
    pub fn load<P: Part>(&self, of: Of<'_>) -> Result<Sections<P>, String> {
        let number = self.number(of);
        let file = self.store.file(number).map_err(|error| error.to_string())?;
        let same = file.try_clone().map_err(|error| error.to_string())?;
        let key = self.key(of).map_err(|error| error.to_string())?;
        let sections = Sections::open(same, |of_file| of_file == key)?;
        self.store.note_use(number, &file);
        Ok(sections)
    }

    /// Replaces a file by a new one. `write` gets the new file and its key, and must fail if the database changes
    /// meanwhile.
    ///
    /// # Errors
    /// If writing fails; an existing file is then unchanged.
    pub fn replace<E: From<io::Error>>(
        &self,
        of: Of<'_>,
        write: impl FnOnce(&mut File, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let key = self.key(of)?;
        self.store.replace_with(self.number(of), |file| write(file, &key))
    }

    /// Removes a file, for example if it is damaged.
    pub fn remove(&self, of: Of<'_>) {
        self.store.remove(self.number(of));
    }

    /// The path of a file, for messages.
    pub fn path(&self, of: Of<'_>) -> PathBuf {
        self.store.path(self.number(of))
    }

    /// Creates a file without a name in the folder, for reading and writing. Closing it removes it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn temporary(&self) -> io::Result<File> {
        self.store.temporary()
    }

    fn number(&self, of: Of<'_>) -> u128 {
        of.entry.kept_number(&self.options, of.what)
    }

    fn key(&self, of: Of<'_>) -> io::Result<Vec<u8>> {
        let program = program_hash().ok_or_else(|| io::Error::other("the program cannot be read"))?;
        Ok(of.entry.kept_key(program, &self.options, of.what))
    }
}
