//! Databases that are being opened in parallel threads. Callers may stop waiting for them.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::LibraryEntry;
use super::open::{How, Refusal, open};
use super::task::OpeningTask;
use crate::kept::KeptFiles;
use crate::mapped::{Copies, Identity, Mapped};
use crate::task::panic_message;
use crate::workers::{Pace, WorkerOptions, Workers, hung};
use chessdb::files::Progress;

/// Openings that have run for longer mostly wait for a disk and not for a processor, so further ones begin.
const YOUNG: Duration = Duration::from_millis(200);

/// Pause between two reports of progress.
const REPORTS: Duration = Duration::from_millis(100);

/// Time after which starting a thread is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum number of threads.
const MOST: usize = 64;

/// Maximum number of openings at a time on one file system that is not local, because all of them may hang.
const MOST_OF_A_MOUNT: usize = 2;

/// The openings of a source, shared by all libraries derived from it.
pub(super) struct Openings {
    state: Mutex<KnownOpenings>,
    /// Signalled when an opening has ended or could not be started.
    ended: Condvar,
    workers: Workers,
    /// Called before each opening, on its thread.
    prepare: Option<fn() -> io::Result<()>>,
    /// Where databases store results that take long to compute.
    kept: Option<KeptFiles>,
    /// Called with the progress of the openings while a caller waits for them.
    report: Option<ProgressReport>,
}

/// Receives numbers of bytes: how many of those that have to be read to open databases have been read.
pub type ProgressReport = Box<dyn Fn(u64, u64) + Send + Sync>;

#[derive(Default)]
struct KnownOpenings {
    known: HashMap<Arc<OpeningTask>, Arc<Job>>,
    /// Openings for which no thread could be started.
    unstarted: Vec<Arc<Job>>,
    /// Number of openings that ended after the wait for them was over.
    late: u64,
}

/// Result of an opening: one database, or all databases of an archive.
pub(super) type OpenResult = Result<Vec<Arc<LibraryEntry>>, Refusal>;

/// The identities of each candidate's files when its opening began; `None` for a missing file.
pub(super) type SeenFiles = Vec<Vec<Option<Identity>>>;

/// The opening of one database.
pub(super) struct Job {
    pub(super) task: Arc<OpeningTask>,
    pub(super) seen: SeenFiles,
    pub(super) since: Instant,
    how: Arc<How>,
    /// How far it has come.
    pub(super) progress: Arc<Progress>,
    maps: Mutex<Vec<Arc<Mapped>>>,
    /// The copies of the database's files in its previous state, until it is opened.
    copies: Mutex<Option<Arc<Copies>>>,
    opened: OnceLock<OpenResult>,
    is_late: AtomicBool,
    is_given_up: AtomicBool,
}

impl Default for Openings {
    fn default() -> Openings {
        Openings::new(None, None, None)
    }
}

impl Openings {
    /// Openings without any job. `prepare` is called first on each of their threads, which opens nothing if that fails.
    /// The databases store results that take long to compute in `kept`. `progress` is called while a caller waits.
    pub(super) fn new(
        prepare: Option<fn() -> io::Result<()>>,
        kept: Option<KeptFiles>,
        report: Option<ProgressReport>,
    ) -> Openings {
        Openings {
            state: Mutex::default(),
            ended: Condvar::new(),
            workers: Workers::new(options()),
            prepare,
            kept,
            report,
        }
    }

    /// Where databases store results that take long to compute.
    pub(super) fn kept(&self) -> Option<KeptFiles> {
        self.kept.clone()
    }

    /// The opening of a task that is running, or whose result was not taken.
    pub(super) fn find(&self, task: &OpeningTask) -> Option<Arc<Job>> {
        self.state().known.get(task).cloned()
    }

    /// Removes an opening. One that is still running must also be [given up](Job::give_up).
    pub(super) fn forget(&self, job: &Job) {
        self.state().known.remove(&*job.task);
    }

    /// Removes and gives up all openings that are not wanted any more.
    pub(super) fn keep(&self, is_wanted: impl Fn(&OpeningTask) -> bool) {
        let mut state = self.state();
        let unwanted: Vec<Arc<Job>> = state
            .known
            .extract_if(|task, _| !is_wanted(task))
            .map(|(_, job)| job)
            .collect();
        drop(state);
        unwanted.iter().for_each(|job| job.give_up());
    }

    /// Starts to open a database once the limits allow it. Files that have not changed share the `copies` of the
    /// previous state, if it has any.
    pub(super) fn begin(
        self: &Arc<Openings>,
        task: Arc<OpeningTask>,
        seen: SeenFiles,
        how: &Arc<How>,
        copies: Option<Arc<Copies>>,
    ) -> Arc<Job> {
        let job = Arc::new(Job {
            task: Arc::clone(&task),
            seen,
            since: Instant::now(),
            how: Arc::clone(how),
            progress: Arc::default(),
            maps: Mutex::default(),
            copies: Mutex::new(copies),
            opened: OnceLock::new(),
            is_late: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        });
        self.state().known.insert(task, Arc::clone(&job));
        self.start(&job);
        job
    }

