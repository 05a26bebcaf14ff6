//! The databases of a source: a folder that is searched, or one database.

mod entry;
mod error;
mod heard;
mod names;
mod open;
mod opener;
mod openings;
mod places;
mod root;
mod scan;
mod search;
mod selection;
mod task;
mod text;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use entry::LibraryEntry;
pub use error::{LeftOut, LibraryError};
pub use names::{LONGEST_NAME, TakenNames, cut, is_unprintable, numbered, on_one_line, safe_name, shown};
pub use selection::Selection;
pub use text::{GameText, append_text, document_text, tags_of, text_of};

use chessdb::formats::Options;
use opener::{Opener, Outcome};
use openings::{Job, Openings};
use places::place;
use search::{Search, search};
use task::Task;

/// How long a new look at the source waits at most for what it begins to open.
const LONGEST_RELOAD: Duration = Duration::from_millis(500);

/// All databases of a source, open.
#[derive(Clone)]
pub struct Library {
    /// The source as the user names it.
    named: PathBuf,
    source: PathBuf,
    options: Options,
    selection: Selection,
    /// How long to wait for databases that are opened slowly; without a time, until they are open.
    patience: Option<Duration>,
    openings: Openings,
    found: Vec<Found>,
    databases: Vec<Arc<LibraryEntry>>,
    left_out: Vec<LeftOut>,
    opening: Vec<Opening>,
    /// The source is a file.
    is_file: bool,
    is_restless: bool,
}

/// An open database, and where it was found.
#[derive(Clone)]
struct Found {
    /// Names of the folders from the source down, as they are on disk.
    folder: Vec<String>,
    /// Name of the directory that shows it; empty if that is the folder itself.
    name: String,
    entry: Arc<LibraryEntry>,
}

/// A database that is being opened.
#[derive(Clone)]
pub struct Opening {
    /// Its path, relative to the source.
    pub path: String,
    job: Arc<Job>,
}

impl Opening {
    /// For how long it is being opened.
    pub fn elapsed(&self) -> Duration {
        self.job.since.elapsed()
    }
}

/// Tells when databases are open that a library has left [being opened](Library::opening).
pub struct Endings {
    openings: Openings,
    seen: u64,
}

impl Endings {
    /// Waits until some are since the last call: [`Library::go_on`] has them then.
    pub fn wait(&mut self) {
        self.seen = self.openings.wait_for_late(self.seen);
    }
}

