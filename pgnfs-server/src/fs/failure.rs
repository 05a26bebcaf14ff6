//! The causes of input/output errors, for front ends and the log.

use std::fmt;

use log::Level;

use super::types::FsError;
use chessdb_library::workers::Pause;

/// Why a request ends with an input/output error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file was changed after it was opened.
    Changed,
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
    /// There is no room for a table.
    NoRoom,
    /// The source does not answer.
    Silent,
    /// Serving has ended.
    Ended,
    /// Something unexpected; the log says more.
    Unexpected,
}

/// Number of values of [`Failure::reason`].
const REASONS: usize = 11;

/// When each reason was last logged.
pub(super) struct Failures([Pause; REASONS]);

impl Failures {
    pub(super) fn new() -> Failures {
        Failures([(); REASONS].map(|()| Pause::new(Level::Error)))
    }

    /// Logs a failure and returns the error for the request.
    pub(super) fn report(&self, name: impl fmt::Display, failure: Failure) -> FsError {
        let level = self.0.get(failure.reason()).map_or(Level::Error, Pause::level);
        log::log!(level, "{name}: {failure}");
        FsError::Io(failure)
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
            Failure::NoRoom => 6,
            Failure::Changed => 7,
            Failure::Silent => 8,
            Failure::Ended => 9,
            Failure::Unexpected => 10,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Length(game) => {
                let number = u64::from(*game) + 1;
                write!(f, "the length of game {number} has changed: was a file changed?")
            }
            Failure::Index => f.write_str(
                "no index of positions could be built; mount with index=no to hide moves/ and positions/",
            ),
            Failure::NoRoom => {
                f.write_str("a table cannot be written: set cache-dir, or TMPDIR, to a folder with room")
            }
            Failure::Changed => f.write_str("a file was changed: it is opened again soon"),
            Failure::Silent => f.write_str("the source does not answer"),
            Failure::Ended => f.write_str("serving has ended"),
            Failure::Unexpected => f.write_str("the database cannot be read: the log says why"),
            Failure::Sizes => f.write_str("the sizes of some games cannot be found"),
            Failure::Replaced => f.write_str("a newer state of the database has replaced it"),
            Failure::Tags => f.write_str("tags have changed: was a file changed?"),
            Failure::Member(member, at) => write!(f, "file {member} in it cannot be read at byte {at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is also logged by itself: none is silent because another one was logged.
    #[test]
    fn each_failure_has_its_words() {
        let all = [
            Failure::Changed,
            Failure::Length(2),
            Failure::Sizes,
            Failure::Replaced,
            Failure::Tags,
            Failure::Member(2, 7),
            Failure::Index,
            Failure::NoRoom,
            Failure::Silent,
            Failure::Ended,
            Failure::Unexpected,
        ];
        let mut reasons: Vec<usize> = all.iter().map(|failure| failure.reason()).collect();
        reasons.sort_unstable();
        assert!(reasons.into_iter().eq(0..REASONS));
        for failure in all {
            let words = match failure {
                Failure::Changed => "a file was changed: it is opened again soon",
                Failure::Length(_) => "the length of game 3 has changed: was a file changed?",
                Failure::Sizes => "the sizes of some games cannot be found",
                Failure::Replaced => "a newer state of the database has replaced it",
                Failure::Tags => "tags have changed: was a file changed?",
                Failure::Member(..) => "file 2 in it cannot be read at byte 7",
                Failure::Index => "no index of positions could be built; mount with index=no",
                Failure::NoRoom => {
                    "a table cannot be written: set cache-dir, or TMPDIR, to a folder with room"
                }
                Failure::Silent => "the source does not answer",
                Failure::Ended => "serving has ended",
                Failure::Unexpected => "the database cannot be read: the log says why",
            };
            assert!(failure.to_string().contains(words), "{failure}");
            assert_eq!(FsError::Io(failure).to_string(), failure.to_string());
        }
    }
}
