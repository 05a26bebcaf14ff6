//! The states of a library: its first search, later ones, and databases that are opened in between.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::opener::{Attempt, Opener};
use super::places::{LocatedEntry, place};
use super::search::{FoundSource, search};
use super::task::OpeningTask;
use super::{LeftOut, Library, LibraryEntry, LibraryError, Opening};

/// Maximum time that [`Library::reopen`] waits for databases that it begins to open. Short, because no other change is
/// shown until then either.
const LONGEST_RELOAD: Duration = Duration::from_millis(500);

impl Library {
    /// Searches the source for the first time.
    pub(super) fn first(&self) -> Result<Library, LibraryError> {
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

    /// Searches the source again. Keeps databases in `open` whose files have not changed, and databases of this library
    /// that changed less than `rest` ago, because their new files may be incomplete. Openings continue. If the source
    /// cannot be read any more, there are no databases, and [`Library::left_out`] has the reason.
    #[must_use]
    pub fn reopen(&self, open: &[Arc<LibraryEntry>], rest: Duration) -> Library {
        // Databases that take longer are added later.
        let patience = self.patience.map(|patience| patience.min(LONGEST_RELOAD));
        let opener = self.opener(open, rest).with_patience(patience);
        let mut is_missing = false;
        let library = self.search(&opener, &mut None).unwrap_or_else(|error| {
            is_missing = matches!(error, LibraryError::Missing(_) | LibraryError::Unreadable(..));
            let (kept, source, reason) = match &error {
                // The databases stay as they were.
                LibraryError::Hung(_, hung) => (self.clone(), &self.source, hung.to_string()),
                // Where links led before says nothing about where they will lead.
                _ => (Library::from_shared(Vec::new()), &self.named, error.to_string()),
            };
            let left_out = LeftOut::new(".", reason);
            Library {
                source: source.clone(),
                is_unsettled: opener.is_unsettled(),
                ..self.with(kept.found, vec![left_out], kept.opening, open)
            }
        });
        let is_empty =
            library.databases.is_empty() && library.opening.is_empty() && library.left_out.is_empty();
        let is_news = !self.databases.is_empty() || !self.opening.is_empty();
        let gone = self.gone.or_else(|| is_news.then(SystemTime::now));
        Library {
            gone: gone.filter(|_| is_missing || is_empty),
            ..library
        }
    }

    fn opener<'a>(&'a self, open: &'a [Arc<LibraryEntry>], rest: Duration) -> Opener<'a> {
        let (options, selection) = (&self.options, &self.selection);
        let opener = Opener::new(options, selection, &self.openings, open, &self.databases, rest);
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
            let is_changing = opened.as_ref().is_err_and(|refusal| refusal.is_changing);
            is_unsettled |= is_changing;
            let is_before = |found: &LocatedEntry| found.is_of(&one.task, self.is_file);
            if is_changing && found.iter().any(is_before) {
                continue;
            }
            found.retain(|found| !is_before(found));
            match opened {
                Ok(entries) => found.extend(LocatedEntry::all(&one.task, entries, self.is_file)),
                Err(refusal) if self.is_file => {
                    let reason = LibraryError::Refused(self.named.clone(), refusal.reasons.join("; "));
                    left_out.push(LeftOut::new(".", reason.to_string()));
                }
                Err(refusal) => left_out.extend(LeftOut::all(&one.path, refusal)),
            }
        }
        Library {
            is_unsettled,
            ..self.with(found, left_out, opening, &self.databases)
        }
    }

    /// Searches the source. Sets `exhaustion` to the reason if a database was left out because there are not
    /// enough file descriptors or memory.
    fn search(&self, opener: &Opener<'_>, exhaustion: &mut Option<String>) -> Result<Library, LibraryError> {
        let FoundSource {
            source,
            is_file,
            how,
            scan,
        } = search(&self.named, opener)?;
        let is_hung = |names: &[String]| scan.hung.iter().any(|folder| names.starts_with(folder));
        let wanted: HashSet<&OpeningTask> = scan.tasks.iter().collect();
        self.openings
            .keep(|task| wanted.contains(task) || is_hung(&task.folder));
        drop(wanted);
        let (mut found, mut left_out, mut opening) = (Vec::new(), scan.left_out, Vec::new());
        for (task, outcome) in opener.open(scan.tasks, &how) {
            match outcome {
                Attempt::Open(entries) => found.extend(LocatedEntry::all(&task, &entries, is_file)),
                Attempt::Opening(job) => {
                    let before = opener.intact_before(&task);
                    found.extend(LocatedEntry::all(&task, &before, is_file));
                    opening.push(Opening {
                        path: task.path(),
                        task,
                        job,
                    });
                }
                Attempt::Refused(mut refusal) => {
                    if refusal.is_changing {
                        let before = opener.intact_before(&task);
                        if !before.is_empty() {
                            found.extend(LocatedEntry::all(&task, &before, is_file));
                            continue;
                        }
                    }
                    if refusal.is_exhausted {
                        let reason = refusal.reasons.pop().unwrap_or_default();
                        refusal.reasons.push(exhaustion.get_or_insert(reason).clone());
                    }
                    if is_file {
                        let reason = refusal.reasons.join("; ");
                        return Err(LibraryError::Refused(self.named.clone(), reason));
                    }
                    left_out.extend(LeftOut::all(&task.path(), &refusal));
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
        let below = self.opening.iter().filter(|one| is_hung(&one.task.folder));
        opening.extend(below.cloned());
        let library = Library {
            source,
            is_file,
            is_unsettled: opener.is_unsettled(),
            ..self.with(Vec::new(), Vec::new(), Vec::new(), &[])
        };
        Ok(library.with(found, left_out, opening, opener.open))
    }

    /// This library with other databases. `before` are the entries that keep their paths.
    fn with(
        &self,
        mut found: Vec<LocatedEntry>,
        mut left_out: Vec<LeftOut>,
        opening: Vec<Opening>,
        before: &[Arc<LibraryEntry>],
    ) -> Library {
        let is_in_archive = |found: &LocatedEntry| found.entry.part.is_some();
        if !self.is_file || found.iter().any(is_in_archive) {
            place(&mut found, self.selection.flat, before);
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
            openings: Arc::clone(&self.openings),
            found,
            databases,
            left_out,
            opening,
            is_file: self.is_file,
            is_unsettled: self.is_unsettled,
            gone: self.gone,
        }
    }
}
