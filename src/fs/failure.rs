//! The causes of input/output errors, for the log.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use log::Level;

use super::types::FsError;

/// Minimum time between two lines at level error with the same cause for the same database. Lines in between
/// are logged at level debug.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// Why a request ends with an input/output error.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    /// The text of this game does not have the length that was reported before.
    Length(u32),
    /// The size of at least one game cannot be determined.
    Sizes,
    /// The database was replaced by a newer state while its sizes were being determined.
    Replaced,
    /// The tags that a table consists of have changed.
    Tags,
    /// A raw file, given by its number, cannot be read at this byte.
    Member(u32, u64),
    /// The index of positions cannot be built.
    Index,
}

/// Number of values of [`Failure::reason`].
const REASONS: usize = 6;

/// When each reason was last logged.
pub(super) struct Failures([Pause; REASONS]);

impl Failures {
    pub(super) fn new() -> Failures {
        Failures([(); REASONS].map(|()| Pause::new()))
    }

    /// Logs a failure and returns the error for the request.
    pub(super) fn report(&self, name: impl fmt::Display, failure: Failure) -> FsError {
        let level = self.0.get(failure.reason()).map_or(Level::Error, Pause::level);
        log::log!(level, "{name}: {failure}");
        FsError::Io
    }
}

impl Failure {
    fn reason(self) -> usize {
        match self {
            Failure::Length(_) => 0,
            Failure::Sizes => 1,
            Failure::Replaced => 2,
            Failure::Tags => 3,
            Failure::Member(..) => 4,
            Failure::Index => 5,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Length(game) => {
                let number = u64::from(*game) + 1;
                write!(f, "game {number} is not as long as it was: was a file changed?")
            }
            Failure::Index => {
                f.write_str("there is no index of positions; index=no leaves out what needs it")
            }
            Failure::Sizes => f.write_str("the sizes of some games cannot be found"),
            Failure::Replaced => f.write_str("another state of the database took its place"),
            Failure::Tags => f.write_str("tags are not what they were: was a file changed?"),
            Failure::Member(member, at) => write!(f, "file {member} in it cannot be read at byte {at}"),
        }
    }
}

/// Limits how often a line is logged at level error.
pub(super) struct Pause {
    begin: Instant,
    /// When the last line was logged, in milliseconds since `begin`; 0 if none was.
    last: AtomicU64,
}

impl Pause {
    pub(super) fn new() -> Pause {
        Pause {
            begin: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// The level of the next line: error, or debug if a line at level error was logged recently.
    pub(super) fn level(&self) -> Level {
        match self.is_due() {
            true => Level::Error,
            false => Level::Debug,
        }
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
        let pause = Pause::new();
        let errors = (0..1000).filter(|_| pause.level() == Level::Error);
        assert_eq!(errors.count(), 1);
    }
}
