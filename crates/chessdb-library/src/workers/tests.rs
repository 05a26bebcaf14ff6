use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use std::thread;
use std::time::Duration;

use super::options::MOST_WAITING;
use super::*;
use crate::task;

/// How long a test that fails waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// After which time jobs are given up, and more than half of it.
const TIMEOUT: Duration = Duration::from_secs(600);
const MOST: Duration = Duration::from_secs(400);

const SECOND: Duration = Duration::from_secs(1);

impl Workers {
    /// Moves a stopped clock on, and waits until the clock thread has seen it.
    pub(super) fn move_on(&self, time: Duration) {
        self.0.move_on(time);
    }

    /// Waits until `jobs` jobs run.
    pub(super) fn wait_until_running(&self, jobs: usize) {
        wait_until(|| self.0.queue().running() == jobs);
    }
}

impl WorkerPool {
    fn move_on(&self, time: Duration) {
        let mut queue = self.queue();
        self.time.move_on(time);
        queue.looks_at = None;
        drop(queue);
        self.clock.notify_one();
        wait_until(|| {
            let queue = self.queue();
            !queue.has_clock || queue.is_empty() || queue.looks_at.is_some()
        });
    }
}

#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE);
        thread::yield_now();
    }
}

/// Workers with a clock that stands still.
fn workers(threads: usize, patience: Patience) -> Workers {
    let silence = Silence::new("a source".to_owned(), log::Level::Error, Some(TIMEOUT));
    let options = WorkerOptions {
        name: "test",
        threads,
        timeout: Some(TIMEOUT),
        patience,
        silence: Some(Arc::new(silence)),
        refuse: true,
        ..WorkerOptions::default()
    };
    Workers::with_clock(options, Clock::stopped())
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Done(usize),
    GivenUp(usize),
}

/// Submits jobs that each run until something is sent through the sender.
fn submit(workers: &Workers, jobs: usize) -> (Sender<()>, Receiver<End>) {
    let (open, gate) = channel();
    let (end, ended) = channel();
    let gate = Arc::new(Mutex::new(gate));
    for job in 0..jobs {
        let (gate, done, given_up) = (Arc::clone(&gate), end.clone(), end.clone());
        workers.submit(
            workers.0.time.now(),
            move || {
                let _ = gate.lock().recv();
                done.send(End::Done(job)).unwrap();
            },
            move || given_up.send(End::GivenUp(job)).unwrap(),
        );
    }
    (open, ended)
}

pub(super) fn next<T>(answers: &Receiver<T>) -> T {
    answers.recv_timeout(PATIENCE).unwrap()
}

/// A job is run while `hanging` others run.
#[track_caller]
fn assert_answers(workers: &Workers, hanging: usize) {
    workers.wait_until_running(hanging);
    let (open, ended) = submit(workers, 1);
    drop(open);
    assert_eq!(next(&ended), End::Done(0));
    workers.wait_until_running(hanging);
}

/// A job that runs until it is told to end.
struct BusyJob {
    ended: Receiver<End>,
    rounds: Arc<AtomicU64>,
}

impl BusyJob {
    /// Submits a job that makes progress again and again if `beats`.
    fn submit(workers: &Workers, since: Instant, is_over: &Arc<AtomicBool>, beats: bool) -> BusyJob {
        let (end, ended) = channel();
        let (given_up, is_over) = (end.clone(), Arc::clone(is_over));
        let rounds = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&rounds);
        workers.submit(
            since,
            move || {
                while !is_over.load(Ordering::Relaxed) {
                    if beats {
                        task::report_progress();
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                    thread::yield_now();
                }
                let _ = end.send(End::Done(0));
            },
            move || given_up.send(End::GivenUp(0)).unwrap(),
        );
        BusyJob { ended, rounds }
    }

    /// Waits until it has made progress again.
    fn wait_for_progress(&self) {
        let before = self.rounds.load(Ordering::Relaxed);
        wait_until(|| self.rounds.load(Ordering::Relaxed) > before + 1);
    }

    fn end(&self) -> End {
        next(&self.ended)
    }

    fn is_running(&self) -> bool {
        self.ended.try_recv().is_err()
    }
}

/// Sets its flag on drop, so that the jobs of a failed test end.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn over() -> (Arc<AtomicBool>, Over) {
    let is_over = Arc::new(AtomicBool::new(false));
    (Arc::clone(&is_over), Over(is_over))
}

#[test]
fn jobs_that_take_too_long_are_given_up_and_never_started() {
    let workers = workers(2, Patience::None);
    let (open, ended) = submit(&workers, 10);
    workers.wait_until_running(2);
    workers.move_on(TIMEOUT - Duration::from_nanos(1));
    assert!(ended.try_recv().is_err());
    workers.move_on(Duration::from_nanos(1));
    for job in 0..10 {
        assert_eq!(next(&ended), End::GivenUp(job));
    }
    workers.move_on(MOST);
    drop(open);
    // Two jobs had started.
    let mut done: Vec<End> = ended.iter().collect();
    done.sort_by_key(|end| *end == End::Done(1));
    assert_eq!(done, [End::Done(0), End::Done(1)]);
    assert_answers(&workers, 0);
}

