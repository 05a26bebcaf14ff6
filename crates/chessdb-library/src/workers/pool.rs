//! The threads of workers.
//!
//! `tests/interleavings/workers.rs` of `pgnfs-server` runs all interleavings with loom's primitives.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::options::{Patience, WorkerOptions};
use super::progress::Mark;
use super::queue::{Call, FileSystemKey, NextJob, OpenJob, Queue, WaitingJob};
use super::silence::Pause;
use super::sync::{Condvar, Mutex, MutexGuard, spawn};
use crate::task::Task;

/// An idle thread ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// Jobs are dropped without the lock held, because the last one may own the workers.
pub(super) struct WorkerPool {
    pub(super) options: WorkerOptions,
    pub(super) time: Clock,
    /// The mark that all jobs share if patience is [common](Patience::Common).
    common: Arc<Mark>,
    /// Never locked together with the state of a [`Silence`](super::Silence).
    queue: Mutex<Queue>,
    jobs: Condvar,
    pub(super) clock: Condvar,
    /// Limits the log lines about threads that cannot be started.
    shortages: Pause,
}

impl WorkerPool {
    pub(super) fn new(options: WorkerOptions, time: Clock) -> WorkerPool {
        WorkerPool {
            queue: Mutex::new(Queue::new(&options)),
            options,
            common: Mark::new(&time),
            time,
            jobs: Condvar::new(),
            clock: Condvar::new(),
            shortages: Pause::new(log::Level::Error),
        }
    }

    /// Queues a job, see [`Workers::submit`](super::Workers::submit).
    pub(super) fn submit(
        self: &Arc<WorkerPool>,
        key: Option<FileSystemKey>,
        since: Instant,
        job: Call,
        give_up: Call,
    ) {
        let options = &self.options;
        let mark = match options.patience {
            Patience::Common => Arc::clone(&self.common),
            Patience::None | Patience::Own => Mark::new(&self.time),
        };
        let now = self.time.now();
        let silence = options.silence.as_ref();
        if options.refuse && silence.is_some_and(|silence| silence.refuses(&mark, now)) {
            return give_up();
        }
        let mut queue = self.queue();
        if queue.waiting() >= options.waiting {
            drop(queue);
            silence.inspect(|silence| silence.log_refusal(options.waiting));
            return give_up();
        }
        let is_next = queue.push([since, now], mark, key, job, give_up);
        let needs_thread = queue.count_thread();
        let needs_clock = options.timeout.is_some() && !queue.has_clock;
        queue.has_clock |= needs_clock;
        drop(queue);
        self.jobs.notify_one();
        if is_next {
            self.clock.notify_one();
        }
        if needs_clock && !self.start(WorkerPool::watch_clock) {
            let mut queue = self.queue();
            queue.has_clock = false;
            // A job that hangs would never be given up.
            give_up_all(queue);
        }
        if needs_thread {
            self.start_thread();
        }
    }

    /// Has the threads end after the last job.
    pub(super) fn end(&self) {
        self.queue().is_over = true;
        self.jobs.notify_all();
        self.clock.notify_all();
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    /// Starts a thread that is [counted](Queue::count_thread) already.
    fn start_thread(self: &Arc<WorkerPool>) {
        if !self.start(WorkerPool::work) {
            self.lose_thread();
        }
    }

    fn start(self: &Arc<WorkerPool>, run: fn(&Arc<WorkerPool>)) -> bool {
        let pool = Arc::clone(self);
        let started = spawn(self.options.name, move || run(&pool));
        let log = |error: &std::io::Error| {
            let (name, level) = (self.options.name, self.shortages.level());
            log::log!(level, "cannot start a thread for {name}: {error}");
        };
        started.inspect_err(log).is_ok()
    }

    /// Runs jobs until there have been none for [`IDLE`].
    fn work(self: &Arc<WorkerPool>) {
        if let Some(Err(error)) = self.options.prepare.map(|prepare| prepare()) {
            log::error!("{}: files cannot be accessed safely: {error}", self.options.name);
            return self.lose_thread();
        }
        let mut queue = self.queue();
        queue.starting -= 1;
        loop {
            let now = self.time.now();
            let pause = match queue.begin(now) {
                NextJob::Job(job, is_next) => {
                    let needs_thread = queue.count_thread();
                    drop(queue);
                    if is_next {
                        self.clock.notify_one();
                    }
                    if needs_thread {
                        self.start_thread();
                    }
                    self.run(job);
                    queue = self.queue();
                    continue;
                }
                NextJob::At(time) => time.saturating_duration_since(now),
                NextJob::None if queue.is_over => break,
                NextJob::None => IDLE,
            };
            queue.idle += 1;
            let has_waited = self.jobs.wait_for(&mut queue, pause).timed_out();
            queue.idle -= 1;
            if has_waited && !queue.may_begin() {
                break;
            }
        }
        queue.threads -= 1;
    }

    fn run(
        &self,
        WaitingJob {
            number, mark, job, ..
        }: WaitingJob,
    ) {
        let work = || Task::of_job(Arc::clone(&mark)).run(job);
        // The panic message is already in the log.
        let _ = catch_unwind(AssertUnwindSafe(work));
        // The job has ended, even if by a panic, so its source answers.
        mark.record();
        let done = self.queue().end(number);
        drop(done);
    }

    /// Gives up all jobs, if no other thread can run them.
    fn lose_thread(&self) {
        let mut queue = self.queue();
        queue.threads -= 1;
        queue.starting -= 1;
        if queue.threads == 0 {
            give_up_all(queue);
        }
    }

    /// Gives up jobs that take too long, until there have been no jobs for a while.
    fn watch_clock(self: &Arc<WorkerPool>) {
        let timeout = self.options.timeout.unwrap_or(Duration::MAX);
        let mut queue = self.queue();
        loop {
            let now = self.time.now();
            match queue.next_end() {
                Some((end, place)) if end <= now => {
                    let Some((OpenJob { give_up, .. }, waiting, mark)) = queue.give_up(place, now) else {
                        continue;
                    };
                    drop(queue);
                    drop(waiting);
                    if let Some(silence) = &self.options.silence {
                        silence.log_silence(now.saturating_duration_since(end) + timeout);
                        if let Some(mark) = mark.filter(|_| self.options.refuse) {
                            silence.begin(mark, now);
                        }
                    }
                    // The panic message is already in the log.
                    let _ = catch_unwind(AssertUnwindSafe(give_up));
                    queue = self.queue();
                }
                Some((end, _)) => {
                    queue.looks_at = Some(end);
                    self.clock.wait_for(&mut queue, end - now);
                }
                None if queue.is_over => break,
                None => {
                    queue.looks_at = None;
                    let has_waited = self.clock.wait_for(&mut queue, IDLE).timed_out();
                    if has_waited && queue.is_empty() {
                        break;
                    }
                }
            }
        }
        queue.has_clock = false;
    }
}

fn give_up_all(mut queue: MutexGuard<'_, Queue>) {
    let (waiting, open) = queue.take_all();
    drop(queue);
    drop(waiting);
    open.into_iter().for_each(|job| (job.give_up)());
}
