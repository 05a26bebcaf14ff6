//! Threads that ask a source which may not answer.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::Pause;

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
    /// A job may take longer as long as its source gives something.
    pub(super) is_patient: bool,
}

/// Jobs are dropped without the lock, as the last one may hold the pool.
struct Shared {
    options: PoolOptions,
    pulse: Arc<Pulse>,
    state: Mutex<State>,
    jobs: Condvar,
    clock: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs that no thread has begun, by number.
    waiting: VecDeque<(u64, Call)>,
    /// Jobs that are neither done nor given up, by number.
    open: VecDeque<Open>,
    /// When the jobs were begun that are being done, given up or not.
    begun: BTreeMap<u64, Instant>,
    /// Number of the last job.
    last: u64,
    threads: usize,
    idle: usize,
    has_clock: bool,
    is_over: bool,
}

type Call = Box<dyn FnOnce() + Send>;

/// A job that may be given up.
struct Open {
    number: u64,
    since: Instant,
    give_up: Call,
}

impl Pool {
    pub(super) fn new(options: PoolOptions, pulse: &Arc<Pulse>) -> Pool {
        Pool(Arc::new(Shared {
            options,
            pulse: Arc::clone(pulse),
            state: Mutex::default(),
            jobs: Condvar::new(),
            clock: Condvar::new(),
        }))
    }

