//! One look at a source: which databases are open already, and which are to be opened.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::open::{How, Refusal};
use super::openings::{Job, Opened, Openings, Seen};
use super::task::Task;
use super::{LibraryEntry, Selection};
use crate::hung::{self, Hung};
use crate::mapped::Identity;
use crate::mounts::{Mount, Mounts};
use chessdb::formats::{Candidate, Format, Options};

/// What the user wants of a source, and what is open already.
pub(super) struct Opener<'a> {
    pub(super) options: &'a Options,
    pub(super) selection: &'a Selection,
    pub(super) mounts: Mounts,
    pub(super) openings: &'a Openings,
    /// How long to wait for what is being opened; without a time, until it is open.
    patience: Option<Duration>,
    open: HashMap<&'a Candidate, Vec<&'a Arc<LibraryEntry>>>,
    /// The first of the open databases that has this folder, name and format.
    by_place: HashMap<(Option<&'a Path>, &'a str, &'static str), &'a Arc<LibraryEntry>>,
    /// How long files must not have changed.
    rest: Duration,
    is_restless: Cell<bool>,
}

/// What has become of a database.
pub(super) enum Outcome {
    Open(Arc<LibraryEntry>),
    Refused(Refusal),
    /// Nobody waits for it any more.
    Opening(Arc<Job>),
}

impl<'a> Opener<'a> {
    /// Opens what is not `open` already and has not changed for so long.
    pub(super) fn new(
        options: &'a Options,
        selection: &'a Selection,
        openings: &'a Openings,
        open: &'a [Arc<LibraryEntry>],
        rest: Duration,
    ) -> Opener<'a> {
        let mut opener = Opener {
            options,
            selection,
            mounts: Mounts::read_or_unknown(),
            openings,
            patience: None,
            open: HashMap::new(),
            by_place: HashMap::new(),
            rest,
            is_restless: Cell::new(false),
        };
        for entry in open {
            if let Some(found) = &entry.found {
                opener.open.entry(found).or_default().push(entry);
                opener.by_place.entry(place(found, entry.format)).or_insert(entry);
            }
        }
        opener
    }

    pub(super) fn with_patience(self, patience: Option<Duration>) -> Opener<'a> {
        Opener { patience, ..self }
    }

    /// True if something was left as it was because it may still be changing.
    pub(super) fn is_restless(&self) -> bool {
        self.is_restless.get()
    }

    /// Opens databases beside each other. The outcomes are in the same order.
    pub(super) fn open(&self, tasks: Vec<Task>, how: &Arc<How>) -> Vec<(Arc<Task>, Outcome)> {
        let tasks = tasks.into_iter().map(Arc::new);
        let mut outcomes: Vec<(Arc<Task>, Outcome)> = tasks
            .map(|task| {
                let outcome = self
                    .begin(&task, how)
                    .unwrap_or_else(|hung| self.hung(&task, &hung));
                (task, outcome)
            })
            .collect();
        let jobs = outcomes.iter().filter_map(|(_, outcome)| match outcome {
            Outcome::Opening(job) => Some(Arc::clone(job)),
            _ => None,
        });
        self.openings.wait(&jobs.collect::<Vec<_>>(), self.patience);
        for (_, outcome) in &mut outcomes {
            if let Outcome::Opening(job) = outcome
                && let Some(opened) = job.opened().cloned()
            {
                self.openings.forget(job);
                if opened.as_ref().is_err_and(|refusal| refusal.is_changing) {
                    self.is_restless.set(true);
                }
                *outcome = opened.into();
            }
        }
        outcomes
    }

    /// Begins to open a database that is not open and has rested.
    fn begin(&self, task: &Arc<Task>, how: &Arc<How>) -> Result<Outcome, Hung> {
        if let Some(hung) = &task.hung {
            return Err(hung.clone());
        }
        let mut seen = Seen::new();
        for (format, candidate) in &task.candidates {
            let now = self.identities(task, candidate)?;
            if task.is_usable(candidate)
                && let Some(entry) = self.open_already(task, format, candidate, &now)?
            {
                return Ok(Outcome::Open(entry));
            }
            seen.push(now);
        }
        if let Some(job) = self.openings.find(task) {
            let is_same = job.seen == seen;
            match job.opened() {
                None if is_same => return Ok(Outcome::Opening(job)),
                None => job.give_up(),
                Some(Ok(entry)) if is_same && is_intact(entry, task.mount.as_ref())? => {
                    return Ok(Outcome::Opening(job));
                }
                Some(Err(refusal)) if is_same && !refusal.is_changing => return Ok(Outcome::Opening(job)),
                Some(_) => {}
            }
            self.openings.forget(&job);
        }
        if let Some(before) = self.restless(task)? {
            return Ok(before);
        }
        Ok(Outcome::Opening(self.openings.begin(Arc::clone(task), seen, how)))
    }

    /// What the files of a candidate are now.
    fn identities(&self, task: &Task, candidate: &Candidate) -> Result<Vec<Option<Identity>>, Hung> {
        each_file(task, candidate, |path| Identity::at(path).ok())
    }

    /// The database that is open already, where its files are what they were.
    fn open_already(
        &self,
        task: &Task,
        format: &Format,
        candidate: &Candidate,
        now: &[Option<Identity>],
    ) -> Result<Option<Arc<LibraryEntry>>, Hung> {
        for &entry in self.open.get(candidate).into_iter().flatten() {
            let then = entry.maps.iter().map(|map| Some(map.identity()));
            if std::ptr::eq(entry.format, format)
                && then.eq(now.iter().copied())
                && is_intact(entry, task.mount.as_ref())?
            {
                return Ok(Some(Arc::clone(entry)));
            }
        }
        Ok(None)
    }

    /// None if the files have rested. Else the database as it was until now, where there was one.
    fn restless(&self, task: &Task) -> Result<Option<Outcome>, Hung> {
        if self.rest.is_zero() {
            return Ok(None);
        }
        for (_, candidate) in &task.candidates {
            let ages = each_file(task, candidate, |path| Identity::age(path).ok())?;
            if ages.into_iter().flatten().any(|age| age < self.rest) {
                self.is_restless.set(true);
                let reason = || "it is being changed at this moment".to_owned().into();
                let before = self.before(task).map(Outcome::Open);
                return Ok(Some(before.unwrap_or_else(|| Outcome::Refused(reason()))));
            }
        }
        Ok(None)
    }

    /// What becomes of a database whose file system does not answer: it stays what it was.
    fn hung(&self, task: &Task, hung: &Hung) -> Outcome {
        let going_on = || self.openings.find(task).map(Outcome::Opening);
        let before = self.before(task).map(Outcome::Open);
        let refused = || Outcome::Refused(hung.to_string().into());
        before.or_else(going_on).unwrap_or_else(refused)
    }

    /// The database that has been open here until now.
    fn before(&self, task: &Task) -> Option<Arc<LibraryEntry>> {
        let mut places = task
            .candidates
            .iter()
            .map(|(format, candidate)| place(candidate, format));
        places.find_map(|place| self.by_place.get(&place).map(|&entry| Arc::clone(entry)))
    }
}

