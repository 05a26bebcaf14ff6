//! The repertoires that queries may name.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Repertoire;
use crate::library::{DatabasePattern, Library, LibraryEntry, LibraryError, on_one_line};
use chessdb::Options;

/// Why a repertoire cannot be used.
#[derive(Debug)]
pub enum RepertoireError {
    /// No database and no file has the name in this term.
    Unknown(String),
    /// Databases with the name in this term have this number of games, too many.
    TooLarge(String, u64),
    /// The file cannot be opened.
    NotOpened(LibraryError),
}

impl fmt::Display for RepertoireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepertoireError::Unknown(term) => write!(
                f,
                "{}: no database here has this name, and there is no such file",
                on_one_line(term)
            ),
            RepertoireError::TooLarge(term, games) => write!(
                f,
                "{}: {games} games are too many; a repertoire has at most {MOST_GAMES}",
                on_one_line(term)
            ),
            RepertoireError::NotOpened(error) => write!(f, "repertoire: {error}"),
        }
    }
}

impl std::error::Error for RepertoireError {}

/// A repertoire as a query names it.
#[derive(Clone, Copy, Debug)]
pub struct NamedRepertoire<'a> {
    /// The databases.
    pub pattern: &'a DatabasePattern,
    /// True if games must leave it, and not follow it.
    pub is_left: bool,
}

impl fmt::Display for NamedRepertoire<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = if self.is_left { "left" } else { "repertoire" };
        write!(f, "{field}:{}", self.pattern)
    }
}

/// Maximum number of games of a repertoire, whose positions are kept in memory.
const MOST_GAMES: u64 = 100_000;

/// The databases that `repertoire:` may name, and the repertoires that were made from them.
#[derive(Default)]
pub struct Repertoires {
    entries: Vec<Arc<LibraryEntry>>,
    threads: usize,
    made: Mutex<Vec<(DatabasePattern, Arc<Repertoire>)>>,
}

impl Repertoires {
    /// The repertoires that can be made of these databases, which are read by at most `threads` threads.
    pub fn of(entries: impl IntoIterator<Item = Arc<LibraryEntry>>, threads: usize) -> Repertoires {
        Repertoires {
            entries: entries.into_iter().collect(),
            threads,
            made: Mutex::default(),
        }
    }

    /// Opens the files that are named where no database matches.
    ///
    /// # Errors
    /// If a file does not exist, is not a database, or has too many games.
    pub fn open_files(&self, all: &[NamedRepertoire<'_>], formats: &Options) -> Result<(), RepertoireError> {
        for named in all {
            let checked = self.check(named);
            if !matches!(checked, Err(RepertoireError::Unknown(_))) {
                checked?;
                continue;
            }
            let name = named.pattern.to_string();
            let path = Path::new(&name);
            if !path.exists() {
                return checked;
            }
            let library = Library::open(path, formats).map_err(RepertoireError::NotOpened)?;
            check_size(named, library.databases())?;
            let new = Arc::new(Repertoire::new(library.databases().to_vec(), self.threads));
            self.made.lock().push((named.pattern.clone(), new));
        }
        Ok(())
    }

    /// Checks that the pattern matches a database, and not too many games.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self, named: &NamedRepertoire<'_>) -> Result<(), RepertoireError> {
        let entries = self.matching(named.pattern);
        let is_made = || self.made.lock().iter().any(|(own, _)| own == named.pattern);
        if entries.is_empty() && !is_made() {
            return Err(RepertoireError::Unknown(named.to_string()));
        }
        check_size(named, &entries)
    }

    /// A database that was used for a repertoire, and one of whose files has changed.
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
        if entries.is_empty() || games_of(&entries) > MOST_GAMES {
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

fn check_size(named: &NamedRepertoire<'_>, entries: &[Arc<LibraryEntry>]) -> Result<(), RepertoireError> {
    let games = games_of(entries);
    if games > MOST_GAMES {
        return Err(RepertoireError::TooLarge(named.to_string(), games));
    }
    Ok(())
}

fn games_of(entries: &[Arc<LibraryEntry>]) -> u64 {
    entries.iter().map(|entry| u64::from(entry.database.len())).sum()
}