/// Submits a job of a file system that runs until something is sent through the sender.
fn submit_for(workers: &Workers, file_system: u64) -> (Sender<()>, Receiver<End>) {
    let (open, gate) = channel();
    let (end, ended) = channel();
    let given_up = end.clone();
    workers.submit_for(
        (file_system, "/far".into()),
        workers.0.time.now(),
        move || {
            let _ = gate.recv();
            end.send(End::Done(0)).unwrap();
        },
        move || given_up.send(End::GivenUp(0)).unwrap(),
    );
    (open, ended)
}

#[test]
fn few_jobs_of_a_file_system_run_at_a_time() {
    let workers = Workers::new(WorkerOptions {
        threads: 8,
        of_a_file_system: 2,
        ..WorkerOptions::default()
    });
    let [first, _second, third] = [1, 1, 1].map(|file_system| submit_for(&workers, file_system));
    workers.wait_until_running(2);
    // Jobs of another file system, and of no file system, do not wait.
    let _other = submit_for(&workers, 2);
    assert_answers(&workers, 3);
    assert_eq!(workers.0.queue().waiting(), 1);
    drop(first);
    wait_until(|| workers.0.queue().waiting() == 0);
    drop(third.0);
    assert_eq!(next(&third.1), End::Done(0));
}

#[test]
fn jobs_begin_at_their_pace() {
    let young = Duration::from_millis(50);
    let options = WorkerOptions {
        threads: 8,
        pace: Some(Pace { jobs: 2, young }),
        ..WorkerOptions::default()
    };
    let workers = Workers::with_clock(options, Clock::stopped());
    let (open, ended) = submit(&workers, 5);
    workers.wait_until_running(2);
    workers.move_on(young - Duration::from_nanos(1));
    thread::sleep(young * 2);
    assert_eq!(workers.0.queue().running(), 2);
    workers.move_on(Duration::from_nanos(1));
    workers.wait_until_running(4);
    workers.move_on(young);
    workers.wait_until_running(5);
    drop(open);
    assert_eq!(ended.iter().count(), 5);
}

#[test]
fn a_job_that_hangs_blocks_only_its_thread() {
    let workers = workers(2, Patience::None);
    let (_open, hanging) = submit(&workers, 1);
    let (open, ended) = submit(&workers, 100);
    drop(open);
    let done: Vec<End> = (0..100).map(|_| next(&ended)).collect();
    assert_eq!(done, (0..100).map(End::Done).collect::<Vec<_>>());
    assert!(hanging.try_recv().is_err());
}

#[test]
fn a_queue_that_is_full_gives_up_at_once() {
    let workers = workers(1, Patience::None);
    let (open, ended) = submit(&workers, 1);
    workers.wait_until_running(1);
    let (others, waiting) = submit(&workers, MOST_WAITING);
    assert!(waiting.try_recv().is_err());
    let (_refused, refused) = submit(&workers, 1);
    assert_eq!(refused.try_recv(), Ok(End::GivenUp(0)));
    drop((open, others));
    assert_eq!(next(&ended), End::Done(0));
    let done: Vec<End> = (0..MOST_WAITING).map(|_| next(&waiting)).collect();
    assert_eq!(done, (0..MOST_WAITING).map(End::Done).collect::<Vec<_>>());
}

#[test]
fn a_job_that_hangs_is_given_up_whatever_others_do() {
    let workers = workers(2, Patience::Own);
    let (is_over, over) = over();
    let now = workers.0.time.now();
    let busy = BusyJob::submit(&workers, now, &is_over, true);
    let hanging = BusyJob::submit(&workers, now, &is_over, false);
    workers.wait_until_running(2);
    workers.move_on(MOST);
    assert!(hanging.is_running());
    busy.wait_for_progress();
    workers.move_on(MOST);
    assert_eq!(hanging.end(), End::GivenUp(0));
    drop(over);
    assert_eq!(busy.end(), End::Done(0));
}

#[test]
fn waiting_jobs_are_given_up_when_all_threads_hang() {
    let workers = workers(1, Patience::Own);
    let (is_over, over) = over();
    let busy = BusyJob::submit(&workers, workers.0.time.now(), &is_over, true);
    workers.wait_until_running(1);
    let (open, waiting) = submit(&workers, 1);
    for _ in 0..4 {
        workers.move_on(MOST);
        busy.wait_for_progress();
    }
    assert!(waiting.try_recv().is_err());
    drop(over);
    assert_eq!(busy.end(), End::Done(0));
    // Only now does its own time begin.
    wait_until(|| workers.0.queue().waiting() == 0);
    workers.move_on(MOST);
    open.send(()).unwrap();
    assert_eq!(next(&waiting), End::Done(0));

    workers.wait_until_running(0);
    let (_open, hanging) = submit(&workers, 2);
    workers.wait_until_running(1);
    workers.move_on(TIMEOUT);
    assert_eq!([next(&hanging), next(&hanging)], [0, 1].map(End::GivenUp));
}

