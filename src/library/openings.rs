//! Databases that are being opened, each on a thread, several beside each other. Nobody has to wait for one.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::LibraryEntry;
use super::open::{How, Refusal, message, open};
use super::task::Task;
use crate::mapped::{Identity, Mapped};

/// An opening that has taken so long keeps no other from beginning.
const YOUNG: Duration = Duration::from_millis(200);

/// Most threads.
const MOST: usize = 64;

/// Most threads that open databases of one file system that is not local: all of them may hang.
const MOST_OF_A_MOUNT: usize = 2;

/// Most openings younger than [`YOUNG`] at a time: the number of processors.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// All openings of a source as long as it is followed.
#[derive(Clone, Default)]
pub(super) struct Openings(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// An opening has ended.
    ended: Condvar,
    /// Called on each thread before its first opening.
    prepare: OnceLock<fn() -> io::Result<()>>,
}

#[derive(Default)]
struct State {
    known: HashMap<Arc<Task>, Arc<Job>>,
    waiting: VecDeque<Arc<Job>>,
    running: Vec<(Arc<Job>, Instant)>,
    has_starter: bool,
    /// Openings that have ended after somebody had given up waiting for them.
    late: u64,
}

/// What comes of an opening.
pub(super) type Opened = Result<Arc<LibraryEntry>, Refusal>;

/// What the files of each candidate were when its opening began; none for a file that was not there.
pub(super) type Seen = Vec<Vec<Option<Identity>>>;

/// The opening of one database.
pub(super) struct Job {
    pub(super) task: Arc<Task>,
    pub(super) seen: Seen,
    pub(super) since: Instant,
    how: Arc<How>,
    maps: Mutex<Vec<Arc<Mapped>>>,
    opened: OnceLock<Opened>,
    is_late: AtomicBool,
    is_given_up: AtomicBool,
}

impl Openings {
    /// Has this called on each thread before it opens anything. Only the first call counts.
    pub(super) fn prepare(&self, call: fn() -> io::Result<()>) {
        let _ = self.0.prepare.set(call);
    }

    /// The opening that goes on, or whose result nobody has taken.
    pub(super) fn find(&self, task: &Task) -> Option<Arc<Job>> {
        self.0.state().known.get(task).cloned()
    }

    /// Forgets an opening. One that goes on is to be [given up](Job::give_up), too.
    pub(super) fn forget(&self, job: &Job) {
        self.0.state().known.remove(&*job.task);
    }

    /// Forgets and gives up all openings but those that are still wanted.
    pub(super) fn keep(&self, is_wanted: impl Fn(&Task) -> bool) {
        let mut state = self.0.state();
        let unwanted: Vec<Arc<Job>> = state
            .known
            .extract_if(|task, _| !is_wanted(task))
            .map(|(_, job)| job)
            .collect();
        drop(state);
        unwanted.iter().for_each(|job| job.give_up());
    }

