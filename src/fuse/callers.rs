//! Ends the requests of threads that were killed while they wait for an answer.
//!
//! A program that waits for a reply cannot be killed before it gets the reply. The kernel announces the signal by
//! FUSE_INTERRUPT, but fuser does not pass that on and answers ENOSYS, after which the kernel sends no more of them. So
//! the pending signals of callers are read from `/proc` twice a second, for requests that have waited for at least a
//! quarter of a second.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::caller;
use pgnfs_server::Unanswered;

/// Pause between two checks of the callers.
const PAUSE: Duration = Duration::from_millis(500);

/// The callers that wait for an answer.
#[derive(Default)]
pub(super) struct Callers {
    state: Mutex<CallersState>,
    changed: Condvar,
}

#[derive(Default)]
struct CallersState {
    waiting: Vec<WaitingCaller>,
    is_over: bool,
}

struct WaitingCaller {
    thread: u32,
    since: Instant,
    request: Unanswered,
}

impl Callers {
    /// Adds the thread that made a request, unless the request is answered already. The number is 0 if the thread is
    /// outside the PID namespace of pgnfs.
    pub(super) fn add(&self, thread: u32, request: Option<Unanswered>) {
        let Some(request) = request.filter(|_| thread != 0) else {
            return;
        };
        let mut state = self.state();
        let is_first = state.waiting.is_empty();
        state.waiting.push(WaitingCaller {
            thread,
            since: Instant::now(),
            request,
        });
        drop(state);
        if is_first {
            self.changed.notify_one();
        }
    }

    /// Ends the thread that checks the callers.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Starts the thread that checks the callers.
    pub(super) fn start(self: &Arc<Self>) {
        if !caller::are_visible() {
            log::debug!("/proc shows other processes: requests of killed programs are not ended early");
            return;
        }
        let callers = Arc::clone(self);
        let started = thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn(move || callers.watch(caller::is_killed));
        if let Err(error) = started {
            log::warn!("cannot start the thread that ends requests of killed programs: {error}");
        }
    }

    /// Ends the requests of killed callers, until [`Callers::end`].
    fn watch(&self, is_killed: impl Fn(u32) -> bool) {
        let mut state = self.state();
        while !state.is_over {
            if state.waiting.is_empty() {
                self.changed.wait(&mut state);
                continue;
            }
            self.changed.wait_for(&mut state, PAUSE);
            state.waiting.retain(|waiting| waiting.request.is_open());
            // Requests are checked after half a pause, so that a killed caller waits for less than two pauses.
            let now = Instant::now();
            let is_due =
                |waiting: &mut WaitingCaller| now.saturating_duration_since(waiting.since) >= PAUSE / 2;
            let mut due: Vec<WaitingCaller> = state.waiting.extract_if(.., is_due).collect();
            drop(state);
            // `/proc` is read once for each thread, and without the lock, which every waiting request needs.
            let mut known: HashMap<u32, bool> = HashMap::new();
            due.retain(|WaitingCaller { thread, request, .. }| {
                let is_killed = *known.entry(*thread).or_insert_with(|| is_killed(*thread));
                if is_killed {
                    request.leave();
                }
                !is_killed
            });
            state = self.state();
            state.waiting.append(&mut due);
        }
    }

    fn state(&self) -> MutexGuard<'_, CallersState> {
        self.state.lock()
    }
}
