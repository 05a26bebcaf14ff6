//! Searches by `find` and `export`, with a progress bar.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use clap::ArgMatches;
use indicatif::ProgressBar;

use super::options::Settings;
use super::{CommandError, progress};
use chessdb::Database;
use chessdb_library::duplicates::{ComparedDatabase, Duplicates};
use chessdb_library::kept::{KeptFiles, SourceFiles};
use chessdb_library::library::{Library, LibraryEntry, on_one_line};
use chessdb_library::lines::Occurrence;
use chessdb_library::positions::{
    AnswerOptions, Answers, BuildOptions, DatabasePart, IndexError, IndexUse, MovesTable, Novelty, Pattern,
    Positions,
};
use chessdb_library::query::Query;
use chessdb_library::repertoire::Repertoires;
use chessdb_library::spelling::Names;

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

/// The repertoires in these queries: databases of the source, and files.
///
/// # Errors
/// If a query names anything else as a repertoire, or a file that cannot be opened.
pub fn repertoires<'a>(
    library: &Library,
    queries: impl IntoIterator<Item = &'a Query>,
    settings: &Settings,
) -> Result<Arc<Repertoires>, CommandError> {
    let known = Repertoires::of(library.databases().iter().cloned(), settings.serve.threads);
    for query in queries {
        known.open_files(&query.repertoires(), &settings.formats)?;
    }
    Ok(Arc::new(known))
}

/// Returns an error if a file of these databases, or of a repertoire in use, has changed since it was opened.
/// `consequence` is the end of its message.
pub fn intact(
    entries: &[&Arc<LibraryEntry>],
    known: &Repertoires,
    consequence: &str,
) -> Result<(), CommandError> {
    let changed = entries.iter().find(|entry| !entry.is_intact());
    match changed
        .map(|&entry| Arc::clone(entry))
        .or_else(|| known.changed())
    {
        Some(changed) => {
            let name = on_one_line(changed.name());
            Err(format!("{name}: a file was changed while it was read: {consequence}").into())
        }
        None => Ok(()),
    }
}

/// All games of some databases. Their indexes are used and kept as the options say.
pub fn all_of(
    entries: &[&Arc<LibraryEntry>],
    settings: &Settings,
    kept: Option<&KeptFiles>,
) -> Vec<DatabasePart> {
    let options = BuildOptions {
        threads: settings.serve.threads,
        memory: settings.index_memory,
        ..BuildOptions::default()
    };
    DatabasePart::all(entries.iter().map(|entry| {
        let positions = Positions::new(entry, options);
        kept.inspect(|files| positions.keep_in(files));
        Arc::new(positions)
    }))
}

/// The best game of each group of duplicates, and all games without duplicates.
pub fn unique_of(parts: &[DatabasePart], threads: usize, kept: Option<&KeptFiles>) -> Vec<DatabasePart> {
    let databases: Vec<&dyn Database> = parts.iter().map(DatabasePart::database).collect();
    let working = progress::working("looking for games that occur more than once");
    let origins: Vec<SourceFiles> = parts.iter().map(|part| part.entry().origin()).collect();
    let games = databases.iter().map(|database| database.len()).sum();
    let is_intact = || parts.iter().all(|part| part.entry().is_intact());
    let file = kept.map(|files| Duplicates::file(files, &origins));
    let compared = parts.iter().map(|part| ComparedDatabase {
        database: part.database(),
        lines: Some(part.positions.lines()),
        ends: None,
    });
    let duplicates = Duplicates::kept_or(file.as_ref(), games, is_intact, || {
        Duplicates::find_among(&compared.collect::<Vec<_>>(), threads, |_, _| true)
    });
    let games = duplicates.unique(&databases);
    working.finish_and_clear();
    parts
        .iter()
        .zip(games)
        .map(|(part, games)| part.with(games))
        .collect()
}

/// A search of databases with its progress bar.
pub struct Search {
    pub answers: Answers,
    pub bar: ProgressBar,
}

impl Search {
    /// A search of these parts. Reads the names of players only if there is a query.
    pub fn new(
        parts: Vec<DatabasePart>,
        settings: &Settings,
        has_files: bool,
        asks_query: bool,
        repertoires: Arc<Repertoires>,
    ) -> Search {
        let games = parts.iter().map(|part| u64::from(part.database().len()));
        let databases: Vec<&dyn Database> = parts.iter().map(DatabasePart::database).collect();
        let names = || Names::find(&databases, settings.serve.layout.spelling());
        if !has_files && settings.index == IndexUse::Yes {
            log::warn!("index=yes has no effect, because nothing is kept: name a folder with cache-dir=");
        }
        let options = AnswerOptions {
            // An index that cannot be kept is not worth building.
            index: if has_files { settings.index } else { IndexUse::No },
            scans: true,
            threads: settings.serve.threads,
            names: asks_query.then(names).flatten().map(Arc::new),
            repertoires,
        };
        let bar = progress::bar(games.sum());
        Search {
            answers: Answers::new(parts, options),
            bar,
        }
    }

    /// The parts that are searched.
    pub fn parts(&self) -> &[DatabasePart] {
        self.answers.parts()
    }

    /// True if the lines of some database were kept by this search.
    pub fn has_kept_lines(&self) -> bool {
        let mut parts = self.parts().iter();
        parts.any(|part| part.positions.lines().were_written())
    }

    /// Maximum number of threads.
    pub fn threads(&self) -> usize {
        self.answers.options().threads
    }

    /// A search that covers only the games that match a query.
    pub fn among(&self, query: &Query) -> Search {
        self.parts().iter().for_each(|part| self.prepare_for(part, query));
        Search {
            answers: self.answers.among(query, &|_| ()),
            bar: self.bar.clone(),
        }
    }

    /// The games of a part that match a query.
    pub fn answer(&self, part: &DatabasePart, query: &Query) -> Vec<Occurrence> {
        self.prepare_for(part, query);
        query.find(part, self.answers.options(), &|games| self.bar.inc(games))
    }

    /// The moves that were played in a position.
    pub fn moves(&self, part: &DatabasePart, pattern: &Pattern) -> MovesTable {
        self.prepare(part);
        let moves = part.moves(pattern, self.answers.options(), &|games| self.bar.inc(games));
        moves.unwrap_or_default()
    }

    /// The novelties of a part. Finding them requires an index.
    pub fn novelties(&self, part: &DatabasePart) -> Result<Vec<Novelty>, Arc<IndexError>> {
        if !part.positions.open() {
            self.build(part)?;
        }
        part.novelties(&|games| self.bar.inc(games))
    }

    fn prepare_for(&self, part: &DatabasePart, query: &Query) {
        if query.asks_for_positions() {
            self.prepare(part);
        }
    }

    /// Builds a missing index if the user wants it.
    fn prepare(&self, part: &DatabasePart) {
        if self.answers.options().index == IndexUse::Yes
            && !part.positions.open()
            && let Err(error) = self.build(part)
        {
            log::warn!("{}: {error}", part.entry().name());
        }
    }

    /// Builds an index with a progress bar.
    fn build(&self, part: &DatabasePart) -> Result<(), Arc<IndexError>> {
        let games = part.database().len().into();
        progress::while_indexing(&self.bar, games, || {
            part.positions.build(&|games| self.bar.inc(games))
        })
    }
}
