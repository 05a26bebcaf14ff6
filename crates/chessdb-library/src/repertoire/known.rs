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
    /// Databases with this name have so many games.
    TooLarge(String, u64),
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
            RepertoireError::TooLarge(name, games) => write!(
                f,
                "repertoire:{}: {games} games are too many; a repertoire has at most {MOST_GAMES}",
                on_one_line(name)
            ),
            RepertoireError::NotOpened(error) => write!(f, "repertoire: {error}"),
        }
    }
}

impl std::error::Error for RepertoireError {}

/// Maximum number of games of a repertoire, whose positions are kept in memory.
const MOST_GAMES: u64 = 100_000;

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
    /// If there is no such file, if it is not a database, or if one has too many games.
    pub fn open_files(
        &self,
        patterns: &[&DatabasePattern],
        formats: &Options,
    ) -> Result<(), RepertoireError> {
        for &pattern in patterns {
            let checked = self.check(pattern);
            let Err(RepertoireError::Unknown(text)) = &checked else {
                checked?;
                continue;
            };
            let path = Path::new(text);
            if !path.exists() {
                return checked;
            }
            let library = Library::open(path, formats).map_err(RepertoireError::NotOpened)?;
            check_size(pattern, library.databases())?;
            let new = Arc::new(Repertoire::new(library.databases().to_vec(), self.threads));
            self.made.lock().push((pattern.clone(), new));
        }
        Ok(())
    }

    /// Checks that a pattern matches a database, and not too many games.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self, pattern: &DatabasePattern) -> Result<(), RepertoireError> {
        let entries = self.matching(pattern);
        let is_made = || self.made.lock().iter().any(|(own, _)| own == pattern);
        if entries.is_empty() && !is_made() {
            return Err(RepertoireError::Unknown(pattern.to_string()));
        }
        check_size(pattern, &entries)
    }

    /// A database of the repertoires in use of which a file has changed.
    pub fn changed(&self) -> Option<Arc<LibraryEntry>> {
        let made = self.made.lock();
        let mut used = made.iter().flat_map(|(_, repertoire)| repertoire.entries());
        used.find(|entry| !entry.is_intact()).cloned()
    }

    /// The repertoire of the databases that a pattern matches; `None` if it matches no database, or too many games.
    pub fn get(&self, pattern: &DatabasePattern) -> Option<Arc<Repertoire>> {
        let mut made = self.made.lock();
        if let Some((_, known)) = made.iter().find(|(own, _)| own == pattern) {
            return Some(Arc::clone(known));
        }
        let entries = self.matching(pattern);
        if entries.is_empty() || check_size(pattern, &entries).is_err() {
            return None;
        }
        // Several patterns may match the same databases.
        let is_of = |own: &[Arc<LibraryEntry>]| {
            own.len() == entries.len() && own.iter().zip(&entries).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let same = made.iter().find(|(_, repertoire)| is_of(repertoire.entries()));
        let same = same.map(|(_, repertoire)| Arc::clone(repertoire));
        let found = same.unwrap_or_else(|| Arc::new(Repertoire::new(entries, self.threads)));
        made.push((pattern.clone(), Arc::clone(&found)));
        Some(found)
    }

    fn matching(&self, pattern: &DatabasePattern) -> Vec<Arc<LibraryEntry>> {
        let entries = self.entries.iter().filter(|entry| pattern.matches(entry.name()));
        entries.cloned().collect()
    }
}

fn check_size(pattern: &DatabasePattern, entries: &[Arc<LibraryEntry>]) -> Result<(), RepertoireError> {
    let games = entries.iter().map(|entry| u64::from(entry.database.len())).sum();
    if games > MOST_GAMES {
        return Err(RepertoireError::TooLarge(pattern.to_string(), games));
    }
    Ok(())
}
