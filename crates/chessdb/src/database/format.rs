//! The description of a format, and the error if files are not a database of it.

use super::{NamedDatabase, Options};
use crate::files::{Candidate, Files, SourceFolder};
use crate::packed::PackedError;
use crate::problem::Remedy;

/// A kind of database.
#[non_exhaustive]
pub struct Format {
    /// Short name, as `info` shows it: `simplecdb`.
    pub name: &'static str,
    /// Full name, for display.
    pub title: &'static str,
    /// Finds the databases of this format in a directory by the names of its files.
    pub find: fn(&SourceFolder) -> Vec<Candidate>,
    /// How to recognise a file by its content; `None` if only names are used.
    pub by_content: Option<ByContent>,
    /// When the small files of a folder are one database; `None` if every file is a database.
    pub small_files: Option<SmallFiles>,
    /// Names of its readings, for the option `reading`; empty if there is only one reading.
    pub readings: fn() -> Vec<String>,
    /// Opens a database from its files, reading headers only.
    pub open: fn(Files, &Options) -> Opened,
}

impl Format {
    /// A format with one reading, where each main file is one database and is found by its name.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        find: fn(&SourceFolder) -> Vec<Candidate>,
        open: fn(Files, &Options) -> Opened,
    ) -> Format {
        Format {
            name,
            title,
            find,
            by_content: None,
            small_files: None,
            readings: Vec::new,
            open,
        }
    }
}

/// How a format recognises a file by its bytes alone.
pub struct ByContent {
    /// The kind of such a file, as in [`Candidate::files`].
    pub kind: &'static str,
    /// True for bytes that are certainly a database of the format.
    pub accepts: fn(&[u8]) -> bool,
}

/// How a format reads many small files of one folder as one database.
pub struct SmallFiles {
    /// Kind of the files.
    pub kind: &'static str,
    /// Name of the database.
    pub name: &'static str,
    /// Maximum size of a small file in bytes.
    pub most_bytes: u64,
    /// Maximum number of small files that are still shown as single databases.
    pub most_files: usize,
    /// False if, with these options, small files are always shown as single databases.
    pub are_joined: fn(&Options) -> bool,
}

/// The database of the files, all databases of an archive, or the reason why the files are not a database.
pub type Opened = Result<Vec<NamedDatabase>, NotADatabase>;

/// The files are not a database of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotADatabase {
    /// The reason, in lower case, without a full stop.
    pub reason: String,
    /// What a user can do about it.
    pub remedy: Option<Remedy>,
    /// True if the files are sure to have nothing to do with chess, so that no user misses them.
    pub is_foreign: bool,
}

impl NotADatabase {
    /// A reason without a remedy for the user.
    pub fn new(reason: impl Into<String>) -> NotADatabase {
        NotADatabase {
            reason: reason.into(),
            remedy: None,
            is_foreign: false,
        }
    }

    /// The reason, and what a user can do about it.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<Option<Remedy>>) -> NotADatabase {
        NotADatabase {
            remedy: remedy.into(),
            ..self
        }
    }
}

impl FromIterator<NotADatabase> for NotADatabase {
    /// Several reasons as one.
    fn from_iter<I: IntoIterator<Item = NotADatabase>>(errors: I) -> NotADatabase {
        let errors: Vec<NotADatabase> = errors.into_iter().collect();
        let reasons: Vec<&str> = errors.iter().map(|error| &*error.reason).collect();
        let remedy = errors.iter().find_map(|error| error.remedy);
        NotADatabase::new(reasons.join("; ")).with_remedy(remedy)
    }
}

impl From<PackedError> for NotADatabase {
    fn from(error: PackedError) -> NotADatabase {
        NotADatabase::new(error.to_string()).with_remedy(error.remedy())
    }
}

impl std::fmt::Display for NotADatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotADatabase {}