    /// Waits until all `jobs` have ended, but no longer than `patience`. Meanwhile reports progress.
    pub(super) fn wait(self: &Arc<Openings>, jobs: &[Arc<Job>], patience: Option<Duration>) {
        let begin = Instant::now();
        let mut state = self.state();
        for job in jobs {
            while job.opened.get().is_none() {
                let left = patience.map(|patience| patience.saturating_sub(begin.elapsed()));
                if left == Some(Duration::ZERO) {
                    job.is_late.store(true, Ordering::Relaxed);
                    break;
                }
                let Some(report) = &self.report else {
                    state = self.wait_for_end(state, left);
                    continue;
                };
                let pause = left.map_or(REPORTS, |left| left.min(REPORTS));
                state = self.wait_for_end(state, Some(pause));
                let bytes = jobs.iter().map(|job| job.progress.bytes());
                let (read, all) = bytes.fold((0, 0), |sum, bytes| (sum.0 + bytes.0, sum.1 + bytes.1));
                // Without the lock: writing to a terminal blocks while its user has stopped the output.
                drop(state);
                report(read, all);
                state = self.state();
            }
        }
    }

    /// Waits until more than `seen` openings have ended late, and returns their number; `None` if `is_over` is set.
    pub(super) fn wait_for_late(self: &Arc<Openings>, seen: u64, is_over: &AtomicBool) -> Option<u64> {
        let mut state = self.state();
        while state.late == seen {
            if is_over.load(Ordering::Acquire) {
                return None;
            }
            state = self.wait_for_end(state, None);
        }
        Some(state.late)
    }

    /// Makes [`Openings::wait_for_late`] check `is_over` again.
    pub(super) fn wake(&self) {
        // With the lock held, so that a thread between its check and its wait does not miss this.
        let _state = self.state();
        self.ended.notify_all();
    }

    /// Has a thread open a database.
    fn start(self: &Arc<Openings>, job: &Arc<Job>) {
        let (openings, own) = (Arc::clone(self), Arc::clone(job));
        let work = move || {
            let opened = match openings.prepare.map_or(Ok(()), |prepare| prepare()) {
                Ok(()) => own.open(),
                Err(error) => Err(format!("cannot be opened safely: {error}").into()),
            };
            openings.end(&own, opened);
        };
        let (openings, own) = (Arc::clone(self), Arc::clone(job));
        let without_thread = move || openings.do_without_thread(own);
        let since = Instant::now();
        match &job.task.mount {
            Some(mount) => self
                .workers
                .submit_for(hung::key_of(mount), since, work, without_thread),
            None => self.workers.submit(since, work, without_thread),
        }
    }

    /// Opens a local database in this thread, because no other can be started. A file on a mount that may hang would
    /// block this thread, so a thread is tried for it again later.
    fn do_without_thread(&self, job: Arc<Job>) {
        if job.task.mount.is_none() {
            return self.end(&job, job.open());
        }
        self.state().unstarted.push(job);
        self.ended.notify_all();
    }

    fn end(&self, job: &Job, opened: OpenResult) {
        let mut state = self.state();
        let _ = job.opened.set(opened);
        // With the lock held, because `wait` marks jobs as late under it: each late job is counted once.
        state.late += u64::from(job.is_late.load(Ordering::Relaxed));
        drop(state);
        self.ended.notify_all();
    }

    /// Waits until an opening has ended, or for the given time. Meanwhile tries again to start missing
    /// threads.
    fn wait_for_end<'a>(
        self: &'a Arc<Openings>,
        mut state: MutexGuard<'a, KnownOpenings>,
        longest: Option<Duration>,
    ) -> MutexGuard<'a, KnownOpenings> {
        let is_short = !state.unstarted.is_empty();
        let pause = match (longest, is_short) {
            (None, false) => {
                self.ended.wait(&mut state);
                return state;
            }
            (Some(longest), false) => longest,
            (longest, true) => longest.map_or(RETRY, |longest| longest.min(RETRY)),
        };
        let has_waited = self.ended.wait_for(&mut state, pause).timed_out();
        if !is_short || !has_waited {
            return state;
        }
        let unstarted = mem::take(&mut state.unstarted);
        drop(state);
        unstarted.iter().for_each(|job| self.start(job));
        self.state()
    }

    fn state(&self) -> MutexGuard<'_, KnownOpenings> {
        self.state.lock()
    }
}

impl Job {
    /// The result; `None` while the opening is running.
    pub(super) fn opened(&self) -> Option<&OpenResult> {
        self.opened.get()
    }

    /// Makes the opening end soon, because its files have changed or disappeared.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
        self.maps.lock().iter().for_each(|map| map.give_up());
    }

    fn open(&self) -> OpenResult {
        if self.is_given_up.load(Ordering::Relaxed) {
            return Err(Refusal::changed(
                "it was changed before it was opened: open it again",
            ));
        }
        let mapped = |map: &Arc<Mapped>| {
            // Entered first, tested afterwards. `give_up` does it the other way round, so that one of the two always
            // sees the other.
            self.maps.lock().push(Arc::clone(map));
            if self.is_given_up.load(Ordering::Relaxed) {
                map.give_up();
            }
        };
        let copies = self.copies.lock().take();
        let opened = catch_unwind(AssertUnwindSafe(|| {
            open(&self.task, &self.how, copies.as_deref(), &self.progress, &mapped)
        }));
        self.maps.lock().clear();
        opened.unwrap_or_else(|panic| Err(format!("it cannot be opened: {}", panic_message(&*panic)).into()))
    }
}

fn options() -> WorkerOptions {
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    WorkerOptions {
        name: "pgnfs-open",
        threads: MOST,
        waiting: usize::MAX,
        of_a_file_system: MOST_OF_A_MOUNT,
        pace: Some(Pace {
            jobs: processors,
            young: YOUNG,
        }),
        ..WorkerOptions::default()
    }
}

#[cfg(test)]
mod tests;
