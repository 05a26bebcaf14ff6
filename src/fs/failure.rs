//! Why requests end with an input/output error, for the log.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use log::Level;

use super::types::FsError;

/// How often the log has the same reason for the same database at level error. Level debug has all.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// Why a file of a database cannot be read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    /// The text of this game has another length than before.
    Length(u32),
    /// The size of some game cannot be known.
    Sizes,
    /// Another state of the database took its place while sizes were being found.
    Replaced,
    /// The tags that make up a table are not the same as before.
    Tags,
    /// A raw file cannot be read at this byte.
    Member(u32, u64),
    /// The state of the database that an inode belongs to is not kept any longer.
    Gone,
    /// A listing was begun in a state of the folder that is not kept any longer.
    Listing,
}

/// Number of [`Failure::reason`]s.
const REASONS: usize = 7;

/// The reasons that a database gave, and when.
pub(super) struct Failures([Pause; REASONS]);

impl Failures {
    pub(super) fn new() -> Failures {
        Failures([(); REASONS].map(|()| Pause::new()))
    }

    /// Puts a reason into the log.
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
            Failure::Gone => 5,
            Failure::Listing => 6,
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
            Failure::Sizes => f.write_str("the sizes of some games cannot be found"),
            Failure::Replaced => f.write_str("another state of the database took its place"),
            Failure::Tags => f.write_str("tags are not what they were: was a file changed?"),
            Failure::Member(member, at) => write!(f, "file {member} in it cannot be read at byte {at}"),
            Failure::Gone => f.write_str("its state of the database is not kept any longer"),
            Failure::Listing => f.write_str("its state when the listing began is not kept any longer"),
        }
    }
}

/// Keeps lines of the log from coming too often.
pub(super) struct Pause {
    begin: Instant,
    /// The last line, in milliseconds from the begin; 0 while there was none.
    last: AtomicU64,
}

impl Pause {
    pub(super) fn new() -> Pause {
        Pause {
            begin: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// The level of the next line: error, or debug if there was one at level error lately.
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
