//! Threads for a source that may not answer.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::progress::{self, Mark};
use super::silence::Silence;

/// Maximum number of jobs waiting for a thread.
const MOST_WAITING: usize = 512;

/// An idle thread ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// A few threads that run jobs in order, and a clock thread that gives up jobs that take too long.
///
/// Threads are started on demand and end a few seconds after the last job. Nothing joins them: a job that
/// hangs blocks only its own thread. When a pool is dropped, its remaining jobs are still run or given up.
pub struct Pool(Arc<Shared>);

/// Options of a pool.
pub(super) struct PoolOptions {
    /// Name of its threads.
    pub(super) name: &'static str,
    /// Maximum number of threads, and so of jobs that run at the same time.
    pub(super) threads: usize,
    /// Time after which a job is given up.
    pub(super) timeout: Duration,
    pub(super) patience: Patience,
    /// True if the jobs are requests: while one hangs, new ones are given up immediately.
    pub(super) is_for_requests: bool,
}

/// Whether progress extends the time of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Never.
    None,
    /// As long as the source returns data for this job.
    Own,
    /// As long as the source returns data for any job of the pool, because the jobs wait for each other.
    Common,
}

/// Jobs are dropped without the lock held, because the last one may own the pool.
struct Shared {
    options: PoolOptions,
    silence: Arc<Silence>,
    /// The mark that all jobs share if patience is [common](Patience::Common).
    common: Arc<Mark>,
    state: Mutex<State>,
    jobs: Condvar,
    clock: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs that have not started, sorted by number.
    waiting: VecDeque<Waiting>,
    /// Jobs that are neither finished nor given up, sorted by number.
    open: VecDeque<Open>,
    /// Jobs that are running, given up or not, by number.
    begun: BTreeMap<u64, Begun>,
    /// Number of the last job submitted.
    last: u64,
    threads: usize,
    idle: usize,
    has_clock: bool,
    /// When the clock thread looks at the jobs again if nothing wakes it, `None` if there were no jobs.
    looks_at: Option<Instant>,
    is_over: bool,
}

type Call = Box<dyn FnOnce() + Send>;

/// A job that has not started.
struct Waiting {
    number: u64,
    mark: Arc<Mark>,
    job: Call,
}

/// A running job.
struct Begun {
    at: Instant,
    mark: Arc<Mark>,
}

impl Begun {
    /// When the source last returned data for the job.
    fn sign(&self) -> Instant {
        self.mark.last_since(self.at)
    }
}

/// A job that can still be given up.
struct Open {
    number: u64,
    /// When its timeout started, possibly in another pool.
    since: Instant,
    /// When it was submitted to this pool.
    came: Instant,
    give_up: Call,
}

impl Pool {
    pub(super) fn new(options: PoolOptions, silence: &Arc<Silence>) -> Pool {
        Pool(Arc::new(Shared {
            options,
            silence: Arc::clone(silence),
            common: Arc::default(),
            state: Mutex::default(),
            jobs: Condvar::new(),
            clock: Condvar::new(),
        }))
    }

    /// Queues a job whose timeout started at `since`. If the job takes too long, `give_up` is called once,
    /// and the job may still be run or finish later. `give_up` is called immediately if too many jobs are
    /// waiting or an earlier request hangs.
    pub fn submit(
        &self,
        since: Instant,
        job: impl FnOnce() + Send + 'static,
        give_up: impl FnOnce() + Send + 'static,
    ) {
        let options = &self.0.options;
        let mark = match options.patience {
            Patience::Common => Arc::clone(&self.0.common),
            Patience::None | Patience::Own => Arc::default(),
        };
        if options.is_for_requests && self.0.silence.refuses(&mark, options.timeout) {
            return give_up();
        }
        let mut state = self.0.state();
        if state.waiting.len() >= MOST_WAITING {
            drop(state);
            self.0.silence.log_refusal(MOST_WAITING);
            return give_up();
        }
        state.last += 1;
        let number = state.last;
        state.waiting.push_back(Waiting {
            number,
            mark,
            job: Box::new(job),
        });
        let came = Instant::now();
        let is_next = state.is_next(since, options.timeout);
        state.open.push_back(Open {
            number,
            since,
            came,
            give_up: Box::new(give_up),
        });
        let needs_thread = state.waiting.len() > state.idle && state.threads < self.0.options.threads;
        let needs_clock = !state.has_clock;
        state.threads += usize::from(needs_thread);
        state.has_clock = true;
        drop(state);
        self.0.jobs.notify_one();
        if is_next {
            self.0.clock.notify_one();
        }
        if needs_clock && !self.start(Shared::watch_clock) {
            self.0.state().has_clock = false;
        }
        if needs_thread && !self.start(Shared::work) {
            let mut state = self.0.state();
            state.threads -= 1;
            if state.threads == 0 {
                let (waiting, open) = (mem::take(&mut state.waiting), mem::take(&mut state.open));
                drop(state);
                drop(waiting);
                open.into_iter().for_each(|job| (job.give_up)());
            }
        }
    }

