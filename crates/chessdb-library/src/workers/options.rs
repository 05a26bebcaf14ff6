//! Options of workers.

use std::sync::Arc;
use std::time::Duration;

use super::silence::Silence;

/// Default for the maximum number of jobs waiting for a thread.
pub(super) const MOST_WAITING: usize = 512;

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
    /// Records and logs that a job hangs.
    pub silence: Option<Arc<Silence>>,
    /// True if new jobs are given up immediately while one hangs.
    pub refuse: bool,
    /// Maximum number of jobs of one file system that run at the same time, because all of them may hang.
    pub of_a_file_system: usize,
    /// Limits how many jobs begin at the same time; `None` for no limit.
    pub pace: Option<Pace>,
    /// Called first by each new thread. If it fails, the thread does nothing.
    pub prepare: Option<Prepare>,
}

/// A limit for jobs that keep a processor busy. Jobs that wait for a disk do not count.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Maximum number of young jobs.
    pub jobs: usize,
    /// For how long a job is young.
    pub young: Duration,
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
            of_a_file_system: usize::MAX,
            pace: None,
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
