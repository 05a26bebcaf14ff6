//! One search of a source: which databases are open already, and which must be opened.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::open::{How, Refusal};
use super::openings::{Job, OpenResult, Openings, SeenFiles};
use super::task::OpeningTask;
use super::{DatabaseSelection, LibraryEntry};
use crate::mapped::Identity;
use crate::mounts::{Mount, Mounts};
use crate::task::report_progress;
use crate::workers::hung::{self, Hung};
use chessdb::Options;
use chessdb::files::Candidate;
use chessdb::formats::Format;

/// Options and state of one search.
pub(super) struct Opener<'a> {
    pub(super) options: &'a Options,
    pub(super) selection: &'a DatabaseSelection,
    pub(super) mounts: Mounts,
    pub(super) openings: &'a Arc<Openings>,
    /// How long to wait for openings; `None` for no limit.
    patience: Option<Duration>,
    /// The databases that are open already, also in earlier states.
    pub(super) open: &'a [Arc<LibraryEntry>],
    by_candidate: HashMap<&'a Candidate, Vec<&'a Arc<LibraryEntry>>>,
    /// The databases of the state before the search that have this folder, name and format.
    by_place: HashMap<DatabaseId<'a>, Vec<&'a Arc<LibraryEntry>>>,
    /// How long files must stay unchanged before they are opened.
    rest: Duration,
    is_unsettled: Cell<bool>,
}

/// Result for one database.
pub(super) enum Attempt {
    /// A database, or all of an archive.
    Open(Vec<Arc<LibraryEntry>>),
    Refused(Refusal),
    /// It is still being opened, but the wait is over.
    Opening(Arc<Job>),
}

impl<'a> Opener<'a> {
    /// Opens databases that are not yet in `open`, once they have not changed for `rest`. Until then, a database that
    /// is also in `present` stays as it was.
    pub(super) fn new(
        options: &'a Options,
        selection: &'a DatabaseSelection,
        openings: &'a Arc<Openings>,
        open: &'a [Arc<LibraryEntry>],
        present: &[Arc<LibraryEntry>],
        rest: Duration,
    ) -> Opener<'a> {
        let mut opener = Opener {
            options,
            selection,
            mounts: Mounts::read_or_unknown(),
            openings,
            patience: None,
            open,
            by_candidate: HashMap::new(),
            by_place: HashMap::new(),
            rest,
            is_unsettled: Cell::new(false),
        };
        let present: HashSet<*const LibraryEntry> = present.iter().map(Arc::as_ptr).collect();
        for entry in open {
            let Some(found) = &entry.found else { continue };
            opener.by_candidate.entry(found).or_default().push(entry);
            if present.contains(&Arc::as_ptr(entry)) {
                let place = place(found, entry.format);
                opener.by_place.entry(place).or_default().push(entry);
            }
        }
        opener
    }

    pub(super) fn with_patience(self, patience: Option<Duration>) -> Opener<'a> {
        Opener { patience, ..self }
    }

    /// True if a database was kept or left out because its files may still be changing.
    pub(super) fn is_unsettled(&self) -> bool {
        self.is_unsettled.get()
    }

    /// Opens databases in parallel. Returns the outcomes in the same order.
    pub(super) fn open(&self, tasks: Vec<OpeningTask>, how: &Arc<How>) -> Vec<(Arc<OpeningTask>, Attempt)> {
        let tasks = tasks.into_iter().map(Arc::new);
        let mut outcomes: Vec<(Arc<OpeningTask>, Attempt)> = tasks
            .map(|task| {
                let outcome = self
                    .begin(&task, how)
                    .unwrap_or_else(|hung| self.hung(&task, &hung));
                (task, outcome)
            })
            .collect();
        let jobs = outcomes.iter().filter_map(|(_, outcome)| match outcome {
            Attempt::Opening(job) => Some(Arc::clone(job)),
            _ => None,
        });
        self.openings.wait(&jobs.collect::<Vec<_>>(), self.patience);
        for (_, outcome) in &mut outcomes {
            if let Attempt::Opening(job) = outcome
                && let Some(opened) = job.opened().cloned()
            {
                self.openings.forget(job);
                if opened.as_ref().is_err_and(|refusal| refusal.is_changing) {
                    self.is_unsettled.set(true);
                }
                *outcome = opened.into();
            }
        }
        outcomes
    }

    /// Begins to open a database unless it is open, being opened, or changed too recently.
    fn begin(&self, task: &Arc<OpeningTask>, how: &Arc<How>) -> Result<Attempt, Hung> {
        if let Some(hung) = &task.hung {
            return Err(hung.clone());
        }
        let mut seen = SeenFiles::new();
        let mut is_resting = true;
        for (format, candidate) in &task.candidates {
            let files = each_file(task, candidate, |path| Identity::with_age(path).ok())?;
            is_resting &= files.iter().flatten().all(|(_, age)| *age >= self.rest);
            let now: Vec<Option<Identity>> = files
                .into_iter()
                .map(|file| file.map(|(identity, _)| identity))
                .collect();
            if task.is_usable(candidate)
                && let Some(entries) = self.open_already(task, format, candidate, &now)?
            {
                return Ok(Attempt::Open(entries));
            }
            seen.push(now);
        }
        if let Some(job) = self.openings.find(task) {
            let is_same = job.seen == seen;
            match job.opened() {
                None if is_same => return Ok(Attempt::Opening(job)),
                None => job.give_up(),
                Some(Ok(entries)) if is_same && are_current(entries, task.mount.as_ref())? => {
                    return Ok(Attempt::Opening(job));
                }
                Some(Err(refusal)) if is_same && !refusal.is_changing => return Ok(Attempt::Opening(job)),
                Some(_) => {}
            }
            self.openings.forget(&job);
        }
        let before = self.before(task);
        if !is_resting {
            self.is_unsettled.set(true);
            let reason = || "it is being changed at this moment".to_owned().into();
            return Ok(before.map_or_else(|| Attempt::Refused(reason()), Attempt::Open));
        }
        let copies = before.and_then(|entries| entries.first()?.copies.clone());
        let job = self.openings.begin(Arc::clone(task), seen, how, copies);
        Ok(Attempt::Opening(job))
    }

    /// The open databases of a candidate, if their files have not changed.
    fn open_already(
        &self,
        task: &OpeningTask,
        format: &Format,
        candidate: &Candidate,
        now: &[Option<Identity>],
    ) -> Result<Option<Vec<Arc<LibraryEntry>>>, Hung> {
        let is_same = |entry: &&&Arc<LibraryEntry>| {
            std::ptr::eq(entry.format, format) && entry.identities().eq(now.iter().copied())
        };
        let open = self.by_candidate.get(candidate).into_iter().flatten();
        let entries = each_part(open.filter(is_same));
        let are_open = !entries.is_empty() && are_current(&entries, task.mount.as_ref())?;
        Ok(are_open.then_some(entries))
    }

    /// The outcome for a database whose file system does not answer: its previous state, if any.
    fn hung(&self, task: &OpeningTask, hung: &Hung) -> Attempt {
        let going_on = || self.openings.find(task).map(Attempt::Opening);
        let before = self.before(task).map(Attempt::Open);
        let refused = || Attempt::Refused(hung.to_string().into());
        before.or_else(going_on).unwrap_or_else(refused)
    }

    /// The databases that were open at this place before, unless their files were rewritten in place: they are shown
    /// until their new state is open.
    pub(super) fn intact_before(&self, task: &OpeningTask) -> Vec<Arc<LibraryEntry>> {
        let Some(before) = self.before(task) else {
            return Vec::new();
        };
        let asked = before.clone();
        let are_intact = hung::ask(task.mount.as_ref(), move || {
            asked.iter().all(|entry| entry.is_intact())
        });
        // Databases whose file system does not answer stay as they were.
        if are_intact.unwrap_or(true) {
            before
        } else {
            Vec::new()
        }
    }

    /// The databases that were open at this place before.
    fn before(&self, task: &OpeningTask) -> Option<Vec<Arc<LibraryEntry>>> {
        let mut places = task
            .candidates
            .iter()
            .map(|(format, candidate)| place(candidate, format));
        places.find_map(|place| Some(each_part(self.by_place.get(&place)?.iter())))
    }
}

