//! Databases that are being opened in parallel threads. Callers may stop waiting for them.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::LibraryEntry;
use super::open::{How, Refusal, message, open};
use super::task::OpeningTask;
use crate::kept::KeptFiles;
use crate::mapped::{Copies, Identity, Mapped};
use chessdb::files::Progress;

/// Openings that have run for longer no longer count towards the limit [`PROCESSORS`].
const YOUNG: Duration = Duration::from_millis(200);

/// Pause between two reports of progress.
const REPORTS: Duration = Duration::from_millis(100);

/// Time after which starting a thread is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum number of threads.
const MOST: usize = 64;

/// Maximum number of threads for one file system that is not local, because all of them may hang.
const MOST_OF_A_MOUNT: usize = 2;

/// Maximum number of openings younger than [`YOUNG`] at a time: the number of processors.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// The openings of a source, shared by all libraries derived from it.
#[derive(Clone, Default)]
pub(super) struct Openings(Arc<OpeningPool>);

struct OpeningPool {
    state: Mutex<OpeningQueue>,
    /// Signalled when an opening has ended or could not be started.
    ended: Condvar,
    /// Called on each thread before its first opening.
    prepare: Option<fn() -> io::Result<()>>,
    /// Where databases store results that take long to compute.
    kept: Option<KeptFiles>,
    /// Called with the progress of the openings while a caller waits for them.
    report: Option<ProgressReport>,
    /// Starts a thread.
    spawn: Spawn,
}

/// Receives numbers of bytes: how many of those that have to be read to open databases have been read.
pub type ProgressReport = Box<dyn Fn(u64, u64) + Send + Sync>;

type Work = Box<dyn FnOnce() + Send>;

type Spawn = fn(&str, Work) -> io::Result<()>;

impl Default for OpeningPool {
    fn default() -> OpeningPool {
        OpeningPool {
            state: Mutex::default(),
            ended: Condvar::new(),
            prepare: None,
            kept: None,
            report: None,
            spawn: |name, work| thread::Builder::new().name(name.to_owned()).spawn(work).map(drop),
        }
    }
}

#[derive(Default)]
struct OpeningQueue {
    known: HashMap<Arc<OpeningTask>, Arc<Job>>,
    waiting: VecDeque<Arc<Job>>,
    running: Vec<(Arc<Job>, Instant)>,
    has_starter: bool,
    /// No thread could be started for an opening that waits.
    is_short: bool,
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

impl Openings {
    /// Openings whose threads call `prepare` first and open nothing if that fails, whose databases keep in `kept` what
    /// takes long to find again, and whose progress is reported while they are waited for.
    pub(super) fn new(
        prepare: Option<fn() -> io::Result<()>>,
        kept: Option<KeptFiles>,
        report: Option<ProgressReport>,
    ) -> Openings {
        Openings(Arc::new(OpeningPool {
            prepare,
            kept,
            report,
            ..OpeningPool::default()
        }))
    }

    /// Where databases store results that take long to compute.
    pub(super) fn kept(&self) -> Option<KeptFiles> {
        self.0.kept.clone()
    }

    /// The opening of a task that is running, or whose result was not taken.
    pub(super) fn find(&self, task: &OpeningTask) -> Option<Arc<Job>> {
        self.0.state().known.get(task).cloned()
    }

    /// Removes an opening. One that is still running must also be [given up](Job::give_up).
    pub(super) fn forget(&self, job: &Job) {
        self.0.state().known.remove(&*job.task);
    }

    /// Removes and gives up all openings that are not wanted any more.
    pub(super) fn keep(&self, is_wanted: impl Fn(&OpeningTask) -> bool) {
        let mut state = self.0.state();
        let unwanted: Vec<Arc<Job>> = state
            .known
            .extract_if(|task, _| !is_wanted(task))
            .map(|(_, job)| job)
            .collect();
        drop(state);
        unwanted.iter().for_each(|job| job.give_up());
    }

    /// Queues the opening of a database and starts a thread for it if the limits allow.
    /// Files that have not changed share the `copies` of the previous state, if it has any.
    pub(super) fn begin(
        &self,
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
        let mut state = self.0.state();
        state.known.insert(task, Arc::clone(&job));
        state.waiting.push_back(Arc::clone(&job));
        drop(state);
        self.0.start();
        job
    }

    /// Waits until all `jobs` have ended, but no longer than `patience`. Meanwhile reports progress.
    pub(super) fn wait(&self, jobs: &[Arc<Job>], patience: Option<Duration>) {
        let begin = Instant::now();
        let mut state = self.0.state();
        for job in jobs {
            while job.opened.get().is_none() {
                let left = patience.map(|patience| patience.saturating_sub(begin.elapsed()));
                if left == Some(Duration::ZERO) {
                    job.is_late.store(true, Ordering::Relaxed);
                    break;
                }
                let Some(report) = &self.0.report else {
                    state = self.0.wait(state, left);
                    continue;
                };
                state = self
                    .0
                    .wait(state, Some(left.map_or(REPORTS, |left| left.min(REPORTS))));
                let bytes = jobs.iter().map(|job| job.progress.bytes());
                let (read, all) = bytes.fold((0, 0), |sum, bytes| (sum.0 + bytes.0, sum.1 + bytes.1));
                // Without the lock, because a terminal may stop.
                drop(state);
                report(read, all);
                state = self.0.state();
            }
        }
    }

    /// Waits until more than `seen` openings have ended late, and returns their number; `None` if `is_over` is set.
    pub(super) fn wait_for_late(&self, seen: u64, is_over: &AtomicBool) -> Option<u64> {
        let mut state = self.0.state();
        while state.late == seen {
            if is_over.load(Ordering::Acquire) {
                return None;
            }
            state = self.0.wait(state, None);
        }
        Some(state.late)
    }

