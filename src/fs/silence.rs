//! A source that does not answer: what is logged, and when the next request is let through.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::failure::Pause;
use super::progress::Mark;

/// Whether the source of a database answers.
pub(super) struct Silence {
    name: String,
    /// Set while the source does not answer.
    present: Mutex<Option<Present>>,
    /// Limits of the log lines about silence and about refused requests.
    silences: Pause,
    refusals: Pause,
}

/// A silence that has not ended.
struct Present {
    since: Instant,
    /// When a request was last let through during the silence.
    tried: Instant,
    /// Marks of the jobs that hang. Progress of any of them ends the silence.
    hanging: Vec<Arc<Mark>>,
}

impl Silence {
    /// For the source of the database with this name.
    pub(super) fn new(name: String) -> Silence {
        Silence {
            name,
            present: Mutex::default(),
            silences: Pause::new(),
            refusals: Pause::new(),
        }
    }

    /// True if a request must not start because an earlier one hangs. One request is let through per `pause`,
    /// because the file system may have lost the one that hangs.
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
            // A mark with no other reference belongs to a job that has ended.
            let since = present.since;
            let is_of_use = |mark: &Arc<Mark>| Arc::strong_count(mark) > 1 || mark.last_since(since) > since;
            present.hanging.retain(is_of_use);
            present.hanging.push(Arc::clone(mark));
        }
        !is_due
    }

    /// Records that the job with this mark hangs at the time `now`. It may still continue later.
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

    /// Logs for how long the source has not answered.
    pub(super) fn log_silence(&self, silence: Duration) {
        let (name, seconds, level) = (&self.name, silence.as_secs(), self.silences.level());
        log::log!(level, "{name}: the source has not answered for {seconds} s");
    }

    /// Logs that a request is refused because `most` are waiting.
    pub(super) fn log_refusal(&self, most: usize) {
        let (name, level) = (&self.name, self.refusals.level());
        log::log!(
            level,
            "{name}: {most} requests wait for the source, and no more can"
        );
    }

    fn present(&self) -> MutexGuard<'_, Option<Present>> {
        self.present.lock()
    }
}
