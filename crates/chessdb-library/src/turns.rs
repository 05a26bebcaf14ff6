//! Turns of searches: many of one user leave the processors to all others.

use parking_lot::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use crate::task::{self, Cancelled, Request, Underway};

/// How many searches have a turn at the same time, and how many of one user. A user has two, so that a quick search can
/// pass a slow one.
const MOST: usize = 8;
const MOST_OF_USER: usize = 2;

/// How often a waiting search checks whether it was cancelled.
const PAUSE: Duration = Duration::from_millis(200);

/// Priority of the threads of a search: below the threads that answer requests, above the background pass.
const NICE: i32 = 10;

static TURNS: Turns = Turns::new();

/// Waits for the turn of this thread's user, then runs `search` in threads of low priority. `search` must not wait for
/// another search. Unwinds if it is [cancelled](crate::task).
pub fn in_turn<T: Send>(search: impl FnOnce() -> T + Send) -> T {
    let request = Request::current();
    let _turn = TURNS.take(request.as_ref());
    at_low_priority(search)
}

/// Works in a thread of low priority, as do the threads that it starts.
pub fn at_low_priority<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let place = &mut work;
    let run = || {
        lower_priority(NICE);
        place.take().map(|work| work())
    };
    let result = thread::scope(|scope| task::help(scope, "pgnfs-search", run).map(task::join));
    match (result, work) {
        (Some(Ok(Some(result))), _) => result,
        (Some(Err(Cancelled)), _) | (_, None) => task::unwind(),
        // No thread could be started.
        (_, Some(work)) => work(),
    }
}

/// The lowest priority, as a nice value.
pub const LOWEST: i32 = 19;

/// Lowers the priority of this thread, and of threads that it starts. It cannot be raised again.
pub fn lower_priority(nice: i32) {
    // On Linux this call sets the priority of a single thread.
    let thread = Some(rustix::thread::gettid());
    let lower = |now| {
        if now < nice {
            rustix::process::setpriority_process(thread, nice)
        } else {
            Ok(())
        }
    };
    if let Err(error) = rustix::process::getpriority_process(thread).and_then(lower) {
        log::debug!("cannot lower a thread's priority: {error}");
    }
}

type User = Option<u32>;

struct Turns {
    state: Mutex<TurnState>,
    changed: Condvar,
}

struct TurnState {
    /// The user of each search that has a turn.
    running: Vec<User>,
    /// The waiting searches, each with its number, in order of arrival.
    waiting: Vec<(u64, User)>,
    last: u64,
}

/// The turn of a search, until it is dropped.
struct Turn<'a>(&'a Turns, User);

/// A search that waits for its turn, until it is dropped.
struct WaitingSearch<'a>(&'a Turns, u64);