impl From<Opened> for Outcome {
    fn from(opened: Opened) -> Outcome {
        match opened {
            Ok(entry) => Outcome::Open(entry),
            Err(refusal) => Outcome::Refused(refusal),
        }
    }
}

/// What a database keeps while its files change: its folder, its name and its format.
fn place<'a>(candidate: &'a Candidate, format: &Format) -> (Option<&'a Path>, &'a str, &'static str) {
    let folder = candidate.files.first().and_then(|(_, path)| path.parent());
    (folder, &candidate.name, format.name)
}

/// Asks something of each file of a candidate.
fn each_file<T: Send + 'static>(
    task: &Task,
    candidate: &Candidate,
    ask: impl Fn(&Path) -> T + Send + 'static,
) -> Result<Vec<T>, Hung> {
    let files = candidate.files.iter();
    if task.mount.is_none() {
        return Ok(files.map(|(_, path)| ask(path)).collect());
    }
    let paths: Vec<PathBuf> = files.map(|(_, path)| path.clone()).collect();
    hung::ask(task.mount.as_ref(), move |pulse| {
        let answers = paths.iter().map(|path| {
            let answer = ask(path);
            pulse.beat();
            answer
        });
        answers.collect()
    })
}

/// [`LibraryEntry::is_intact`] of files on a mount that is not local, if it is named.
fn is_intact(entry: &Arc<LibraryEntry>, mount: Option<&Mount>) -> Result<bool, Hung> {
    let asked = Arc::clone(entry);
    hung::ask(mount, move |_| asked.is_intact())
}