#[test]
fn jobs_with_common_patience_wait_for_each_other() {
    let workers = workers(2, Patience::Common);
    let (is_over, over) = over();
    let now = workers.0.time.now();
    let busy = BusyJob::submit(&workers, now, &is_over, true);
    let waiting = BusyJob::submit(&workers, now, &is_over, false);
    workers.wait_until_running(2);
    for _ in 0..4 {
        workers.move_on(MOST);
        busy.wait_for_progress();
    }
    assert!(waiting.is_running());
    drop(over);
    assert_eq!((busy.end(), waiting.end()), (End::Done(0), End::Done(0)));
}

#[test]
fn time_in_another_pool_counts() {
    let workers = workers(2, Patience::Own);
    let (is_over, _over) = over();
    let now = workers.0.time.now();
    let busy = BusyJob::submit(&workers, now, &is_over, true);
    let late = BusyJob::submit(&workers, now - MOST, &is_over, false);
    workers.wait_until_running(2);
    workers.move_on(MOST);
    assert_eq!(late.end(), End::GivenUp(0));
    assert!(busy.is_running());
}

#[test]
fn a_job_that_waited_has_only_the_time_it_had_left() {
    let workers = workers(2, Patience::Own);
    let (first_is_over, _first) = over();
    let (others_are_over, _others) = over();
    let now = workers.0.time.now();
    let first = BusyJob::submit(&workers, now, &first_is_over, true);
    let second = BusyJob::submit(&workers, now, &others_are_over, true);
    workers.wait_until_running(2);
    let late = BusyJob::submit(&workers, now - MOST - SECOND, &others_are_over, false);
    // In the queue the progress of the others counts for it.
    workers.move_on(MOST);
    assert!(late.is_running());
    first.wait_for_progress();
    second.wait_for_progress();
    first_is_over.store(true, Ordering::Relaxed);
    assert_eq!(first.end(), End::Done(0));
    // The clock thread learns that it has to look earlier.
    let end = now + TIMEOUT - SECOND;
    wait_until(|| workers.0.queue().looks_at == Some(end));
    workers.move_on(end - workers.0.time.now());
    assert_eq!(late.end(), End::GivenUp(0));
    assert!(second.is_running());
}

#[test]
fn requests_are_given_up_at_once_while_one_hangs() {
    let workers = workers(2, Patience::None);
    let (open, hanging) = submit(&workers, 1);
    workers.wait_until_running(1);
    workers.move_on(TIMEOUT);
    assert_eq!(next(&hanging), End::GivenUp(0));
    for _ in 0..100 {
        let (_open, refused) = submit(&workers, 1);
        assert_eq!(refused.try_recv(), Ok(End::GivenUp(0)));
    }
    workers.move_on(MOST);
    open.send(()).unwrap();
    assert_eq!(next(&hanging), End::Done(0));
    assert_answers(&workers, 0);
}

#[test]
fn a_lost_request_does_not_block_the_source_for_ever() {
    let workers = workers(2, Patience::None);
    let (_lost, hanging) = submit(&workers, 1);
    workers.wait_until_running(1);
    workers.move_on(TIMEOUT);
    assert_eq!(next(&hanging), End::GivenUp(0));
    // One is let through after each timeout.
    workers.move_on(TIMEOUT);
    let (also_lost, hanging) = submit(&workers, 1);
    workers.wait_until_running(2);
    let (_open, refused) = submit(&workers, 1);
    assert_eq!(refused.try_recv(), Ok(End::GivenUp(0)));
    workers.move_on(TIMEOUT);
    assert_eq!(next(&hanging), End::GivenUp(0));
    // The next job is not let through at once: it would wait in vain as long as this one.
    let (_open, refused) = submit(&workers, 1);
    assert_eq!(refused.try_recv(), Ok(End::GivenUp(0)));
    drop(also_lost);
    for _ in 0..3 {
        assert_answers(&workers, 1);
    }
}

#[test]
fn dropping_a_pool_waits_for_nothing() {
    let workers = workers(1, Patience::None);
    let (_open, ended) = submit(&workers, 3);
    let pool = Arc::clone(&workers.0);
    drop(workers);
    pool.move_on(TIMEOUT);
    assert_eq!([(); 3].map(|()| next(&ended)), [0, 1, 2].map(End::GivenUp));
}