impl Library {
    /// Opens a folder with everything below it, or the one database that a file belongs to. Headers are read,
    /// no move is decoded.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open(source: &Path, options: &Options) -> Result<Library, LibraryError> {
        Library::open_selected(source, options, &Selection::default())
    }

    /// Opens what the user wants of a folder, as [`Library::open`] does. A database that is the source is wanted.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open_selected(
        source: &Path,
        options: &Options,
        selection: &Selection,
    ) -> Result<Library, LibraryError> {
        Library::first(source, options, selection, Openings::default(), None)
    }

    /// The same, but waits no longer than that; what is not open by then is [being opened](Library::opening), on
    /// threads of its own. Each calls `prepare` first and opens nothing if that fails.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open_within(
        source: &Path,
        options: &Options,
        selection: &Selection,
        patience: Duration,
        prepare: fn() -> io::Result<()>,
    ) -> Result<Library, LibraryError> {
        let openings = Openings::default();
        openings.prepare(prepare);
        Library::first(source, options, selection, openings, Some(patience))
    }

    fn first(
        source: &Path,
        options: &Options,
        selection: &Selection,
        openings: Openings,
        patience: Option<Duration>,
    ) -> Result<Library, LibraryError> {
        let library = Library {
            named: source.to_owned(),
            options: options.clone(),
            selection: selection.clone(),
            patience,
            openings,
            ..Library::of(Vec::new())
        };
        let mut exhaustion = None;
        let library = library.search(&library.opener(&[], Duration::ZERO), &mut exhaustion)?;
        if !library.databases.is_empty() || !library.opening.is_empty() {
            return Ok(library);
        }
        Err(match exhaustion {
            Some(reason) => LibraryError::Refused(library.named, reason),
            None if selection.is_choosy() => LibraryError::NoneWanted(library.named),
            None => LibraryError::NoDatabases {
                source: library.named,
                left_out: library.left_out,
            },
        })
    }

    /// Looks at the source once more. Databases that are `open` already and whose files are what they were stay as
    /// they are, and so do those that changed less than `rest` ago: they may not be complete. What is being opened
    /// goes on being opened. A source that cannot be read any more has no databases, and what is left out says why.
    #[must_use]
    pub fn reopen(&self, open: &[Arc<LibraryEntry>], rest: Duration) -> Library {
        // What opens later is shown then.
        let patience = self.patience.map(|patience| patience.min(LONGEST_RELOAD));
        let opener = self.opener(open, rest).with_patience(patience);
        self.search(&opener, &mut None).unwrap_or_else(|error| {
            let (kept, reason) = match &error {
                // They stay what they were.
                LibraryError::Hung(_, hung) => (self.clone(), hung.to_string()),
                _ => (Library::of(Vec::new()), error.to_string()),
            };
            let left_out = LeftOut {
                path: ".".to_owned(),
                reason,
            };
            Library {
                is_restless: opener.is_restless(),
                ..self.with(kept.found, vec![left_out], kept.opening)
            }
        })
    }

    fn opener<'a>(&'a self, open: &'a [Arc<LibraryEntry>], rest: Duration) -> Opener<'a> {
        let opener = Opener::new(&self.options, &self.selection, &self.openings, open, rest);
        opener.with_patience(self.patience)
    }

    /// The same library with those databases that have come open since, without a look at the source.
    #[must_use]
    pub fn go_on(&self) -> Library {
        let (mut found, mut left_out) = (self.found.clone(), self.left_out.clone());
        let mut opening = Vec::new();
        let mut is_restless = self.is_restless;
        for one in &self.opening {
            let Some(opened) = one.job.opened() else {
                opening.push(one.clone());
                continue;
            };
            self.openings.forget(&one.job);
            is_restless |= opened.as_ref().is_err_and(|refusal| refusal.is_changing);
            match opened {
                Ok(entry) => found.push(Found::of(&one.job.task, entry)),
                Err(refusal) if self.is_file => left_out.push(LeftOut {
                    path: ".".to_owned(),
                    reason: LibraryError::Refused(self.named.clone(), refusal.reasons.join("; ")).to_string(),
                }),
                Err(refusal) => left_out.extend(LeftOut::all(&one.path, &refusal.reasons)),
            }
        }
        Library {
            is_restless,
            ..self.with(found, left_out, opening)
        }
    }

    /// Looks at the source. `exhaustion` is set where a database was left out that would be served if there were more
    /// files or memory to be had.
    fn search(&self, opener: &Opener<'_>, exhaustion: &mut Option<String>) -> Result<Library, LibraryError> {
        let Search {
            source,
            is_file,
            how,
            scan,
        } = search(&self.named, opener)?;
        let is_hung = |names: &[String]| scan.hung.iter().any(|folder| names.starts_with(folder));
        let wanted: HashSet<&Task> = scan.tasks.iter().collect();
        self.openings
            .keep(|task| wanted.contains(task) || is_hung(&task.folder));
        drop(wanted);
        let (mut found, mut left_out, mut opening) = (Vec::new(), scan.left_out, Vec::new());
        for (task, outcome) in opener.open(scan.tasks, &how) {
            match outcome {
                Outcome::Open(entry) => found.push(Found::of(&task, &entry)),
                Outcome::Opening(job) => opening.push(Opening {
                    path: task.path(),
                    job,
                }),
                Outcome::Refused(refusal) => {
                    let mut reasons = refusal.reasons;
                    if refusal.is_exhausted {
                        let reason = reasons.pop().unwrap_or_default();
                        reasons.push(exhaustion.get_or_insert(reason).clone());
                    }
                    if is_file {
                        return Err(LibraryError::Refused(self.named.clone(), reasons.join("; ")));
                    }
                    left_out.extend(LeftOut::all(&task.path(), &reasons));
                }
            }
        }
        let seen: HashSet<*const LibraryEntry> =
            found.iter().map(|found| Arc::as_ptr(&found.entry)).collect();
        let unseen = self.found.iter().filter(|before| is_hung(&before.folder));
        found.extend(
            unseen
                .filter(|before| !seen.contains(&Arc::as_ptr(&before.entry)))
                .cloned(),
        );
        let below = self.opening.iter().filter(|one| is_hung(&one.job.task.folder));
        opening.extend(below.cloned());
        let library = Library {
            source,
            is_file,
            is_restless: opener.is_restless(),
            ..self.with(Vec::new(), Vec::new(), Vec::new())
        };
        Ok(library.with(found, left_out, opening))
    }

    /// This library with other databases.
    fn with(&self, mut found: Vec<Found>, mut left_out: Vec<LeftOut>, opening: Vec<Opening>) -> Library {
        if !self.is_file {
            place(&mut found, self.selection.flat);
        }
        left_out.sort_by(|a, b| a.path.cmp(&b.path));
        // A link that does not answer may be all that there is of a database.
        left_out.dedup();
        let mut databases: Vec<_> = found.iter().map(|found| Arc::clone(&found.entry)).collect();
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            named: self.named.clone(),
            source: self.source.clone(),
            options: self.options.clone(),
            selection: self.selection.clone(),
            patience: self.patience,
            openings: self.openings.clone(),
            found,
            databases,
            left_out,
            opening,
            is_file: self.is_file,
            is_restless: self.is_restless,
        }
    }

    /// A library of databases that are open already; one whose path is empty is the root of the tree.
    pub fn from_databases(databases: Vec<LibraryEntry>) -> Library {
        Library::of(databases.into_iter().map(Arc::new).collect())
    }

    /// The same of databases that others have, too.
    pub fn of(mut databases: Vec<Arc<LibraryEntry>>) -> Library {
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            named: PathBuf::new(),
            source: PathBuf::new(),
            options: Options::default(),
            selection: Selection::default(),
            patience: None,
            openings: Openings::default(),
            found: Vec::new(),
            databases,
            left_out: Vec::new(),
            opening: Vec::new(),
            is_file: false,
            is_restless: false,
        }
    }

    /// True if a database is shown as it was because its files were changing at that moment.
    pub fn is_restless(&self) -> bool {
        self.is_restless
    }

    /// True if this is all the same, and not only alike.
    pub fn is_same(&self, other: &Library) -> bool {
        let mut pairs = self.databases.iter().zip(&other.databases);
        let mut jobs = self.opening.iter().zip(&other.opening);
        self.source == other.source
            && self.left_out == other.left_out
            && self.databases.len() == other.databases.len()
            && self.opening.len() == other.opening.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            && jobs.all(|(one, other)| Arc::ptr_eq(&one.job, &other.job))
    }

    /// The source as the user names it.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The source, as an absolute path without symbolic links.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// True if the root of the tree is a database's own directory.
    pub fn is_single(&self) -> bool {
        self.databases.iter().any(|entry| entry.path.is_empty())
    }

    /// The databases, sorted by path.
    pub fn databases(&self) -> &[Arc<LibraryEntry>] {
        &self.databases
    }

    /// What looked like a database, or might have held one, and is not served.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// What is still being opened.
    pub fn opening(&self) -> &[Opening] {
        &self.opening
    }

    /// How long was waited for what is [being opened](Library::opening).
    pub fn patience(&self) -> Duration {
        self.patience.unwrap_or_default()
    }

    /// Tells when there is something for [`Library::go_on`]: of this library and all that follow from it.
    pub fn endings(&self) -> Endings {
        Endings {
            openings: self.openings.clone(),
            seen: 0,
        }
    }
}

impl Found {
    fn of(task: &Task, entry: &Arc<LibraryEntry>) -> Found {
        Found {
            folder: task.folder.clone(),
            name: task.name.clone(),
            entry: Arc::clone(entry),
        }
    }
}
