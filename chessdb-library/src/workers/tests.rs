use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// Maximum time for any step of a test.
const PATIENCE: Duration = Duration::from_secs(20);

fn workers(threads: usize, timeout: Duration, patience: Patience) -> Workers {
    let silence = Silence::new("a source".to_owned(), log::Level::Error, Some(timeout));
    Workers::new(WorkerOptions {
        name: "test",
        threads,
        timeout: Some(timeout),
        patience,
        silence: Some(Arc::new(silence)),
        refuse: true,
        ..WorkerOptions::default()
    })
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Done(usize),
    GivenUp(usize),
}

/// Submits jobs each of which runs until something is sent through the sender.
fn submit(workers: &Workers, jobs: usize) -> (Sender<()>, Receiver<End>) {
    let (open, gate) = channel();
    let (end, ended) = channel();
    let gate = Arc::new(Mutex::new(gate));
    for job in 0..jobs {
        let (gate, done, given_up) = (Arc::clone(&gate), end.clone(), end.clone());
        workers.submit(
            Instant::now(),
            move || {
                let _ = gate.lock().recv();
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

/// Waits until the workers runs jobs again.
fn wait_for_answer(workers: &Workers, longest: Duration) {
    let begin = Instant::now();
    loop {
        let (open, ended) = submit(workers, 1);
        // The receiver is gone if the job was given up at once.
        let _ = open.send(());
        if next(&ended) == End::Done(0) {
            return;
        }
        assert!(begin.elapsed() < longest);
    }
}

/// Submits a job that runs until `is_over`, and makes progress if `beats`.
fn submit_busy(workers: &Workers, since: Instant, is_over: &Arc<AtomicBool>, beats: bool) -> Receiver<End> {
    let (end, ended) = channel();
    let (given_up, is_over) = (end.clone(), Arc::clone(is_over));
    workers.submit(
        since,
        move || {
            while !is_over.load(Ordering::Relaxed) {
                if beats {
                    progress::beat();
                }
                thread::yield_now();
            }
            let _ = end.send(End::Done(0));
        },
        move || given_up.send(End::GivenUp(0)).unwrap(),
    );
    ended
}

/// Sets its flag on drop, so that the jobs of a failed test end.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn jobs_that_take_too_long_are_given_up_and_never_started() {
    let workers = workers(2, Duration::from_millis(50), Patience::None);
    let (open, ended) = submit(&workers, 10);
    for _ in 0..10 {
        assert!(matches!(next(&ended), End::GivenUp(_)));
    }
    drop(open);
    // At most two jobs had started.
    assert!(ended.iter().all(|end| matches!(end, End::Done(0 | 1))));
    wait_for_answer(&workers, Duration::from_secs(10));
}

#[test]
fn a_job_that_hangs_blocks_only_its_thread() {
    let workers = workers(2, PATIENCE, Patience::None);
    let (_open, hanging) = submit(&workers, 1);
    let (open, ended) = submit(&workers, 100);
    drop(open);
    let done: Vec<End> = (0..100).map(|_| next(&ended)).collect();
    assert_eq!(done, (0..100).map(End::Done).collect::<Vec<_>>());
    assert!(hanging.try_recv().is_err());
}

#[test]
fn a_queue_that_is_full_gives_up_at_once() {
    let workers = workers(1, PATIENCE, Patience::None);
    let (open, ended) = submit(&workers, MOST_WAITING + 2);
    // The first job is running or still in the queue.
    assert!(matches!(next(&ended), End::GivenUp(job) if job >= MOST_WAITING));
    drop(open);
    let others: Vec<End> = (0..=MOST_WAITING).map(|_| next(&ended)).collect();
    let done = others.iter().filter(|end| matches!(end, End::Done(_))).count();
    assert!(done >= MOST_WAITING, "{done}");
}

#[test]
fn a_job_that_hangs_is_given_up_whatever_others_do() {
    let workers = workers(2, Duration::from_millis(500), Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let now = Instant::now();
    let busy = submit_busy(&workers, now, &is_over, true);
    let hanging = submit_busy(&workers, now, &is_over, false);
    assert_eq!(next(&hanging), End::GivenUp(0));
    assert!(busy.try_recv().is_err());
    drop(over);
    assert_eq!(next(&busy), End::Done(0));
}

#[test]
fn waiting_jobs_are_given_up_when_all_threads_hang() {
    let workers = workers(1, Duration::from_millis(500), Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let begin = Instant::now();
    let busy = submit_busy(&workers, begin, &is_over, true);
    let (open, waiting) = submit(&workers, 1);
    while begin.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    assert!(waiting.try_recv().is_err() && busy.try_recv().is_err());
    drop(over);
    assert_eq!(next(&busy), End::Done(0));
    // Only now does its own time begin.
    open.send(()).unwrap();
    assert_eq!(next(&waiting), End::Done(0));

    let (_open, hanging) = submit(&workers, 2);
    assert!(matches!(next(&hanging), End::GivenUp(_)));
    assert!(matches!(next(&hanging), End::GivenUp(_)));
}

#[test]
fn jobs_with_common_patience_wait_for_each_other() {
    let workers = workers(2, Duration::from_millis(500), Patience::Common);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let begin = Instant::now();
    let busy = submit_busy(&workers, begin, &is_over, true);
    let waiting = submit_busy(&workers, begin, &is_over, false);
    while begin.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    assert!(waiting.try_recv().is_err());
    drop(over);
    assert_eq!((next(&busy), next(&waiting)), (End::Done(0), End::Done(0)));
}

#[test]
fn time_in_another_pool_counts() {
    let workers = workers(2, PATIENCE, Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let _over = Over(Arc::clone(&is_over));
    let now = Instant::now();
    let busy = submit_busy(&workers, now, &is_over, true);
    let Some(before) = now.checked_sub(PATIENCE - Duration::from_millis(500)) else {
        return;
    };
    let late = submit_busy(&workers, before, &is_over, false);
    assert_eq!(next(&late), End::GivenUp(0));
    assert!(now.elapsed() < PATIENCE / 2 && busy.try_recv().is_err());
}

#[test]
fn a_job_that_waited_has_only_the_time_it_had_left() {
    let workers = workers(2, PATIENCE, Patience::Own);
    let [first_is_over, others_are_over] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (_first, _others) = (
        Over(Arc::clone(&first_is_over)),
        Over(Arc::clone(&others_are_over)),
    );
    let now = Instant::now();
    let first = submit_busy(&workers, now, &first_is_over, true);
    let second = submit_busy(&workers, now, &others_are_over, true);
    while workers.0.queue().running() < 2 {
        thread::yield_now();
    }
    let Some(before) = now.checked_sub(PATIENCE - Duration::from_millis(500)) else {
        return;
    };
    let late = submit_busy(&workers, before, &others_are_over, false);
    // The clock thread sees it in the queue, where the progress of the others counts for it.
    thread::sleep(Duration::from_millis(200));
    first_is_over.store(true, Ordering::Relaxed);
    assert_eq!(next(&first), End::Done(0));
    assert_eq!(next(&late), End::GivenUp(0));
    assert!(now.elapsed() < PATIENCE / 2 && second.try_recv().is_err());
}

#[test]
fn requests_are_given_up_at_once_while_one_hangs() {
    const TIMEOUT: Duration = Duration::from_secs(1);
    let workers = workers(2, TIMEOUT, Patience::None);
    let (open, hanging) = submit(&workers, 1);
    assert_eq!(next(&hanging), End::GivenUp(0));
    let begin = Instant::now();
    for _ in 0..100 {
        let (_open, refused) = submit(&workers, 1);
        assert_eq!(next(&refused), End::GivenUp(0));
    }
    // One of them may have been let through.
    assert!(begin.elapsed() < 3 * TIMEOUT, "{:?}", begin.elapsed());
    open.send(()).unwrap();
    assert_eq!(next(&hanging), End::Done(0));
    wait_for_answer(&workers, TIMEOUT / 2);
}

#[test]
fn a_lost_request_does_not_block_the_source_for_ever() {
    let workers = workers(2, Duration::from_millis(100), Patience::None);
    let (_lost, hanging) = submit(&workers, 1);
    assert_eq!(next(&hanging), End::GivenUp(0));
    for _ in 0..3 {
        wait_for_answer(&workers, PATIENCE);
    }
}

#[test]
fn dropping_a_pool_waits_for_nothing() {
    let workers = workers(1, Duration::from_millis(50), Patience::None);
    let (_open, ended) = submit(&workers, 3);
    drop(workers);
    assert_eq!([(); 3].map(|()| next(&ended)), [0, 1, 2].map(End::GivenUp));
}
