//! How commands search databases.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use clap::ArgMatches;
use indicatif::ProgressBar;

use super::options::Settings;
use super::{CommandError, progress};
use chessdb::Database;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::{
    BuildOptions, Damaged, Index, IndexError, IndexUse, Novelty, Occurrence, Selection,
};
use chessdb_library::query::{Query, QueryHint, Searched, hints};
use chessdb_library::spelling::Names;

/// A database, and which of its games are searched.
#[derive(Clone)]
pub struct SearchedPart<'a> {
    pub entry: &'a LibraryEntry,
    /// `None` for all.
    pub among: Option<Arc<Selection>>,
}

/// All games of some databases.
pub fn all_of<'a>(entries: &[&'a LibraryEntry]) -> Vec<SearchedPart<'a>> {
    let parts = entries.iter().map(|&entry| SearchedPart { entry, among: None });
    parts.collect()
}

/// The best game of each group of duplicates, and all others that have none.
pub fn unique_of<'a>(entries: &[&'a LibraryEntry], threads: usize) -> Vec<SearchedPart<'a>> {
    let databases: Vec<&dyn Database> = entries.iter().map(|entry| &*entry.database).collect();
    let working = progress::working("looking for games that are there more than once");
    let games = Duplicates::find(&databases, threads).unique(&databases);
    working.finish_and_clear();
    let selections = games.iter().map(|games| Some(Arc::new(Selection::of(games))));
    let parts = entries.iter().zip(selections);
    parts
        .map(|(&entry, among)| SearchedPart { entry, among })
        .collect()
}

/// The query of `--where`.
///
/// # Errors
/// If it is wrong.
pub fn given_query(matches: &ArgMatches) -> Result<Option<Query>, CommandError> {
    let given = matches.get_one::<std::ffi::OsString>("where");
    given.map(|text| read_query(text)).transpose()
}

/// Reads a query of the command line.
///
/// # Errors
/// If it is wrong.
pub fn read_query(text: &OsStr) -> Result<Query, CommandError> {
    Ok(Query::parse(Query::text_of(text.as_bytes())?)?)
}

/// How databases are searched.
pub struct Search<'a> {
    files: Option<KeptFiles>,
    settings: &'a Settings,
    /// The names under which players are shown, if spellings are joined.
    names: Option<Names>,
    pub bar: ProgressBar,
}

