//! Threads that ask a source which may not answer.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::progress::{self, Mark};
use super::silence::Silence;

/// Jobs that wait for a thread, at most.
const MOST_WAITING: usize = 512;

/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// A few threads that do jobs in the order in which they come, and a clock that gives up those that take too long.
///
/// Threads are started when there are jobs and end some seconds after the last one. Nothing ever waits for one: a job
/// that hangs keeps its thread, and no more than that. When a pool is dropped, its jobs are still done or given up.
pub struct Pool(Arc<Shared>);

/// How a pool works.
pub(super) struct PoolOptions {
    /// Name of its threads.
    pub(super) name: &'static str,
    /// Jobs at a time.
    pub(super) threads: usize,
    /// How long a job may take.
    pub(super) timeout: Duration,
    pub(super) patience: Patience,
    /// Its jobs are requests: as long as one of them hangs, others are given up at once.
    pub(super) is_for_requests: bool,
}

/// When a job may take longer than the timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Never.
    None,
    /// As long as the source goes on giving something for this job.
    Own,
    /// As long as the source goes on giving something for any job of the pool: they wait for each other.
    Common,
}

/// Jobs are dropped without the lock, as the last one may hold the pool.
struct Shared {
    options: PoolOptions,
    silence: Arc<Silence>,
    /// The mark of all jobs, where patience is [common](Patience::Common).
    common: Arc<Mark>,
    state: Mutex<State>,
    jobs: Condvar,
    clock: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs that no thread has begun, by number.
    waiting: VecDeque<Waiting>,
    /// Jobs that are neither done nor given up, by number.
    open: VecDeque<Open>,
    /// Jobs that are being done, given up or not, by number.
    begun: BTreeMap<u64, Begun>,
    /// Number of the last job.
    last: u64,
    threads: usize,
    idle: usize,
    has_clock: bool,
    is_over: bool,
}

type Call = Box<dyn FnOnce() + Send>;

/// A job that no thread has begun.
struct Waiting {
    number: u64,
    mark: Arc<Mark>,
    job: Call,
}

/// A job that is being done.
struct Begun {
    at: Instant,
    mark: Arc<Mark>,
}

impl Begun {
    /// When the source last gave something for it.
    fn sign(&self) -> Instant {
        self.mark.last_since(self.at)
    }
}

/// A job that may be given up.
struct Open {
    number: u64,
    /// When its time began.
    since: Instant,
    /// When it came to this pool.
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

    /// Has a job done whose time began at `since`. Where it takes too long, `give_up` is called once, and the job may
    /// still be done later. It is called at once where too many jobs wait, or where an earlier request hangs.
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
        // Others may have got more time than this one has left.
        let is_next = state.open.is_empty() || options.patience != Patience::None;
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

    /// Since when the job has hung that hangs longest.
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
    /// Does jobs until there have been none for a while.
    fn work(&self) {
        let mut state = self.state();
        loop {
            if let Some(Waiting { number, mark, job }) = state.waiting.pop_front() {
                state.begin(number, &mark, self.options.patience);
                drop(state);
                let work = || progress::work_for(Some(Arc::clone(&mark)), job);
                // What it said when it panicked is in the log.
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
            let (next, waited) = wait(&self.jobs, state, IDLE);
            state = next;
            state.idle -= 1;
            if waited && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }

    /// Gives up what takes too long, until there has been nothing for a while.
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
                        // One that waited for its turn most of the time says little of the source.
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
                Some((end, _)) => state = wait(&self.clock, state, end - now).0,
                None if state.is_over => break,
                None => {
                    let (next, waited) = wait(&self.clock, state, IDLE);
                    state = next;
                    if waited && state.open.is_empty() {
                        break;
                    }
                }
            }
        }
        state.has_clock = false;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes down that a job is begun.
    fn begin(&mut self, number: u64, mark: &Arc<Mark>, patience: Patience) {
        let begun = Begun {
            at: Instant::now(),
            mark: Arc::clone(mark),
        };
        if patience != Patience::None
            && let Ok(place) = self.open.binary_search_by_key(&number, |job| job.number)
            && let Some(job) = self.open.get_mut(place)
        {
            // It waited for others that went on.
            job.since += begun.at.saturating_duration_since(job.came);
        }
        self.begun.insert(number, begun);
    }

    /// When the next job is to be given up, and its place among those that are open.
    fn next_end(&self, options: &PoolOptions) -> Option<(Instant, usize)> {
        // What has not begun waits for any of those that have.
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

    /// Takes out a job that is done, unless it was given up.
    fn close(&mut self, number: u64) -> Option<Open> {
        let found = self.open.binary_search_by_key(&number, |job| job.number).ok()?;
        self.open.remove(found)
    }

    /// Takes out a job that is not to be begun any more.
    fn take_waiting(&mut self, number: u64) -> Option<Waiting> {
        let found = self
            .waiting
            .binary_search_by_key(&number, |job| job.number)
            .ok()?;
        self.waiting.remove(found)
    }
}

/// Waits for a signal. True where there was none.
fn wait<'a>(
    signal: &Condvar,
    state: MutexGuard<'a, State>,
    longest: Duration,
) -> (MutexGuard<'a, State>, bool) {
    let (state, waited) = signal
        .wait_timeout(state, longest)
        .unwrap_or_else(PoisonError::into_inner);
    (state, waited.timed_out())
}

#[cfg(test)]
mod tests;
