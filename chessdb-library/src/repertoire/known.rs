//! The repertoires that queries may name.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Repertoire;
use crate::library::{DatabasePattern, Library, LibraryEntry, LibraryError, on_one_line};
use chessdb::Options;

/// Reason why there is no repertoire.
#[derive(Debug)]
pub enum RepertoireError {
    /// No database and no file has this name.
    Unknown(String),
    /// The file cannot be opened.
    NotOpened(LibraryError),
}

impl fmt::Display for RepertoireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepertoireError::Unknown(name) => write!(
                f,
                "repertoire:{}: no database here has this name, and there is no such file",
                on_one_line(name)
            ),
            RepertoireError::NotOpened(error) => write!(f, "repertoire: {error}"),
        }
    }
}

impl std::error::Error for RepertoireError {}

/// The databases that `repertoire:` may name, and the repertoires that were made of them.
#[derive(Default)]
pub struct Repertoires {
    entries: Vec<Arc<LibraryEntry>>,
    threads: usize,
    made: Mutex<Vec<(DatabasePattern, Arc<Repertoire>)>>,
}

impl Repertoires {
    /// Those of these databases, which are read by at most so many threads.
    pub fn of(entries: impl IntoIterator<Item = Arc<LibraryEntry>>, threads: usize) -> Repertoires {
        Repertoires {
            entries: entries.into_iter().collect(),
            threads,
            made: Mutex::default(),
        }
    }

    /// Opens the files that are named by those patterns that match no database.
    ///
    /// # Errors
    /// If there is no such file, or if it is not a database.
    pub fn open_files(
        &self,
        patterns: &[&DatabasePattern],
        formats: &Options,
    ) -> Result<(), RepertoireError> {
        for &pattern in patterns {
            if self.has(pattern) {
                continue;
            }
            let text = pattern.to_string();
            let path = Path::new(&text);
            if !path.exists() {
                return Err(RepertoireError::Unknown(text));
            }
            let library = Library::open(path, formats).map_err(RepertoireError::NotOpened)?;
            let new = Arc::new(Repertoire::new(library.databases().to_vec(), self.threads));
            self.made.lock().push((pattern.clone(), new));
        }
        Ok(())
    }

    /// True if a pattern matches a database.
    pub fn has(&self, pattern: &DatabasePattern) -> bool {
        self.entries.iter().any(|entry| pattern.matches(entry.name()))
            || self.made.lock().iter().any(|(own, _)| own == pattern)
    }

    /// True if no file of the repertoires in use has changed.
    pub fn are_intact(&self) -> bool {
        let made = self.made.lock();
        let mut used = made.iter().flat_map(|(_, repertoire)| repertoire.entries());
        used.all(|entry| entry.is_intact())
    }

    /// The repertoire of the databases that a pattern matches; `None` if it matches no database.
    pub fn get(&self, pattern: &DatabasePattern) -> Option<Arc<Repertoire>> {
        let mut made = self.made.lock();
        if let Some((_, known)) = made.iter().find(|(own, _)| own == pattern) {
            return Some(Arc::clone(known));
        }
        let entries = self.entries.iter().filter(|entry| pattern.matches(entry.name()));
        let entries: Vec<_> = entries.cloned().collect();
        if entries.is_empty() {
            return None;
        }
        let new = Arc::new(Repertoire::new(entries, self.threads));
        made.push((pattern.clone(), Arc::clone(&new)));
        Some(new)
    }
}