impl From<OpenResult> for Attempt {
    fn from(opened: OpenResult) -> Attempt {
        match opened {
            Ok(entries) => Attempt::Open(entries),
            Err(refusal) => Attempt::Refused(refusal),
        }
    }
}

/// What identifies a database while its files change: its folder, its name and its format.
type DatabaseId<'a> = (Option<&'a Path>, &'a str, &'static str);

fn place<'a>(candidate: &'a Candidate, format: &Format) -> DatabaseId<'a> {
    let folder = candidate.files.first().and_then(|(_, path)| path.parent());
    (folder, &candidate.name, format.name)
}

/// Calls `ask` for each file of a candidate.
fn each_file<T: Send + 'static>(
    task: &OpeningTask,
    candidate: &Candidate,
    ask: impl Fn(&Path) -> T + Send + 'static,
) -> Result<Vec<T>, Hung> {
    let files = candidate.files.iter();
    if task.mount.is_none() {
        return Ok(files.map(|(_, path)| ask(path)).collect());
    }
    let paths: Vec<PathBuf> = files.map(|(_, path)| path.clone()).collect();
    hung::ask(task.mount.as_ref(), move || {
        let answers = paths.iter().map(|path| {
            let answer = ask(path);
            report_progress();
            answer
        });
        answers.collect()
    })
}

/// The first entry for each part of an archive, or the first one if there are no parts. Several entries may
/// exist, because links may lead to the same files; [`place`](super::places::place) then takes the one that already
/// has the path.
fn each_part<'a>(entries: impl Iterator<Item = &'a &'a Arc<LibraryEntry>>) -> Vec<Arc<LibraryEntry>> {
    let mut parts = HashSet::new();
    let first = entries.filter(|entry| parts.insert(&entry.part));
    first.map(|&entry| Arc::clone(entry)).collect()
}

/// [`LibraryEntry::is_current`] of databases whose files are on a mount that is not local, if it is named.
fn are_current(entries: &[Arc<LibraryEntry>], mount: Option<&Mount>) -> Result<bool, Hung> {
    let asked = entries.to_vec();
    hung::ask(mount, move || asked.iter().all(|entry| entry.is_current()))
}

#[cfg(test)]
mod tests;
