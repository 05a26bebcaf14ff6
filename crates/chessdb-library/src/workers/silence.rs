//! Tracks a source that does not answer: logs it, and decides when the next job may try again.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use log::Level;

use super::progress::Mark;

/// Minimum time between two log lines of the same kind. Lines in between are logged at level debug.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// Whether a source answers.
pub struct Silence {
    name: String,
    /// During the silence, a job is let through after this time even if no job hangs or tries; `None` for never.
    retry: Option<Duration>,
    /// Set while the source does not answer.
    present: Mutex<Option<Present>>,
    /// Limits of the log lines about silence and about refused requests.
    silences: Pause,
    refusals: Pause,
}

/// A silence that has not ended.
struct Present {
    since: Instant,
    /// When a job was last let through or given up during the silence.
    tried: Instant,
    /// Marks of the jobs that hang. Progress of any of them ends the silence.
    hanging: Vec<Arc<Mark>>,
}

impl Silence {
    /// For the source with this name, whose silence is logged at this level. While it is silent, a job may try again
    /// after each `retry`, because the file system may have lost the request that hangs; `None` for never.
    pub fn new(name: String, level: Level, retry: Option<Duration>) -> Silence {
        Silence {
            name,
            retry,
            present: Mutex::default(),
            silences: Pause::new(level),
            refusals: Pause::new(level),
        }
    }

    /// True if a job must not start at the time `now` because an earlier one hangs.
    pub(super) fn refuses(&self, mark: &Arc<Mark>, now: Instant) -> bool {
        let mut place = self.present();
        let Some(present) = place.as_mut() else {
            return false;
        };
        let is_over = |mark: &Arc<Mark>| mark.last_since(present.since) > present.since;
        if present.hanging.iter().any(is_over) {
            *place = None;
            return false;
        }
        let silent = now.saturating_duration_since(present.tried);
        let is_due = self.retry.is_some_and(|retry| silent >= retry);
        if is_due {
            present.tried = now;
            // A mark with no other reference belongs to a job that has ended.
            let since = present.since;
            let is_of_use = |mark: &Arc<Mark>| Arc::strong_count(mark) > 1 || mark.last_since(since) > since;
            present.hanging.retain(is_of_use);
            present.hanging.push(Arc::clone(mark));
        }
        !is_due
    }

    /// Records that the job with this mark hangs at the time `now`. It may still continue later. The time after which
    /// another job may try again begins now.
    pub(super) fn begin(&self, mark: Arc<Mark>, now: Instant) {
        let mut place = self.present();
        let present = place.get_or_insert_with(|| Present {
            since: now,
            tried: now,
            hanging: Vec::new(),
        });
        present.tried = now;
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
            "{name}: {most} requests wait for the source: more are refused"
        );
    }

    fn present(&self) -> MutexGuard<'_, Option<Present>> {
        self.present.lock()
    }
}

/// Limits how often a line is logged at its level.
pub struct Pause {
    level: Level,
    begin: Instant,
    /// When the last line was logged, in milliseconds since `begin`; 0 if none was.
    last: AtomicU64,
}

impl Pause {
    /// For a line that is logged at this level at most once a minute.
    pub fn new(level: Level) -> Pause {
        Pause {
            level,
            begin: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// The level of the next line: debug, if a line was logged recently.
    pub fn level(&self) -> Level {
        if self.is_due() { self.level } else { Level::Debug }
    }

    fn is_due(&self) -> bool {
        let now = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.last.load(Ordering::Relaxed);
        let is_due = last == 0 || u128::from(now.saturating_sub(last)) >= LOG_PAUSE.as_millis();
        is_due
            && self
                .last
                .compare_exchange(last, now.max(1), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_lines_is_an_error() {
        let pause = Pause::new(Level::Error);
        let errors = (0..1000).filter(|_| pause.level() == Level::Error);
        assert_eq!(errors.count(), 1);
    }
}
