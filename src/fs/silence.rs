//! A source that does not answer: what the log says of it, and when it is asked again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::progress::Mark;

/// How often the log says that a source does not answer.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// Whether the source of a database answers.
pub(super) struct Silence {
    name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the log last spoke of it.
    told: Option<Instant>,
    /// There while the source does not answer.
    present: Option<Present>,
}

/// A silence that goes on.
struct Present {
    since: Instant,
    /// When a request was last let through although the source did not answer.
    tried: Instant,
    /// Marks of the jobs that hang: as soon as one goes on, the source answers.
    hanging: Vec<Arc<Mark>>,
}

impl Silence {
    /// For the source of a database of this name, which answers.
    pub(super) fn new(name: String) -> Silence {
        Silence {
            name,
            state: Mutex::default(),
        }
    }

    /// True where a request is not to be begun, because an earlier one hangs. One is let through from time to time: a
    /// file system may have lost the request that hangs.
    pub(super) fn refuses(&self, mark: &Arc<Mark>, pause: Duration) -> bool {
        let mut state = self.state();
        let Some(present) = &mut state.present else {
            return false;
        };
        let is_over = |mark: &Arc<Mark>| mark.last_since(present.since) > present.since;
        if present.hanging.iter().any(is_over) {
            state.present = None;
            return false;
        }
        let is_due = present.tried.elapsed() >= pause;
        if is_due {
            present.tried = Instant::now();
            // Only this list has the mark of a job that is gone.
            let since = present.since;
            let is_of_use = |mark: &Arc<Mark>| Arc::strong_count(mark) > 1 || mark.last_since(since) > since;
            present.hanging.retain(is_of_use);
            present.hanging.push(Arc::clone(mark));
        }
        !is_due
    }

    /// A job hangs that has this mark, and did so at this time. It may go on at any moment.
    pub(super) fn begin(&self, mark: Arc<Mark>, now: Instant) {
        let mut state = self.state();
        let present = state.present.get_or_insert_with(|| Present {
            since: now,
            tried: now,
            hanging: Vec::new(),
        });
        if !present.hanging.iter().any(|other| Arc::ptr_eq(other, &mark)) {
            present.hanging.push(mark);
        }
    }

    /// Says in the log that the source has not answered for so long, where that was not said lately.
    pub(super) fn tell(&self, silence: Duration) {
        let mut state = self.state();
        if state.told.is_some_and(|told| told.elapsed() < LOG_PAUSE) {
            return;
        }
        state.told = Some(Instant::now());
        drop(state);
        let (name, seconds) = (&self.name, silence.as_secs());
        log::error!("{name}: the source has not answered for {seconds} s");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
