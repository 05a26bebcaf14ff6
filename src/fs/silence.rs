//! A source that does not answer: what the log says of it, and when it is asked again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::failure::Pause;
use super::progress::Mark;

/// Whether the source of a database answers.
pub(super) struct Silence {
    name: String,
    /// There while the source does not answer.
    present: Mutex<Option<Present>>,
    /// Between lines of the log on the silence, and on requests that are refused.
    silences: Pause,
    refusals: Pause,
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
            present: Mutex::default(),
            silences: Pause::new(),
            refusals: Pause::new(),
        }
    }

    /// True where a request is not to be begun, because an earlier one hangs. One is let through from time to time: a
    /// file system may have lost the request that hangs.
    pub(super) fn refuses(&self, mark: &Arc<Mark>, pause: Duration) -> bool {
        let mut place = self.present();
        let Some(present) = place.as_mut() else {
            return false;
        };
        let is_over = |mark: &Arc<Mark>| mark.last_since(present.since) > present.since;
        if present.hanging.iter().any(is_over) {
            *place = None;
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
        let mut place = self.present();
        let present = place.get_or_insert_with(|| Present {
            since: now,
            tried: now,
            hanging: Vec::new(),
        });
        if !present.hanging.iter().any(|other| Arc::ptr_eq(other, &mark)) {
            present.hanging.push(mark);
        }
    }

    /// Logs that the source has not answered for so long.
    pub(super) fn log_silence(&self, silence: Duration) {
        let (name, seconds, level) = (&self.name, silence.as_secs(), self.silences.level());
        log::log!(level, "{name}: the source has not answered for {seconds} s");
    }

    /// Logs that a request is refused because too many wait.
    pub(super) fn log_refusal(&self, most: usize) {
        let (name, level) = (&self.name, self.refusals.level());
        log::log!(
            level,
            "{name}: {most} requests wait for the source, and no more can"
        );
    }

    fn present(&self) -> MutexGuard<'_, Option<Present>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
