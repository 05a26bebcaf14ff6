//! Requests that wait, and their end when the program that made one is killed or the mount is unmounted.
//!
//! A program in the middle of a request is not killed before the reply. The kernel announces the signal by
//! FUSE_INTERRUPT, but fuser keeps that to itself and answers ENOSYS, after which the kernel sends no more. So the
//! pending signals of callers are read from `/proc` twice a second, for requests that have waited for half as long.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use fuser::Errno;

use crate::caller;
use chessdb_library::cancel::Cancel;

/// Time between two looks at the callers.
const PAUSE: Duration = Duration::from_millis(500);

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestOrigin {
    /// The thread that made it, 0 if it is outside of the PID namespace.
    pub(super) thread: u32,
    /// The user who made it.
    pub(super) user: u32,
    /// True if it reads a file, which is served to its end, unless that needs long work.
    pub(super) is_read: bool,
}

/// A request that has no reply yet, or had none.
pub(super) trait Refusable: Send + Sync {
    /// True if it has no reply yet.
    fn is_open(&self) -> bool;

    /// Cancelled when it is given up.
    fn abandoned(&self) -> Cancel;

    /// Gives it up: replies with an error, unless it has a reply.
    fn refuse(&self, error: Errno);
}

struct Waiting {
    origin: RequestOrigin,
    since: Instant,
    request: Weak<dyn Refusable>,
}

/// The requests that wait for many games or for a source that may not answer.
#[derive(Default)]
pub(super) struct WaitingRequests {
    state: Mutex<WaitingState>,
    changed: Condvar,
}

#[derive(Default)]
struct WaitingState {
    requests: Vec<Waiting>,
    is_over: bool,
}

impl WaitingRequests {
    /// Adds a request.
    pub(super) fn add(&self, origin: RequestOrigin, request: Weak<dyn Refusable>) {
        let mut state = self.state();
        let is_first = state.requests.is_empty();
        state.requests.push(Waiting {
            origin,
            since: Instant::now(),
            request,
        });
        drop(state);
        if is_first {
            self.changed.notify_one();
        }
    }

    /// Refuses all requests but those that read files: these end with the work of the mount if they wait for it.
    pub(super) fn refuse_all(&self) {
        let requests = self
            .state()
            .requests
            .iter()
            .map(Waiting::upgrade)
            .collect::<Vec<_>>();
        for (origin, request) in requests.into_iter().flatten() {
            if !origin.is_read {
                request.refuse(Errno::EIO);
            }
        }
    }

    /// Ends the thread that looks at the callers.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Starts the thread that looks at the callers.
    pub(super) fn start(self: &Arc<Self>) {
        if !caller::are_known() {
            log::debug!("/proc shows other processes: requests of killed programs are not ended early");
            return;
        }
        let requests = Arc::clone(self);
        let started = thread::Builder::new()
            .name("interrupts".to_owned())
            .spawn(move || requests.watch(caller::is_killed));
        if let Err(error) = started {
            log::warn!("no thread for requests of killed programs: {error}");
        }
    }

    /// Ends the requests of killed callers, until [`WaitingRequests::end`].
    fn watch(&self, is_killed: impl Fn(u32) -> bool) {
        let mut state = self.state();
        while !state.is_over {
            if state.requests.is_empty() {
                self.changed.wait(&mut state);
                continue;
            }
            self.changed.wait_for(&mut state, PAUSE);
            let due = state.due(Instant::now());
            drop(state);
            let mut known: HashMap<u32, bool> = HashMap::new();
            for (origin, request) in due {
                let thread = origin.thread;
                if thread != 0 && *known.entry(thread).or_insert_with(|| is_killed(thread)) {
                    request.refuse(Errno::EINTR);
                }
            }
            state = self.state();
        }
    }

    fn state(&self) -> MutexGuard<'_, WaitingState> {
        self.state.lock()
    }
}

impl Waiting {
    /// The request, if it is open.
    fn upgrade(&self) -> Option<(RequestOrigin, Arc<dyn Refusable>)> {
        let request = self.request.upgrade().filter(|request| request.is_open())?;
        Some((self.origin, request))
    }
}

impl WaitingState {
    /// Forgets requests that have a reply. Returns those that have waited for half of [`PAUSE`], so that none waits
    /// for two pauses and more.
    fn due(&mut self, now: Instant) -> Vec<(RequestOrigin, Arc<dyn Refusable>)> {
        let mut due = Vec::new();
        self.requests.retain(|waiting| {
            let open = waiting.upgrade();
            let is_open = open.is_some();
            due.extend(open.filter(|_| now.saturating_duration_since(waiting.since) >= PAUSE / 2));
            is_open
        });
        due
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    struct Probe(Mutex<Option<Sender<Errno>>>);

    impl Refusable for Probe {
        fn is_open(&self) -> bool {
            self.0.lock().is_some()
        }

        fn abandoned(&self) -> Cancel {
            Cancel::default()
        }

        fn refuse(&self, error: Errno) {
            if let Some(reply) = self.0.lock().take() {
                reply.send(error).unwrap();
            }
        }
    }

    #[test]
    fn the_requests_of_killed_callers_end() {
        let requests = Arc::new(WaitingRequests::default());
        let watching = {
            let requests = Arc::clone(&requests);
            thread::spawn(move || requests.watch(|thread| thread == 2))
        };
        let add = |thread, is_read| {
            let (reply, answer) = channel();
            let request = Arc::new(Probe(Mutex::new(Some(reply))));
            let weak: Weak<Probe> = Arc::downgrade(&request);
            requests.add(
                RequestOrigin {
                    thread,
                    user: 0,
                    is_read,
                },
                weak,
            );
            (request, answer)
        };
        let [unknown, living, killed, read] =
            [(0, false), (1, false), (2, false), (1, true)].map(|(t, r)| add(t, r));
        assert_eq!(killed.1.recv().unwrap(), Errno::EINTR);
        assert!(unknown.0.is_open() && living.0.is_open());
        requests.refuse_all();
        assert_eq!(living.1.recv().unwrap(), Errno::EIO);
        assert_eq!(unknown.1.recv().unwrap(), Errno::EIO);
        assert!(read.0.is_open());
        requests.end();
        watching.join().unwrap();
    }
}
