//! The threads of workers, which start, wait and end while jobs come. loom runs all interleavings.

use std::sync::Arc;
use std::time::Instant;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

#[path = "../../../chessdb-library/src/workers/clock.rs"]
#[allow(dead_code)]
mod clock;
#[path = "../../../chessdb-library/src/workers/options.rs"]
#[allow(dead_code)]
mod options;
#[path = "../../../chessdb-library/src/workers/pool.rs"]
#[allow(dead_code)]
mod pool;
#[path = "../../../chessdb-library/src/workers/progress.rs"]
#[allow(dead_code)]
pub mod progress;
#[path = "../../../chessdb-library/src/workers/queue.rs"]
#[allow(dead_code)]
mod queue;
#[path = "../../../chessdb-library/src/workers/silence.rs"]
#[allow(dead_code)]
mod silence;

use clock::Clock;
use options::WorkerOptions;
use pool::WorkerPool;

/// loom's primitives with the methods of those that workers use.
mod sync {
    use std::io;
    use std::ops::{Deref, DerefMut};
    use std::time::Duration;

    use loom::sync;

    /// The name of a pool for which no thread can be started. It belongs to the pool, since several models run at the
    /// same time in one process.
    pub(super) const NO_THREADS: &str = "a pool without threads";

    pub(super) struct Mutex<T>(sync::Mutex<T>);

    /// Empty while it waits.
    pub(super) struct MutexGuard<'a, T>(Option<sync::MutexGuard<'a, T>>);

    pub(super) struct Condvar(sync::Condvar);

    pub(super) struct Waited;

    impl<T> Mutex<T> {
        pub(super) fn new(value: T) -> Mutex<T> {
            Mutex(sync::Mutex::new(value))
        }

        pub(super) fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().unwrap()))
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().unwrap()
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().unwrap()
        }
    }

    impl Condvar {
        pub(super) fn new() -> Condvar {
            Condvar(sync::Condvar::new())
        }

        pub(super) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(super) fn notify_all(&self) {
            self.0.notify_all();
        }

        /// Waits until it is notified, as if the time were long.
        pub(super) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _: Duration) -> Waited {
            let own = guard.0.take().unwrap();
            guard.0 = Some(self.0.wait(own).unwrap());
            Waited
        }
    }

    impl Waited {
        pub(super) fn timed_out(&self) -> bool {
            false
        }
    }

    pub(super) fn spawn(pool: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        if pool == NO_THREADS {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        loom::thread::spawn(run);
        Ok(())
    }
}

/// Runs all interleavings in which no thread is interrupted more often than this. All interleavings of four threads would
/// be too many.
const INTERRUPTIONS: usize = 2;

fn play(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(INTERRUPTIONS);
    builder.check(model);
}

/// What jobs have done.
#[derive(Default)]
struct Jobs {
    running: AtomicUsize,
    done: AtomicUsize,
    given_up: AtomicUsize,
}

impl Jobs {
    /// Submits a job that counts how many run at the same time.
    fn submit(self: &Arc<Jobs>, pool: &Arc<WorkerPool>, most_running: usize) {
        let (own, refused) = (Arc::clone(self), Arc::clone(self));
        let job = move || {
            assert!(own.running.fetch_add(1, Ordering::Relaxed) < most_running);
            own.running.fetch_sub(1, Ordering::Relaxed);
            own.done.fetch_add(1, Ordering::Relaxed);
        };
        let give_up = move || _ = refused.given_up.fetch_add(1, Ordering::Relaxed);
        let file_system = Some((1, "/far".into()));
        pool.submit(file_system, Instant::now(), Box::new(job), Box::new(give_up));
    }

    /// Waits until this many were done or given up.
    fn wait_for(&self, jobs: usize) {
        let ended = || self.done.load(Ordering::Relaxed) + self.given_up.load(Ordering::Relaxed);
        while ended() < jobs {
            thread::yield_now();
        }
    }

    fn counts(&self) -> [usize; 2] {
        [&self.done, &self.given_up].map(|count| count.load(Ordering::Relaxed))
    }
}

fn workers(options: WorkerOptions) -> Arc<WorkerPool> {
    Arc::new(WorkerPool::new(options, Clock::default()))
}

#[test]
fn jobs_of_one_file_system_run_one_after_the_other_and_none_is_forgotten() {
    play(|| {
        let pool = workers(WorkerOptions {
            threads: 2,
            of_a_file_system: 1,
            ..WorkerOptions::default()
        });
        let jobs: Arc<Jobs> = Arc::default();
        let (own_pool, own_jobs) = (Arc::clone(&pool), Arc::clone(&jobs));
        let other = thread::spawn(move || own_jobs.submit(&own_pool, 1));
        jobs.submit(&pool, 1);
        other.join().unwrap();
        jobs.wait_for(2);
        assert_eq!(jobs.counts(), [2, 0]);
        pool.end();
    });
}

#[test]
fn jobs_that_wait_when_the_workers_are_dropped_are_run() {
    play(|| {
        let pool = workers(WorkerOptions::default());
        let jobs: Arc<Jobs> = Arc::default();
        jobs.submit(&pool, 1);
        jobs.submit(&pool, 1);
        pool.end();
        jobs.wait_for(2);
        assert_eq!(jobs.counts(), [2, 0]);
    });
}

#[test]
fn jobs_without_a_thread_are_given_up_once() {
    play(|| {
        let pool = workers(WorkerOptions {
            name: sync::NO_THREADS,
            ..WorkerOptions::default()
        });
        let jobs: Arc<Jobs> = Arc::default();
        let (own_pool, own_jobs) = (Arc::clone(&pool), Arc::clone(&jobs));
        let other = thread::spawn(move || own_jobs.submit(&own_pool, 1));
        jobs.submit(&pool, 1);
        other.join().unwrap();
        assert_eq!(jobs.counts(), [0, 2]);
    });
}
