//! Threads for work that may take long or never end, such as system calls on a network file system.
//!
//! [`Workers`] run jobs in order on a bounded number of threads. A job that takes too long is given up: its caller
//! gets an answer, and only the job's own thread stays blocked. [`hung`] asks file systems in this way, and
//! requests that may have to wait are answered so.

mod clock;
pub mod hung;
pub mod progress;
mod queue;
mod silence;

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use clock::Clock;
use progress::Mark;
use queue::{OpenJob, Queue, WaitingJob};
pub use silence::{Pause, Silence};

/// Default for the maximum number of jobs waiting for a thread.
const MOST_WAITING: usize = 512;

/// An idle thread ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// All workers that exist.
static ALL: Mutex<Vec<Weak<WorkerPool>>> = Mutex::new(Vec::new());

/// A few threads that run jobs in order, and a clock thread that gives up jobs that take too long.
///
/// Threads are started on demand and end a few seconds after the last job. Nothing joins them: a job that
/// hangs blocks only its own thread. When the workers are dropped, their remaining jobs are still run or given up.
///
/// ```
/// use std::sync::mpsc::channel;
/// use std::time::Instant;
///
/// use chessdb_library::workers::{WorkerOptions, Workers};
///
/// let workers = Workers::new(WorkerOptions::default());
/// let (done, is_done) = channel();
/// workers.submit(Instant::now(), move || done.send(7).unwrap(), || ());
/// assert_eq!(is_done.recv(), Ok(7));
/// ```
pub struct Workers(Arc<WorkerPool>);

/// Options of workers.
#[derive(Clone)]
pub struct WorkerOptions {
    /// Name of the threads.
    pub name: &'static str,
    /// Maximum number of threads, and so of jobs that run at the same time.
    pub threads: usize,
    /// Maximum number of jobs that wait for a thread.
    pub waiting: usize,
    /// Time after which a job is given up; `None` for never.
    pub timeout: Option<Duration>,
    /// Whether progress extends this time.
    pub patience: Patience,
    /// Where it is recorded and logged that a job hangs.
    pub silence: Option<Arc<Silence>>,
    /// True if new jobs are given up immediately while one hangs.
    pub refuse: bool,
    /// Called first by each new thread. If it fails, the thread does nothing.
    pub prepare: Option<Prepare>,
}

/// Prepares a thread.
pub type Prepare = fn() -> std::io::Result<()>;

impl Default for WorkerOptions {
    /// One thread, whose jobs are never given up.
    fn default() -> WorkerOptions {
        WorkerOptions {
            name: "workers",
            threads: 1,
            waiting: MOST_WAITING,
            timeout: None,
            patience: Patience::None,
            silence: None,
            refuse: false,
            prepare: None,
        }
    }
}

/// Whether progress extends the time of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Never.
    None,
    /// As long as the source returns data for this job.
    Own,
    /// As long as the source returns data for any job of the workers, because the jobs wait for each other.
    Common,
}

/// Workers that have jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Name of the threads.
    pub name: &'static str,
    /// Number of jobs that run.
    pub running: usize,
    /// Number of jobs that wait for a thread.
    pub waiting: usize,
}

/// All workers of the process that have jobs.
pub fn busy() -> Vec<Busy> {
    let all: Vec<Arc<WorkerPool>> = ALL.lock().iter().filter_map(Weak::upgrade).collect();
    let busy = all.iter().map(|pool| {
        let queue = pool.queue();
        Busy {
            name: pool.options.name,
            running: queue.running(),
            waiting: queue.waiting(),
        }
    });
    busy.filter(|busy| busy.running + busy.waiting > 0).collect()
}

/// Jobs are dropped without the lock held, because the last one may own the workers.
struct WorkerPool {
    options: WorkerOptions,
    time: Clock,
    /// The mark that all jobs share if patience is [common](Patience::Common).
    common: Arc<Mark>,
    queue: Mutex<Queue>,
    jobs: Condvar,
    clock: Condvar,
}

type Call = Box<dyn FnOnce() + Send>;

impl Workers {
    /// Workers without threads yet.
    pub fn new(options: WorkerOptions) -> Workers {
        Workers::with_clock(options, Clock::default())
    }

