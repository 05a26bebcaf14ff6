//! Threads for work that may take long or never end, such as system calls on a network file system.
//!
//! [`Workers`] run jobs in order on a bounded number of threads. A job that takes too long is given up: its caller gets
//! an answer, and only the thread of the job stays blocked. [`hung`] makes system calls in this way, and requests that
//! may have to wait are answered in this way.

mod clock;
pub mod hung;
mod options;
mod pool;
pub(crate) mod progress;
mod queue;
mod silence;

use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use clock::Clock;
pub use options::{Pace, Patience, Prepare, WorkerOptions};
use pool::WorkerPool;
pub use queue::FileSystemKey;
pub use silence::{Pause, Silence};

/// What threads share; loom has its own.
mod sync {
    pub(super) use parking_lot::{Condvar, Mutex, MutexGuard};
    use std::io;
    use std::thread;

    /// Starts a thread that nothing joins.
    pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name(name.to_owned());
        thread.spawn(run).map(drop)
    }
}

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

impl Workers {
    /// Workers without threads yet.
    pub fn new(options: WorkerOptions) -> Workers {
        Workers::with_clock(options, Clock::default())
    }

    fn with_clock(options: WorkerOptions, time: Clock) -> Workers {
        let pool = Arc::new(WorkerPool::new(options, time));
        let mut all = ALL.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&pool));
        Workers(pool)
    }

    /// Queues a job whose timeout started at `since`. If the job takes too long, `give_up` is called once, and the job
    /// may still be run or finish later. `give_up` is called immediately if too many jobs are waiting, if there is no
    /// thread and none can be started, or if an earlier job hangs.
    pub fn submit(
        &self,
        since: Instant,
        job: impl FnOnce() + Send + 'static,
        give_up: impl FnOnce() + Send + 'static,
    ) {
        self.0.submit(None, since, Box::new(job), Box::new(give_up));
    }

    /// Queues a job that works on a file system which may hang; for the rest see [`Workers::submit`].
    pub fn submit_for(
        &self,
        file_system: FileSystemKey,
        since: Instant,
        job: impl FnOnce() + Send + 'static,
        give_up: impl FnOnce() + Send + 'static,
    ) {
        self.0
            .submit(Some(file_system), since, Box::new(job), Box::new(give_up));
    }

    /// Start or last progress of the running job that has made no progress for the longest time.
    pub fn oldest(&self) -> Option<Instant> {
        self.0.queue().oldest_sign()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests;
