//! The databases of a source, which is a folder or a single database.

mod entry;
mod error;
mod join;
mod kept;
mod names;
mod open;
mod opener;
mod openings;
mod places;
mod reporting;
mod root;
mod scan;
mod search;
mod selection;
mod task;
mod text;
mod unread;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use entry::LibraryEntry;
pub use error::{LeftOut, LibraryError};
pub use kept::KeptFiles;
pub use names::{LONGEST_NAME, TakenNames, cut, is_unprintable, numbered, on_one_line, safe_name, shown};
pub use openings::Report;
pub use selection::Selection;
pub use text::{GameText, append_text, document_text, problems_of, tags_of, text_of};

use chessdb::formats::Options;
use opener::{Attempt, Opener};
use openings::{Job, Openings};
use places::place;
use search::{Search, search};
use task::Task;

/// Maximum time that [`Library::reopen`] waits for databases that it begins to open.
const LONGEST_RELOAD: Duration = Duration::from_millis(500);

/// The open databases of a source.
#[derive(Clone)]
pub struct Library {
    /// The source as the user named it.
    named: PathBuf,
    source: PathBuf,
    options: Options,
    selection: Selection,
    /// How long to wait for databases that open slowly; `None` for no limit.
    patience: Option<Duration>,
    openings: Openings,
    found: Vec<Found>,
    databases: Vec<Arc<LibraryEntry>>,
    left_out: Vec<LeftOut>,
    opening: Vec<Opening>,
    /// The source is a file.
    is_file: bool,
    is_unsettled: bool,
}

/// An open database and where it was found.
#[derive(Clone)]
struct Found {
    /// Names of the folders from the source down, as on disk.
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
    /// Time since opening began.
    pub fn elapsed(&self) -> Duration {
        self.job.since.elapsed()
    }

    /// How many of the bytes that have to be read have been read, and how many have to be; 0 of 0 for a format
    /// that reads headers only.
    pub fn bytes(&self) -> (u64, u64) {
        self.job.progress.bytes()
    }
}

/// Waits for databases that a library left [being opened](Library::opening).
pub struct Endings {
    openings: Openings,
    seen: u64,
}

impl Endings {
    /// Waits until at least one more database is open than at the last call; [`Library::go_on`] then adds it.
    pub fn wait(&mut self) {
        self.seen = self.openings.wait_for_late(self.seen);
    }
}