    fn with_clock(options: WorkerOptions, time: Clock) -> Workers {
        let pool = Arc::new(WorkerPool {
            queue: Mutex::new(Queue::new(options.timeout, options.patience)),
            options,
            common: Mark::new(&time),
            time,
            jobs: Condvar::new(),
            clock: Condvar::new(),
        });
        let mut all = ALL.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&pool));
        Workers(pool)
    }

    /// Queues a job whose timeout started at `since`. If the job takes too long, `give_up` is called once,
    /// and the job may still be run or finish later. `give_up` is called immediately if too many jobs are
    /// waiting, there is no thread and none can be started, or an earlier job hangs.
    pub fn submit(
        &self,
        since: Instant,
        job: impl FnOnce() + Send + 'static,
        give_up: impl FnOnce() + Send + 'static,
    ) {
        let options = &self.0.options;
        let mark = match options.patience {
            Patience::Common => Arc::clone(&self.0.common),
            Patience::None | Patience::Own => Mark::new(&self.0.time),
        };
        let now = self.0.time.now();
        let silence = options.silence.as_ref();
        if options.refuse && silence.is_some_and(|silence| silence.refuses(&mark, now)) {
            return give_up();
        }
        let mut queue = self.0.queue();
        if queue.waiting() >= options.waiting {
            drop(queue);
            silence.inspect(|silence| silence.log_refusal(options.waiting));
            return give_up();
        }
        let is_next = queue.push([since, now], mark, Box::new(job), Box::new(give_up));
        let needs_thread = queue.needs_thread(options.threads);
        let needs_clock = options.timeout.is_some() && !queue.has_clock;
        queue.threads += usize::from(needs_thread);
        queue.has_clock |= needs_clock;
        drop(queue);
        self.0.jobs.notify_one();
        if is_next {
            self.0.clock.notify_one();
        }
        if needs_clock && !self.start(WorkerPool::watch_clock) {
            let mut queue = self.0.queue();
            queue.has_clock = false;
            // A job that hangs would never be given up.
            give_up_all(queue);
        }
        if needs_thread && !self.start(WorkerPool::work) {
            self.0.lose_thread();
        }
    }

    /// Start or last progress of the running job that has made no progress for the longest time.
    pub fn oldest(&self) -> Option<Instant> {
        self.0.queue().oldest_sign()
    }

    fn start(&self, run: fn(&WorkerPool)) -> bool {
        let pool = Arc::clone(&self.0);
        let thread = thread::Builder::new().name(self.0.options.name.to_owned());
        thread
            .spawn(move || run(&pool))
            .inspect_err(|error| log::error!("cannot start a thread for {}: {error}", self.0.options.name))
            .is_ok()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.queue().is_over = true;
        self.0.jobs.notify_all();
        self.0.clock.notify_all();
    }
}

impl WorkerPool {
    /// Runs jobs until there have been none for [`IDLE`].
    fn work(&self) {
        if let Some(Err(error)) = self.options.prepare.map(|prepare| prepare()) {
            log::error!("{}: files cannot be accessed safely: {error}", self.options.name);
            return self.lose_thread();
        }
        let mut queue = self.queue();
        loop {
            if let Some((WaitingJob { number, mark, job }, is_next)) = queue.begin(self.time.now()) {
                drop(queue);
                if is_next {
                    self.clock.notify_one();
                }
                let work = || progress::work_for(Some(Arc::clone(&mark)), job);
                // The panic message is already in the log.
                let _ = catch_unwind(AssertUnwindSafe(work));
                mark.beat();
                let done = self.queue().end(number);
                drop(done);
                queue = self.queue();
                continue;
            }
            if queue.is_over {
                break;
            }
            queue.idle += 1;
            let has_waited = self.jobs.wait_for(&mut queue, IDLE).timed_out();
            queue.idle -= 1;
            if has_waited && queue.waiting() == 0 {
                break;
            }
        }
        queue.threads -= 1;
    }

    /// Gives up all jobs, if no other thread can run them.
    fn lose_thread(&self) {
        let mut queue = self.queue();
        queue.threads -= 1;
        if queue.threads == 0 {
            give_up_all(queue);
        }
    }

    /// Gives up jobs that take too long, until there have been no jobs for a while.
    fn watch_clock(&self) {
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

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

fn give_up_all(mut queue: MutexGuard<'_, Queue>) {
    let (waiting, open) = queue.take_all();
    drop(queue);
    drop(waiting);
    open.into_iter().for_each(|job| (job.give_up)());
}

#[cfg(test)]
mod tests;