impl Turns {
    const fn new() -> Turns {
        Turns {
            state: Mutex::new(TurnState {
                running: Vec::new(),
                waiting: Vec::new(),
                last: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for a turn.
    fn take(&self, request: Option<&Request>) -> Turn<'_> {
        let user = request.map(|request| request.user);
        let _waiting = request.map(|request| Underway::new(&request.waits));
        let mut state = self.state.lock();
        state.last += 1;
        let number = state.last;
        state.waiting.push((number, user));
        drop(state);
        let place = WaitingSearch(self, number);
        loop {
            // Tested without the lock, because unwinding drops `place`, which takes it.
            task::check();
            if request.is_some_and(Request::is_abandoned) {
                task::unwind();
            }
            // Counts as progress, so that waiting for a turn does not look like a source that hangs.
            task::report_progress();
            let mut state = self.state.lock();
            if state.next() == Some(number) {
                state.running.push(user);
                break;
            }
            self.changed.wait_for(&mut state, PAUSE);
        }
        drop(place);
        Turn(self, user)
    }
}

impl TurnState {
    /// The next search: the first one of the user with the fewest turns.
    fn next(&self) -> Option<u64> {
        let running = |user: User| self.running.iter().filter(|&&other| other == user).count();
        let waiting = self.waiting.iter().map(|&(number, user)| (running(user), number));
        let (of_user, number) = waiting.min()?;
        (self.running.len() < MOST && of_user < MOST_OF_USER).then_some(number)
    }
}

impl Drop for WaitingSearch<'_> {
    fn drop(&mut self) {
        self.0
            .state
            .lock()
            .waiting
            .retain(|&(number, _)| number != self.1);
        self.0.changed.notify_all();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        let place = state.running.iter().position(|&user| user == self.1);
        if let Some(place) = place {
            state.running.swap_remove(place);
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Cancel;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::mpsc::channel;

    fn state(running: &[u32], waiting: &[u32]) -> TurnState {
        let waiting = waiting.iter().zip(0..);
        TurnState {
            running: running.iter().map(|&user| Some(user)).collect(),
            waiting: waiting.map(|(&user, number)| (number, Some(user))).collect(),
            last: 0,
        }
    }

    #[test]
    fn the_next_is_the_first_of_the_user_with_the_fewest_turns() {
        for (running, waiting, next) in [
            (&[][..], &[][..], None),
            (&[], &[1, 1, 2], Some(0)),
            (&[1], &[1, 1, 2], Some(2)),
            (&[1], &[1, 1], Some(0)),
            (&[1, 1], &[1, 1], None),
            (&[1, 1, 2], &[1, 2, 3, 3], Some(2)),
            (&[1, 1, 2, 2, 3, 3, 4], &[1, 5], Some(1)),
            (&[1, 1, 2, 2, 3, 3, 4, 4], &[5], None),
        ] {
            assert_eq!(state(running, waiting).next(), next, "{running:?} {waiting:?}");
        }
    }

    #[test]
    fn those_of_one_user_wait_and_others_do_not() {
        static TURNS: Turns = Turns::new();
        let [one, two] = [1, 2].map(Request::new);
        let own = [(); MOST_OF_USER].map(|()| TURNS.take(Some(&one)));
        let (begun, begins) = channel();
        let waiting = (0..100).map(|_| {
            let (begun, one) = (begun.clone(), one.clone());
            thread::spawn(move || {
                let _turn = TURNS.take(Some(&one));
                begun.send(TURNS.state.lock().running.len()).unwrap();
            })
        });
        let waiting: Vec<_> = waiting.collect();
        drop(begun);
        while TURNS.state.lock().waiting.len() < waiting.len() {
            thread::yield_now();
        }
        drop(TURNS.take(Some(&two)));
        assert!(begins.try_recv().is_err());
        drop(own);
        waiting.into_iter().for_each(|thread| thread.join().unwrap());
        let running: Vec<usize> = begins.iter().collect();
        assert_eq!(running.len(), 100);
        assert!(
            running.iter().all(|&running| running <= MOST_OF_USER),
            "{running:?}"
        );
    }

    #[test]
    fn one_that_is_cancelled_leaves_its_place_to_others() {
        static TURNS: Turns = Turns::new();
        let own = [(); MOST_OF_USER].map(|()| TURNS.take(None));
        let cancel = Cancel::default();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.run(|| drop(TURNS.take(None))));
            while TURNS.state.lock().waiting.is_empty() {
                thread::yield_now();
            }
            cancel.cancel();
            assert!(waiting.join().unwrap().is_err());
        });
        assert!(TURNS.state.lock().waiting.is_empty());
        drop(own);
        assert!(TURNS.state.lock().running.is_empty());
        drop(TURNS.take(None));
    }

    #[test]
    fn one_whose_request_is_abandoned_does_not_wait_for_those_who_want_the_same() {
        static TURNS: Turns = Turns::new();
        let own = [(); MOST_OF_USER].map(|()| TURNS.take(None));
        let request = Request::new(1);
        let full = [(); MOST_OF_USER].map(|()| TURNS.take(Some(&request)));
        assert!(!request.waits());
        thread::scope(|scope| {
            // Nothing else that it works for is cancelled.
            let waiting = scope.spawn(|| Cancel::default().run(|| drop(TURNS.take(Some(&request)))));
            while !request.waits() {
                thread::yield_now();
            }
            request.abandon();
            assert!(waiting.join().unwrap().is_err());
        });
        assert!(!request.waits());
        drop((own, full));
        assert!(TURNS.state.lock().running.is_empty());
    }

    #[test]
    fn work_at_low_priority_ends_as_any_other() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        assert_eq!(at_low_priority(nice), NICE.max(before));
        assert_eq!(nice(), before);
        let cancel = Cancel::default();
        let cancelled = cancel.run(|| {
            cancel.cancel();
            at_low_priority(task::check);
        });
        assert!(cancelled.is_err());
        let panics = AssertUnwindSafe(|| at_low_priority(|| resume_unwind(Box::new(7))));
        assert_eq!(catch_unwind(panics).unwrap_err().downcast_ref(), Some(&7));
    }
}
