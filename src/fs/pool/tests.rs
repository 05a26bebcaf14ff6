use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn pool(threads: usize, timeout: Duration, patience: Patience) -> Pool {
    let options = PoolOptions {
        name: "test",
        threads,
        timeout,
        patience,
        is_for_requests: true,
    };
    Pool::new(options, &Arc::new(Silence::new("a source".to_owned())))
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
            Instant::now(),
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

/// Waits until a job is done again.
fn wait_for_answer(pool: &Pool, longest: Duration) {
    let begin = Instant::now();
    loop {
        let (open, ended) = submit(pool, 1);
        // Nobody has it where the job was given up at once.
        let _ = open.send(());
        if next(&ended) == End::Done(0) {
            return;
        }
        assert!(begin.elapsed() < longest);
    }
}

/// Submits a job that goes on as long as it is told to, and makes progress meanwhile if told to.
fn submit_busy(pool: &Pool, since: Instant, is_over: &Arc<AtomicBool>, beats: bool) -> Receiver<End> {
    let (end, ended) = channel();
    let (given_up, is_over) = (end.clone(), Arc::clone(is_over));
    pool.submit(
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

/// Sets its flag when it is dropped, so that a test that fails ends.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_takes_too_long_is_given_up_and_never_begun() {
    let pool = pool(2, Duration::from_millis(50), Patience::None);
    let (open, ended) = submit(&pool, 10);
    for _ in 0..10 {
        assert!(matches!(next(&ended), End::GivenUp(_)));
    }
    drop(open);
    // At most two had been begun.
    assert!(ended.iter().all(|end| matches!(end, End::Done(0 | 1))));
    wait_for_answer(&pool, Duration::from_secs(10));
}

#[test]
fn a_job_that_hangs_leaves_the_other_threads() {
    let pool = pool(2, PATIENCE, Patience::None);
    let (_open, hanging) = submit(&pool, 1);
    let (open, ended) = submit(&pool, 100);
    drop(open);
    let done: Vec<End> = (0..100).map(|_| next(&ended)).collect();
    assert_eq!(done, (0..100).map(End::Done).collect::<Vec<_>>());
    assert!(hanging.try_recv().is_err());
}

#[test]
fn a_queue_that_is_full_gives_up_at_once() {
    let pool = pool(1, PATIENCE, Patience::None);
    let (open, ended) = submit(&pool, MOST_WAITING + 2);
    // The first job is being done, or waits with the others.
    assert!(matches!(next(&ended), End::GivenUp(job) if job >= MOST_WAITING));
    drop(open);
    let others: Vec<End> = (0..=MOST_WAITING).map(|_| next(&ended)).collect();
    let done = others.iter().filter(|end| matches!(end, End::Done(_))).count();
    assert!(done >= MOST_WAITING, "{done}");
}

#[test]
fn a_job_that_hangs_is_given_up_whatever_others_do() {
    let pool = pool(2, Duration::from_millis(500), Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let now = Instant::now();
    let busy = submit_busy(&pool, now, &is_over, true);
    let hanging = submit_busy(&pool, now, &is_over, false);
    assert_eq!(next(&hanging), End::GivenUp(0));
    assert!(busy.try_recv().is_err());
    drop(over);
    assert_eq!(next(&busy), End::Done(0));
}

#[test]
fn what_waits_for_a_thread_is_given_up_when_all_hang() {
    let pool = pool(1, Duration::from_millis(500), Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let begin = Instant::now();
    let busy = submit_busy(&pool, begin, &is_over, true);
    let (open, waiting) = submit(&pool, 1);
    while begin.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    assert!(waiting.try_recv().is_err() && busy.try_recv().is_err());
    drop(over);
    assert_eq!(next(&busy), End::Done(0));
    // Its own time begins only now.
    open.send(()).unwrap();
    assert_eq!(next(&waiting), End::Done(0));

    let (_open, hanging) = submit(&pool, 2);
    assert!(matches!(next(&hanging), End::GivenUp(_)));
    assert!(matches!(next(&hanging), End::GivenUp(_)));
}

#[test]
fn jobs_with_common_patience_wait_for_each_other() {
    let pool = pool(2, Duration::from_millis(500), Patience::Common);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Over(Arc::clone(&is_over));
    let begin = Instant::now();
    let busy = submit_busy(&pool, begin, &is_over, true);
    let waiting = submit_busy(&pool, begin, &is_over, false);
    while begin.elapsed() < Duration::from_secs(2) {
        thread::yield_now();
    }
    assert!(waiting.try_recv().is_err());
    drop(over);
    assert_eq!((next(&busy), next(&waiting)), (End::Done(0), End::Done(0)));
}

#[test]
fn time_spent_elsewhere_counts() {
    let pool = pool(2, PATIENCE, Patience::Own);
    let is_over = Arc::new(AtomicBool::new(false));
    let _over = Over(Arc::clone(&is_over));
    let now = Instant::now();
    let busy = submit_busy(&pool, now, &is_over, true);
    let Some(before) = now.checked_sub(PATIENCE - Duration::from_millis(500)) else {
        return;
    };
    let late = submit_busy(&pool, before, &is_over, false);
    assert_eq!(next(&late), End::GivenUp(0));
    assert!(now.elapsed() < PATIENCE / 2 && busy.try_recv().is_err());
}

#[test]
fn while_one_hangs_others_are_given_up_at_once() {
    const TIMEOUT: Duration = Duration::from_secs(1);
    let pool = pool(2, TIMEOUT, Patience::None);
    let (open, hanging) = submit(&pool, 1);
    assert_eq!(next(&hanging), End::GivenUp(0));
    let begin = Instant::now();
    for _ in 0..100 {
        let (_open, refused) = submit(&pool, 1);
        assert_eq!(next(&refused), End::GivenUp(0));
    }
    // One of them may have been let through.
    assert!(begin.elapsed() < 3 * TIMEOUT, "{:?}", begin.elapsed());
    open.send(()).unwrap();
    assert_eq!(next(&hanging), End::Done(0));
    wait_for_answer(&pool, TIMEOUT / 2);
}

#[test]
fn a_request_that_was_lost_does_not_silence_the_source_for_good() {
    let pool = pool(2, Duration::from_millis(100), Patience::None);
    let (_lost, hanging) = submit(&pool, 1);
    assert_eq!(next(&hanging), End::GivenUp(0));
    for _ in 0..3 {
        wait_for_answer(&pool, PATIENCE);
    }
}

#[test]
fn dropping_a_pool_waits_for_nothing() {
    let pool = pool(1, Duration::from_millis(50), Patience::None);
    let (_open, ended) = submit(&pool, 3);
    drop(pool);
    assert_eq!([(); 3].map(|()| next(&ended)), [0, 1, 2].map(End::GivenUp));
}