    /// Has [`Openings::wait_for_late`] look whether it is over.
    pub(super) fn wake(&self) {
        // With the lock, so that none is missed that is about to wait.
        let _state = self.0.state();
        self.0.ended.notify_all();
    }
}

impl Job {
    /// The result; `None` while the opening is running.
    pub(super) fn opened(&self) -> Option<&OpenResult> {
        self.opened.get()
    }

    /// Makes the opening end soon, because its files have changed or are gone.
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
        opened.unwrap_or_else(|panic| Err(format!("it cannot be opened: {}", message(&*panic)).into()))
    }
}

impl OpeningPool {
    /// Waits until an opening has ended, or for the given time. Meanwhile tries again to start missing
    /// threads.
    fn wait<'a>(
        self: &'a Arc<OpeningPool>,
        mut state: MutexGuard<'a, OpeningQueue>,
        longest: Option<Duration>,
    ) -> MutexGuard<'a, OpeningQueue> {
        let is_short = state.is_short;
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
        drop(state);
        self.start();
        self.state()
    }

    /// Starts as many threads as the limits allow.
    fn start(self: &Arc<OpeningPool>) {
        let mut is_short = false;
        loop {
            let mut state = self.state();
            let Some(job) = state.next(is_short) else {
                state.is_short = is_short;
                let is_later = state.pause(false).is_some_and(|pause| !pause.is_zero());
                if is_later && !state.has_starter {
                    state.has_starter = true;
                    drop(state);
                    self.start_later();
                }
                return;
            };
            drop(state);
            let (pool, first) = (Arc::clone(self), Arc::clone(&job));
            let work = move || {
                match pool.prepare.map_or(Ok(()), |prepare| prepare()) {
                    Ok(()) => pool.work(first, false, Job::open),
                    Err(error) => pool.work(first, false, |_| {
                        Err(format!("cannot be opened safely: {error}").into())
                    }),
                }
                pool.start();
            };
            let Err(error) = (self.spawn)("pgnfs-open", Box::new(work)) else {
                continue;
            };
            if job.task.mount.is_none() {
                log::warn!("no thread for opening databases: {error}");
                self.work(job, true, Job::open);
                continue;
            }
            // Opening a file on a mount that may hang here would block this thread, so the job is queued
            // again.
            log::debug!("no thread for opening databases: {error}");
            is_short = true;
            self.state().put_back(job);
            self.ended.notify_all();
        }
    }

    /// Starts further threads when the running openings are older than [`YOUNG`], as long as openings are
    /// waiting.
    fn start_later(self: &Arc<OpeningPool>) {
        let pool = Arc::clone(self);
        let start = move || {
            if let Some(Err(error)) = pool.prepare.map(|prepare| prepare()) {
                return log::warn!("databases are opened one by one: {error}");
            }
            loop {
                let mut state = pool.state();
                let Some(pause) = state.pause(state.is_short) else {
                    state.has_starter = false;
                    return;
                };
                drop(state);
                thread::sleep(pause);
                pool.start();
            }
        };
        if let Err(error) = (self.spawn)("pgnfs-openings", Box::new(start)) {
            log::debug!("no thread for opening databases: {error}");
            let mut state = self.state();
            (state.has_starter, state.is_short) = (false, true);
            drop(state);
            self.ended.notify_all();
        }
    }

    /// Opens one database after another.
    fn work(&self, first: Arc<Job>, only_local: bool, open: impl Fn(&Job) -> OpenResult) {
        let mut next = Some(first);
        while let Some(job) = next {
            let opened = open(&job);
            let mut state = self.state();
            state.running.retain(|(other, _)| !Arc::ptr_eq(other, &job));
            let _ = job.opened.set(opened);
            state.late += u64::from(job.is_late.load(Ordering::Relaxed));
            next = state.next(only_local);
            drop(state);
            self.ended.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, OpeningQueue> {
        self.state.lock()
    }
}

impl OpeningQueue {
    /// The next opening that may start now. It counts as running from this call on.
    fn next(&mut self, only_local: bool) -> Option<Arc<Job>> {
        if self.pause(only_local) != Some(Duration::ZERO) {
            return None;
        }
        let place = self.place(only_local)?;
        let job = self.waiting.remove(place)?;
        self.running.push((Arc::clone(&job), Instant::now()));
        Some(job)
    }

    /// Time until an opening may start; `None` if another one must end first.
    fn pause(&self, only_local: bool) -> Option<Duration> {
        self.place(only_local)?;
        let ages = self.running.iter().map(|(_, begin)| begin.elapsed());
        let young = ages.filter(|&age| age < YOUNG);
        if young.clone().count() < *PROCESSORS {
            Some(Duration::ZERO)
        } else {
            young.max().map(|oldest| YOUNG - oldest)
        }
    }

    /// The place of the first waiting opening that does not exceed the limits.
    fn place(&self, only_local: bool) -> Option<usize> {
        if self.running.len() >= MOST {
            return None;
        }
        let may_run = |job: &Arc<Job>| {
            let is_beside = |(other, _): &&(Arc<Job>, Instant)| other.task.mount == job.task.mount;
            let beside = || self.running.iter().filter(is_beside).count();
            job.task.mount.is_none() || (!only_local && beside() < MOST_OF_A_MOUNT)
        };
        self.waiting.iter().position(may_run)
    }

    /// Queues an opening again that could not be started.
    fn put_back(&mut self, job: Arc<Job>) {
        self.running.retain(|(other, _)| !Arc::ptr_eq(other, &job));
        self.waiting.push_front(job);
    }
}

#[cfg(test)]
mod tests;