impl<'a> Search<'a> {
    /// Searches `entries`. Names are read only if a query is asked.
    pub fn new(
        entries: &[&LibraryEntry],
        settings: &'a Settings,
        kept: Option<KeptFiles>,
        asks_query: bool,
    ) -> Search<'a> {
        let games = entries.iter().map(|entry| u64::from(entry.database.len()));
        let databases: Vec<&dyn Database> = entries.iter().map(|entry| &*entry.database).collect();
        let names = || Names::find(&databases, settings.serve.layout.spelling());
        Search {
            files: kept.filter(|_| settings.index != IndexUse::No),
            settings,
            names: asks_query.then(names).flatten(),
            bar: progress::bar(games.sum()),
        }
    }

    /// Maximum number of threads.
    pub fn threads(&self) -> usize {
        self.settings.serve.threads
    }

    /// The games that answer a query. `done` is called with numbers of games searched.
    pub fn answer(
        &self,
        part: &SearchedPart<'_>,
        query: &Query,
        done: &(dyn Fn(u64) + Sync),
    ) -> Vec<Occurrence> {
        let entry = part.entry;
        let answer = |index: Option<&Index>| {
            let searched = Searched {
                index,
                ..self.searched(part)
            };
            query.answer(&searched, self.threads(), done)
        };
        let index = (query.groups() > 0).then(|| self.index(entry)).flatten();
        if let Some(index) = &index {
            match answer(Some(index)) {
                Ok(found) => return found,
                Err(damaged) => self.remove_index(entry, &damaged),
            }
        }
        // Only an index can be damaged.
        answer(None).unwrap_or_default()
    }

    fn searched<'b>(&'b self, part: &'b SearchedPart<'_>) -> Searched<'b> {
        Searched {
            path: part.entry.name(),
            database: &*part.entry.database,
            index: None,
            names: self.names.as_ref(),
            among: part.among.as_deref(),
        }
    }

    /// Why no game may answer a query.
    pub fn hints(&self, parts: &[SearchedPart<'_>], query: &str) -> Vec<QueryHint> {
        let searched: Vec<Searched<'_>> = parts.iter().map(|part| self.searched(part)).collect();
        hints(query, &searched)
    }

    /// The same databases with only the games that answer a query.
    pub fn narrowed<'b>(&self, parts: &[SearchedPart<'b>], query: &Query) -> Vec<SearchedPart<'b>> {
        let narrowed = parts.iter().map(|part| {
            let found = self.answer(part, query, &|_| ());
            let games: Vec<u32> = found.iter().map(|found| found.game).collect();
            SearchedPart {
                entry: part.entry,
                among: Some(Arc::new(Selection::of(&games))),
            }
        });
        narrowed.collect()
    }

    /// Answers a question from a database's index, or by a scan if there is none.
    pub fn ask<T>(
        &self,
        part: &SearchedPart<'_>,
        of_index: impl Fn(&Index) -> Result<T, Damaged>,
        of_scan: impl Fn(&dyn Database, usize, &(dyn Fn(u64) + Sync)) -> T,
    ) -> T {
        let entry = part.entry;
        if let Some(index) = self.index(entry) {
            match of_index(&restricted(part, index)) {
                Ok(answer) => {
                    self.bar.inc(entry.database.len().into());
                    return answer;
                }
                Err(damaged) => self.remove_index(entry, &damaged),
            }
        }
        of_scan(&*entry.database, self.threads(), &|games| self.bar.inc(games))
    }

    fn remove_index(&self, entry: &LibraryEntry, damaged: &Damaged) {
        log::info!("{}: {damaged}", entry.name());
        if let Some(files) = &self.files {
            Index::remove(files, entry);
        }
    }

    /// The index of a database. A missing index is built if the user wants it.
    fn index(&self, entry: &LibraryEntry) -> Option<Index> {
        let loaded = Index::load(self.files.as_ref()?, entry);
        if loaded.is_some() || self.settings.index != IndexUse::Yes {
            return loaded;
        }
        let built = self.build(entry, self.files.as_ref());
        built
            .inspect_err(|error| log::warn!("{}: {error}", entry.name()))
            .ok()
    }

    /// Builds the index of a database. Without files to keep it in, it is temporary.
    fn build(&self, entry: &LibraryEntry, files: Option<&KeptFiles>) -> Result<Index, IndexError> {
        let options = BuildOptions {
            threads: self.settings.serve.threads,
            memory: self.settings.index_memory,
            ..BuildOptions::default()
        };
        let games = u64::from(entry.database.len());
        let done = |games| self.bar.inc(games);
        progress::while_indexing(&self.bar, games, || match files {
            Some(files) => Index::build(files, entry, options, &done),
            None => Index::temporary(&entry.database, options, &done),
        })
    }

    /// The novelties of a database. Finding them requires an index.
    pub fn novelties(&self, part: &SearchedPart<'_>) -> Result<Vec<Novelty>, IndexError> {
        let entry = part.entry;
        let done = |games| self.bar.inc(games);
        if let Some(files) = &self.files
            && let Some(index) = Index::load(files, entry)
        {
            let before = self.bar.position();
            match restricted(part, index).novelties(&done) {
                Ok(novelties) => return Ok(novelties),
                Err(_) => Index::remove(files, entry),
            }
            self.bar.set_position(before);
        }
        let built = match self.build(entry, self.files.as_ref()) {
            Err(error) if self.files.is_some() && !matches!(error, IndexError::Changed) => {
                log::warn!("{}: {error}", entry.name());
                self.build(entry, None)
            }
            built => built,
        };
        Ok(restricted(part, built?).novelties(&done)?)
    }
}

/// An index that answers for the games that are searched.
fn restricted(part: &SearchedPart<'_>, index: Index) -> Index {
    match &part.among {
        Some(games) => index.among(games),
        None => index,
    }
}