    /// Start or last progress of the running job that has made no progress for the longest time.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.0.state().begun.values().map(Begun::sign).min()
    }

    fn start(&self, run: impl FnOnce(&Shared) + Send + 'static) -> bool {
        let shared = Arc::clone(&self.0);
        let thread = thread::Builder::new().name(self.0.options.name.to_owned());
        let started = thread.spawn(move || run(&shared));
        started
            .inspect_err(|error| log::error!("cannot start a thread for requests: {error}"))
            .is_ok()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.jobs.notify_all();
        self.0.clock.notify_all();
    }
}

impl Shared {
    /// Runs jobs until there have been none for [`IDLE`].
    fn work(&self) {
        let mut state = self.state();
        loop {
            if let Some(Waiting { number, mark, job }) = state.waiting.pop_front() {
                let since = state.begin(number, &mark, self.options.patience);
                // The job had more time in the queue, where the progress of others counted for it.
                let is_next = since.is_some_and(|since| state.is_next(since, self.options.timeout));
                drop(state);
                if is_next {
                    self.clock.notify_one();
                }
                let work = || progress::work_for(Some(Arc::clone(&mark)), job);
                // The panic message is already in the log.
                let _ = catch_unwind(AssertUnwindSafe(work));
                mark.beat();
                state = self.state();
                state.begun.remove(&number);
                let done = state.close(number);
                drop(state);
                drop(done);
                state = self.state();
                continue;
            }
            if state.is_over {
                break;
            }
            state.idle += 1;
            let has_waited = self.jobs.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if has_waited && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }

    /// Gives up jobs that take too long, until there have been no jobs for a while.
    fn watch_clock(&self) {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            match state.next_end(&self.options) {
                Some((end, place)) if end <= now => {
                    let Some(job) = state.open.remove(place) else {
                        continue;
                    };
                    let waiting = state.take_waiting(job.number);
                    let silence = now.saturating_duration_since(end) + self.options.timeout;
                    let begun = state.begun.get(&job.number).filter(|begun| {
                        // A job that spent most of its time in the queue does not show that the source hangs.
                        now.saturating_duration_since(begun.sign()) >= self.options.timeout / 2
                    });
                    let mark = begun.map(|begun| Arc::clone(&begun.mark));
                    drop(state);
                    drop(waiting);
                    self.silence.log_silence(silence);
                    if let Some(mark) = mark.filter(|_| self.options.is_for_requests) {
                        self.silence.begin(mark, now);
                    }
                    (job.give_up)();
                    state = self.state();
                }
                Some((end, _)) => {
                    state.looks_at = Some(end);
                    self.clock.wait_for(&mut state, end - now);
                }
                None if state.is_over => break,
                None => {
                    state.looks_at = None;
                    let has_waited = self.clock.wait_for(&mut state, IDLE).timed_out();
                    if has_waited && state.open.is_empty() {
                        break;
                    }
                }
            }
        }
        state.has_clock = false;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// True if a job whose timeout started at `since` may have to be given up before the clock thread looks.
    fn is_next(&self, since: Instant, timeout: Duration) -> bool {
        self.looks_at.is_none_or(|looks_at| since + timeout < looks_at)
    }

    /// Marks a job as running. Returns when its timeout started, unless it was given up.
    fn begin(&mut self, number: u64, mark: &Arc<Mark>, patience: Patience) -> Option<Instant> {
        let begun = Begun {
            at: Instant::now(),
            mark: Arc::clone(mark),
        };
        let place = self.open.binary_search_by_key(&number, |job| job.number);
        let job = place.ok().and_then(|place| self.open.get_mut(place));
        let since = job.map(|job| {
            if patience != Patience::None {
                // The time in the queue does not count: jobs before it made progress.
                job.since += begun.at.saturating_duration_since(job.came);
            }
            job.since
        });
        self.begun.insert(number, begun);
        since
    }

    /// The time at which the next job is to be given up, and its place among the open jobs.
    fn next_end(&self, options: &PoolOptions) -> Option<(Instant, usize)> {
        // A job in the queue waits for any of the running ones.
        let newest = self.begun.values().map(Begun::sign).max();
        let sign = |job: &Open| match (options.patience, self.begun.get(&job.number)) {
            (Patience::None, _) => job.since,
            (_, Some(begun)) => begun.mark.last_since(job.since),
            (_, None) => job.since.max(newest.unwrap_or(job.since)),
        };
        let signs = self.open.iter().map(sign);
        let (place, sign) = signs.enumerate().min_by_key(|&(_, sign)| sign)?;
        Some((sign + options.timeout, place))
    }

    /// Removes a finished job, unless it was given up.
    fn close(&mut self, number: u64) -> Option<Open> {
        let found = self.open.binary_search_by_key(&number, |job| job.number).ok()?;
        self.open.remove(found)
    }

    /// Removes a job that must not be started any more.
    fn take_waiting(&mut self, number: u64) -> Option<Waiting> {
        let found = self
            .waiting
            .binary_search_by_key(&number, |job| job.number)
            .ok()?;
        self.waiting.remove(found)
    }
}

#[cfg(test)]
mod tests;
