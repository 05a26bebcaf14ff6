//! Why something is not served.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::names::{on_one_line, shown};
use super::open::Refusal;
use crate::workers::hung::Hung;
use chessdb::formats::MAIN_FILES;

/// Maximum number of entries left out that an error lists.
const SHOWN: usize = 10;

/// A file or folder in a source that is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path, relative to the source.
    pub path: String,
    /// Why, in lower case, without a full stop.
    pub reason: String,
    /// True if it probably has nothing to do with chess.
    pub is_doubtful: bool,
}

impl LeftOut {
    pub(super) fn new(path: impl Into<String>, reason: impl Into<String>) -> LeftOut {
        LeftOut {
            path: path.into(),
            reason: reason.into(),
            is_doubtful: false,
        }
    }

    /// One value for each reason of a refusal.
    pub(super) fn all(path: &str, refusal: &Refusal) -> impl Iterator<Item = LeftOut> {
        refusal.reasons.iter().map(move |reason| LeftOut {
            is_doubtful: refusal.is_foreign,
            ..LeftOut::new(path, reason)
        })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&on_one_line(&format!("{}: {}", self.path, self.reason)))
    }
}

/// Why a source cannot be served.
#[derive(Debug)]
pub enum LibraryError {
    /// The source does not exist.
    Missing(PathBuf),
    /// The source cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The file system of the source does not answer.
    Hung(PathBuf, Hung),
    /// A file that cannot be served as a database, with the reason.
    Refused(PathBuf, String),
    /// A folder without a database that can be served.
    NoDatabases {
        /// The folder.
        source: PathBuf,
        /// Files and folders that were found but are not served.
        left_out: Vec<LeftOut>,
    },
    /// A folder where no database matches `only`.
    NoneWanted(PathBuf),
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Missing(path) => {
                write!(f, "{}: no such file or folder; check the path", shown(path))
            }
            LibraryError::Unreadable(path, error) => {
                let remedy = match error.kind() {
                    io::ErrorKind::PermissionDenied => "; you need permission to read it",
                    _ => "",
                };
                write!(f, "{}: cannot be read: {error}{remedy}", shown(path))
            }
            LibraryError::Hung(path, Hung { point }) => {
                let (path, point) = (shown(path), shown(point));
                write!(
                    f,
                    "{path}: the file system at {point} does not answer: try again when it does"
                )
            }
            LibraryError::Refused(path, reason) => write!(f, "{}: {}", shown(path), on_one_line(reason)),
            LibraryError::NoneWanted(source) => write!(
                f,
                "{}: 'only' and 'kinds' select no chess database in this folder; run pgnfs info {} to list them",
                shown(source),
                shown(source)
            ),
            LibraryError::NoDatabases { source, left_out } => {
                write!(
                    f,
                    "no chess databases found in {}; supported: {MAIN_FILES}",
                    shown(source)
                )?;
                for left_out in left_out.iter().take(SHOWN) {
                    write!(f, "\nleft out: {left_out}")?;
                }
                match left_out.len().saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, "\nand {more} more"),
                }
            }
        }
    }
}

impl std::error::Error for LibraryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LibraryError::Unreadable(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_words() {
        let path = || PathBuf::from("/a b");
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let hung = Hung { point: "/far".into() };
        let left_out = Vec::new();
        let errors = [
            LibraryError::Missing(path()),
            LibraryError::Unreadable(path(), denied()),
            LibraryError::Unreadable(path(), io::Error::other("odd")),
            LibraryError::Hung(path(), hung),
            LibraryError::Refused(path(), "it is\nodd".to_owned()),
            LibraryError::NoDatabases {
                source: path(),
                left_out,
            },
            LibraryError::NoneWanted(path()),
        ];
        for error in errors {
            let is_denied = matches!(&error, LibraryError::Unreadable(_, error) if error.kind() == io::ErrorKind::PermissionDenied);
            let words = match &error {
                LibraryError::Missing(_) => "/a b: no such file or folder; check the path",
                LibraryError::Unreadable(..) if is_denied => "you need permission to read it",
                LibraryError::Unreadable(..) => "/a b: cannot be read: odd",
                LibraryError::Hung(..) => {
                    "/a b: the file system at /far does not answer: try again when it does"
                }
                LibraryError::Refused(..) => "/a b: it is odd",
                LibraryError::NoDatabases { .. } => "no chess databases found in /a b",
                LibraryError::NoneWanted(_) => "run pgnfs info /a b to list them",
            };
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
