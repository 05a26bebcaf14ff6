//! Why something is not served.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::names::{on_one_line, shown};
use super::task::format_titles;
use crate::hung::Hung;

/// Most of what is left out that an error shows.
const SHOWN: usize = 10;

/// Something in a source that is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path, relative to the source.
    pub path: String,
    /// Why, in lower case, without a full stop.
    pub reason: String,
}

impl LeftOut {
    /// One for each reason.
    pub(super) fn all(path: &str, reasons: &[String]) -> impl Iterator<Item = LeftOut> {
        reasons.iter().map(move |reason| LeftOut {
            path: path.to_owned(),
            reason: reason.clone(),
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
    /// There is no such file or folder.
    Missing(PathBuf),
    /// It cannot be read.
    Unreadable(PathBuf, io::Error),
    /// Its file system does not answer.
    Hung(PathBuf, Hung),
    /// A file of which no database can be served, with the reason.
    Refused(PathBuf, String),
    /// A folder without a database that can be served.
    NoDatabases {
        /// The folder.
        source: PathBuf,
        /// What was found and is not served.
        left_out: Vec<LeftOut>,
    },
    /// A folder in which no database is wanted.
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
                    io::ErrorKind::PermissionDenied => "; its permissions must allow you to read it",
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
                "{}: 'only' matches no chess database in this folder or below it; run pgnfs info {} to see which \
                 there are",
                shown(source),
                shown(source)
            ),
            LibraryError::NoDatabases { source, left_out } => {
                write!(
                    f,
                    "{}: no chess database in this folder or below it; name one that holds databases of a known format ({})",
                    shown(source),
                    format_titles()
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