    /// Has a job done. Where that takes too long, `give_up` is called once, and the job may still be done later. It is
    /// called at once where too many jobs wait.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static, give_up: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state();
        if state.waiting.len() >= MOST_WAITING {
            drop(state);
            self.0.pulse.tell_refusal();
            return give_up();
        }
        state.last += 1;
        let number = state.last;
        state.waiting.push_back((number, Box::new(job)));
        state.open.push_back(Open {
            number,
            since: Instant::now(),
            give_up: Box::new(give_up),
        });
        let needs_thread = state.waiting.len() > state.idle && state.threads < self.0.options.threads;
        let needs_clock = !state.has_clock;
        state.threads += usize::from(needs_thread);
        state.has_clock = true;
        let is_first = state.open.len() == 1;
        drop(state);
        self.0.jobs.notify_one();
        if is_first {
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
        let begun = self.0.state().begun.values().next().copied()?;
        Some(self.0.last_sign(begun))
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
            if let Some((number, job)) = state.waiting.pop_front() {
                state.begun.insert(number, Instant::now());
                drop(state);
                // What it said when it panicked is in the log.
                let _ = catch_unwind(AssertUnwindSafe(job));
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
            match state
                .open
                .front()
                .map(|job| self.last_sign(job.since) + self.options.timeout)
            {
                Some(end) if end <= now => {
                    let Some(job) = state.open.pop_front() else {
                        continue;
                    };
                    let waiting = state.take_waiting(job.number);
                    drop(state);
                    drop(waiting);
                    self.pulse.tell_silence(now - job.since);
                    (job.give_up)();
                    state = self.state();
                }
                Some(end) => state = wait(&self.clock, state, end - now).0,
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

    /// When the source gave something for a job that has been there since then.
    fn last_sign(&self, since: Instant) -> Instant {
        match self.options.is_patient {
            true => since.max(self.pulse.last()),
            false => since,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes out a job that is done, unless it was given up.
    fn close(&mut self, number: u64) -> Option<Open> {
        let found = self.open.binary_search_by_key(&number, |job| job.number).ok()?;
        self.open.remove(found)
    }

    /// Takes out a job that is not to be begun any more.
    fn take_waiting(&mut self, number: u64) -> Option<(u64, Call)> {
        let found = self.waiting.binary_search_by_key(&number, |job| job.0).ok()?;
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

/// When the source of a database last gave something.
pub(super) struct Pulse {
    name: String,
    begin: Instant,
    /// Milliseconds from the begin.
    last: AtomicU64,
    /// Between lines of the log on its silence, and on jobs that are refused.
    silences: Pause,
    refusals: Pause,
}

impl Pulse {
    /// The source of a database of this name.
    pub(super) fn new(name: String) -> Pulse {
        Pulse {
            name,
            begin: Instant::now(),
            last: AtomicU64::new(0),
            silences: Pause::new(),
            refusals: Pause::new(),
        }
    }

    /// Takes down that it gave something.
    pub(super) fn beat(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.begin + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    /// Milliseconds from the begin.
    fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Puts into the log that it does not answer.
    fn tell_silence(&self, since: Duration) {
        let (name, seconds) = (&self.name, since.as_secs());
        let level = self.silences.level();
        log::log!(level, "{name}: the source has not answered for {seconds} s");
    }

    /// Puts into the log that a request is refused because too many wait.
    fn tell_refusal(&self) {
        let (name, level) = (&self.name, self.refusals.level());
        log::log!(
            level,
            "{name}: {MOST_WAITING} requests wait for the source, and no more can"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// How long anything may take.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn pool(threads: usize, timeout: Duration, is_patient: bool) -> (Pool, Arc<Pulse>) {
        let pulse = Arc::new(Pulse::new("a source".to_owned()));
        let options = PoolOptions {
            name: "test",
            threads,
            timeout,
            is_patient,
        };
        (Pool::new(options, &pulse), pulse)
    }

    #[derive(Debug, PartialEq, Eq)]
    enum End {
        Done(usize),
        GivenUp(usize),
    }

    /// Submits jobs that take until something is sent for each.
    fn submit(pool: &Pool, jobs: usize) -> (Sender<()>, Receiver<End>) {
        let (open, gate) = channel();
        let (end, ended) = channel();
        let gate = Arc::new(Mutex::new(gate));
        for job in 0..jobs {
            let (gate, done, given_up) = (Arc::clone(&gate), end.clone(), end.clone());
            pool.submit(
                move || {
                    let _ = gate.lock().unwrap().recv();
                    done.send(End::Done(job)).unwrap();
                },
                move || given_up.send(End::GivenUp(job)).unwrap(),
            );
        }
        (open, ended)
    }

    fn next(ended: &Receiver<End>) -> End {
        ended.recv_timeout(PATIENCE).unwrap()
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_never_begun() {
        let (pool, _) = pool(2, Duration::from_millis(50), false);
        let (open, ended) = submit(&pool, 10);
        for job in 0..10 {
            assert_eq!(next(&ended), End::GivenUp(job));
        }
        drop(open);
        // At most two had been begun.
        assert!(ended.iter().all(|end| matches!(end, End::Done(0 | 1))));
        let (open, again) = submit(&pool, 1);
        open.send(()).unwrap();
        assert!(matches!(next(&again), End::Done(0)));
    }

    #[test]
    fn a_job_that_hangs_leaves_the_other_threads() {
        let (pool, _) = pool(2, PATIENCE, false);
        let (_open, hanging) = submit(&pool, 1);
        let (open, ended) = submit(&pool, 100);
        drop(open);
        let done: Vec<End> = (0..100).map(|_| next(&ended)).collect();
        assert_eq!(done, (0..100).map(End::Done).collect::<Vec<_>>());
        assert!(hanging.try_recv().is_err());
    }

    #[test]
    fn a_queue_that_is_full_gives_up_at_once() {
        let (pool, _) = pool(1, PATIENCE, false);
        let (open, ended) = submit(&pool, MOST_WAITING + 2);
        // The first job is being done, or waits with the others.
        assert!(matches!(next(&ended), End::GivenUp(job) if job >= MOST_WAITING));
        drop(open);
        let others: Vec<End> = (0..=MOST_WAITING).map(|_| next(&ended)).collect();
        let done = others.iter().filter(|end| matches!(end, End::Done(_))).count();
        assert!(done >= MOST_WAITING, "{done}");
    }

    #[test]
    fn a_source_that_gives_something_is_waited_for() {
        let (pool, pulse) = pool(1, Duration::from_secs(1), true);
        let (open, ended) = submit(&pool, 1);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(2) {
            pulse.beat();
            thread::sleep(Duration::from_millis(5));
        }
        open.send(()).unwrap();
        assert_eq!(next(&ended), End::Done(0));
        let (_open, ended) = submit(&pool, 1);
        assert_eq!(next(&ended), End::GivenUp(0));
    }

    #[test]
    fn dropping_a_pool_waits_for_nothing() {
        let (pool, _) = pool(1, Duration::from_millis(50), false);
        let (_open, ended) = submit(&pool, 3);
        drop(pool);
        assert_eq!([(); 3].map(|()| next(&ended)), [0, 1, 2].map(End::GivenUp));
    }
}