    /// Begins to open a database as soon as a thread is free.
    pub(super) fn begin(&self, task: Arc<Task>, seen: Seen, how: &Arc<How>) -> Arc<Job> {
        let job = Arc::new(Job {
            task: Arc::clone(&task),
            seen,
            since: Instant::now(),
            how: Arc::clone(how),
            maps: Mutex::default(),
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

    /// Waits until all of these have ended, or for so long; without a time for ever.
    pub(super) fn wait(&self, jobs: &[Arc<Job>], patience: Option<Duration>) {
        let begin = Instant::now();
        let mut state = self.0.state();
        for job in jobs {
            while job.opened.get().is_none() {
                let left = patience.map(|patience| patience.saturating_sub(begin.elapsed()));
                state = match left {
                    None => self.0.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
                    Some(Duration::ZERO) => {
                        job.is_late.store(true, Ordering::Relaxed);
                        break;
                    }
                    Some(left) => {
                        let waited = self.0.ended.wait_timeout(state, left);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
        }
    }

    /// Waits until more openings than `seen` have ended late, and says how many.
    pub(super) fn wait_for_late(&self, seen: u64) -> u64 {
        let mut state = self.0.state();
        while state.late == seen {
            state = self.0.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.late
    }
}

impl Job {
    /// What has come of it; none while it goes on.
    pub(super) fn opened(&self) -> Option<&Opened> {
        self.opened.get()
    }

    /// Has it end soon, because its files are not what they were or are gone.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
        lock(&self.maps).iter().for_each(|map| map.give_up());
    }

    fn open(&self) -> Opened {
        if self.is_given_up.load(Ordering::Relaxed) {
            return Err(Refusal::changed(
                "it was changed before it was opened: open it again",
            ));
        }
        let mapped = |map: &Arc<Mapped>| {
            lock(&self.maps).push(Arc::clone(map));
            if self.is_given_up.load(Ordering::Relaxed) {
                map.give_up();
            }
        };
        let opened = catch_unwind(AssertUnwindSafe(|| open(&self.task, &self.how, &mapped)));
        lock(&self.maps).clear();
        opened.unwrap_or_else(|panic| Err(format!("it cannot be opened: {}", message(&*panic)).into()))
    }
}

impl Shared {
    /// Starts as many threads as may run.
    fn start(self: &Arc<Shared>) {
        loop {
            let mut state = self.state();
            let Some(job) = state.next() else {
                if !state.waiting.is_empty() && !state.has_starter {
                    state.has_starter = true;
                    drop(state);
                    self.start_later();
                }
                return;
            };
            drop(state);
            let (shared, first) = (Arc::clone(self), Arc::clone(&job));
            let thread = thread::Builder::new().name("pgnfs-open".to_owned());
            let work = move || match shared.prepare.get().map_or(Ok(()), |prepare| prepare()) {
                Ok(()) => shared.work(first, Job::open),
                Err(error) => shared.work(first, |_| Err(format!("cannot be opened safely: {error}").into())),
            };
            if let Err(error) = thread.spawn(work) {
                log::warn!("no thread for opening databases: {error}");
                self.work(job, Job::open);
            }
        }
    }

    /// Starts further threads when those that run have become old.
    fn start_later(self: &Arc<Shared>) {
        let shared = Arc::clone(self);
        let start = move || {
            if let Some(Err(error)) = shared.prepare.get().map(|prepare| prepare()) {
                return log::warn!("databases are opened one by one: {error}");
            }
            loop {
                thread::sleep(YOUNG / 2);
                let mut state = shared.state();
                if state.waiting.is_empty() {
                    state.has_starter = false;
                    return;
                }
                drop(state);
                shared.start();
            }
        };
        let thread = thread::Builder::new().name("pgnfs-openings".to_owned());
        if let Err(error) = thread.spawn(start) {
            log::warn!("no thread for opening databases: {error}");
            self.state().has_starter = false;
        }
    }

    /// Opens one database after the other.
    fn work(&self, first: Arc<Job>, open: impl Fn(&Job) -> Opened) {
        let mut next = Some(first);
        while let Some(job) = next {
            let opened = open(&job);
            let mut state = self.state();
            state.running.retain(|(other, _)| !Arc::ptr_eq(other, &job));
            let _ = job.opened.set(opened);
            state.late += u64::from(job.is_late.load(Ordering::Relaxed));
            next = state.next();
            drop(state);
            self.ended.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// The next opening that may begin now, which counts as running from here on.
    fn next(&mut self) -> Option<Arc<Job>> {
        let young = self.running.iter().filter(|(_, begin)| begin.elapsed() < YOUNG);
        if young.count() >= *PROCESSORS || self.running.len() >= MOST {
            return None;
        }
        let running = &self.running;
        let may_run = |job: &Arc<Job>| {
            let is_beside = |(other, _): &&(Arc<Job>, Instant)| other.task.mount == job.task.mount;
            job.task.mount.is_none() || running.iter().filter(is_beside).count() < MOST_OF_A_MOUNT
        };
        let place = self.waiting.iter().position(may_run)?;
        let job = self.waiting.remove(place)?;
        self.running.push((Arc::clone(&job), Instant::now()));
        Some(job)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