impl Library {
    /// Opens a folder with everything below it, or the database that a file belongs to. Reads headers only;
    /// decodes no moves.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open(source: &Path, options: &Options) -> Result<Library, LibraryError> {
        Library::open_selected(source, options, &Selection::default())
    }

    /// Like [`Library::open`], but opens only the selected databases of a folder. A database that is the
    /// source itself is always selected.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open_selected(
        source: &Path,
        options: &Options,
        selection: &Selection,
    ) -> Result<Library, LibraryError> {
        Library::unsearched(source, options, selection, Openings::default(), None).first()
    }

    /// Like [`Library::open_selected`], but calls `report` with the progress ten times a second. Databases keep in
    /// `kept` what is costly to find again.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open_reporting(
        source: &Path,
        options: &Options,
        selection: &Selection,
        report: Report,
        kept: Option<KeptFiles>,
    ) -> Result<Library, LibraryError> {
        let openings = Openings::reporting(report, kept);
        Library::unsearched(source, options, selection, openings, None).first()
    }

    /// Like [`Library::open_selected`], but waits for at most `patience`. Databases that are not open by then
    /// remain [being opened](Library::opening) on separate threads. Each thread calls `prepare` first and
    /// opens nothing if that fails.
    ///
    /// # Errors
    /// If there is nothing to serve: see [`LibraryError`].
    pub fn open_within(
        source: &Path,
        options: &Options,
        selection: &Selection,
        patience: Duration,
        prepare: fn() -> io::Result<()>,
        kept: Option<KeptFiles>,
    ) -> Result<Library, LibraryError> {
        Library::unsearched(
            source,
            options,
            selection,
            Openings::with(prepare, kept),
            Some(patience),
        )
        .first()
    }

    /// Like [`Library::open_within`], but a source that does not exist or has no databases gives a library
    /// without any. [`Library::left_out`] has the reason, and [`Library::reopen`] searches again.
    ///
    /// # Errors
    /// If the source exists and cannot be served: see [`LibraryError`].
    pub fn open_or_wait(
        source: &Path,
        options: &Options,
        selection: &Selection,
        patience: Duration,
        prepare: fn() -> io::Result<()>,
        kept: Option<KeptFiles>,
    ) -> Result<Library, LibraryError> {
        let openings = Openings::with(prepare, kept);
        let library = Library::unsearched(source, options, selection, openings, Some(patience));
        match library.first() {
            Err(
                error @ (LibraryError::Missing(_)
                | LibraryError::NoDatabases { .. }
                | LibraryError::NoneWanted(_)),
            ) => Ok(Library {
                left_out: vec![LeftOut::new(".", error.to_string())],
                ..library
            }),
            opened => opened,
        }
    }

    fn unsearched(
        source: &Path,
        options: &Options,
        selection: &Selection,
        openings: Openings,
        patience: Option<Duration>,
    ) -> Library {
        Library {
            named: source.to_owned(),
            source: source.to_owned(),
            options: options.clone(),
            selection: selection.clone(),
            patience,
            openings,
            ..Library::of(Vec::new())
        }
    }

    /// Searches the source for the first time.
    fn first(&self) -> Result<Library, LibraryError> {
        let mut exhaustion = None;
        let library = self.search(&self.opener(&[], Duration::ZERO), &mut exhaustion)?;
        if !library.databases.is_empty() || !library.opening.is_empty() {
            return Ok(library);
        }
        Err(match exhaustion {
            Some(reason) => LibraryError::Refused(library.named, reason),
            None if self.selection.is_choosy() => LibraryError::NoneWanted(library.named),
            None => LibraryError::NoDatabases {
                source: library.named,
                left_out: library.left_out,
            },
        })
    }

    /// Searches the source again. Databases in `open` whose files have not changed are kept, and so are those
    /// that changed less than `rest` ago, because they may be incomplete. Openings continue. If the source
    /// cannot be read any more, there are no databases, and [`Library::left_out`] has the reason.
    #[must_use]
    pub fn reopen(&self, open: &[Arc<LibraryEntry>], rest: Duration) -> Library {
        // Databases that take longer are added later.
        let patience = self.patience.map(|patience| patience.min(LONGEST_RELOAD));
        let opener = self.opener(open, rest).with_patience(patience);
        self.search(&opener, &mut None).unwrap_or_else(|error| {
            let (kept, source, reason) = match &error {
                // The databases stay as they were.
                LibraryError::Hung(_, hung) => (self.clone(), &self.source, hung.to_string()),
                // Where links led before says nothing about where they will lead.
                _ => (Library::of(Vec::new()), &self.named, error.to_string()),
            };
            let left_out = LeftOut::new(".", reason);
            Library {
                source: source.clone(),
                is_unsettled: opener.is_unsettled(),
                ..self.with(kept.found, vec![left_out], kept.opening)
            }
        })
    }

    fn opener<'a>(&'a self, open: &'a [Arc<LibraryEntry>], rest: Duration) -> Opener<'a> {
        let opener = Opener::new(&self.options, &self.selection, &self.openings, open, rest);
        opener.with_patience(self.patience)
    }

    /// This library with the databases that have been opened since. Does not access the source.
    #[must_use]
    pub fn go_on(&self) -> Library {
        let (mut found, mut left_out) = (self.found.clone(), self.left_out.clone());
        let mut opening = Vec::new();
        let mut is_unsettled = self.is_unsettled;
        for one in &self.opening {
            let Some(opened) = one.job.opened() else {
                opening.push(one.clone());
                continue;
            };
            self.openings.forget(&one.job);
            found.retain(|before| !before.is_of(&one.job.task));
            is_unsettled |= opened.as_ref().is_err_and(|refusal| refusal.is_changing);
            match opened {
                Ok(entries) => found.extend(Found::all(&one.job.task, entries, self.is_file)),
                Err(refusal) if self.is_file => {
                    let reason = LibraryError::Refused(self.named.clone(), refusal.reasons.join("; "));
                    left_out.push(LeftOut::new(".", reason.to_string()));
                }
                Err(refusal) => left_out.extend(LeftOut::all(&one.path, &refusal.reasons)),
            }
        }
        Library {
            is_unsettled,
            ..self.with(found, left_out, opening)
        }
    }

    /// Searches the source. Sets `exhaustion` to the reason if a database was left out because there are not
    /// enough file descriptors or memory.
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
                Attempt::Open(entries) => found.extend(Found::all(&task, &entries, is_file)),
                Attempt::Opening(job) => {
                    if task.is_joined {
                        // What was copied stays valid until the new state is open.
                        let before = opener.before(&task).unwrap_or_default();
                        found.extend(Found::all(&task, &before, is_file));
                    }
                    opening.push(Opening {
                        path: task.path(),
                        job,
                    });
                }
                Attempt::Refused(refusal) => {
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
            is_unsettled: opener.is_unsettled(),
            ..self.with(Vec::new(), Vec::new(), Vec::new())
        };
        Ok(library.with(found, left_out, opening))
    }

    /// This library with other databases.
    fn with(&self, mut found: Vec<Found>, mut left_out: Vec<LeftOut>, opening: Vec<Opening>) -> Library {
        let is_in_archive = |found: &Found| found.entry.part.is_some();
        if !self.is_file || found.iter().any(is_in_archive) {
            place(&mut found, self.selection.flat);
        }
        left_out.sort_by(|a, b| a.path.cmp(&b.path));
        // A link that does not answer and the database named after it give the same line.
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
            is_unsettled: self.is_unsettled,
        }
    }

    /// A library of open databases; one with an empty path is the root of the tree.
    pub fn from_databases(databases: Vec<LibraryEntry>) -> Library {
        Library::of(databases.into_iter().map(Arc::new).collect())
    }

    /// Like [`Library::from_databases`], for shared databases.
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
            is_unsettled: false,
        }
    }

    /// True if a database is shown in an older state because its files were changing during the search.
    pub fn is_unsettled(&self) -> bool {
        self.is_unsettled
    }

    /// True if both have the same source and share the same databases and openings.
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

    /// The source as the user named it.
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

    /// What looked like a database or might have contained one but is not served.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Databases that are still being opened.
    pub fn opening(&self) -> &[Opening] {
        &self.opening
    }

    /// How long the library waited for databases that are still [being opened](Library::opening).
    pub fn patience(&self) -> Duration {
        self.patience.unwrap_or_default()
    }

    /// Waits for databases that this library, or one derived from it, is opening.
    pub fn endings(&self) -> Endings {
        Endings {
            openings: self.openings.clone(),
            seen: 0,
        }
    }
}

impl Found {
    /// True for an earlier state of a task's database.
    fn is_of(&self, task: &Task) -> bool {
        (&self.folder, &self.name) == (&task.folder, &task.name)
    }

    /// The opened databases of a task. If an archive contains several, they are in a folder with the name of
    /// the archive, or at the root if the archive is the source.
    fn all(task: &Task, entries: &[Arc<LibraryEntry>], is_source: bool) -> impl Iterator<Item = Found> {
        entries.iter().map(move |entry| {
            let mut folder = task.folder.clone();
            let name = match &entry.part {
                None => &task.name,
                Some(part) => {
                    folder.extend((!is_source).then(|| task.name.clone()));
                    part
                }
            };
            Found {
                folder,
                name: name.clone(),
                entry: Arc::clone(entry),
            }
        })
    }
}
