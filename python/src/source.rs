//! A database that is read without the GIL. After each read, the files are checked for changes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use crate::ahead::Ahead;
use crate::blocks::Texts;
use crate::errors::ReadError;
use crate::names::Names;
use crate::opening::OpenArguments;
use chessdb::game::Tags;
use chessdb_library::library::{LibraryEntry, belongs_to, legible_file_name};
use chessdb_library::task::{self, Cancelled};

/// An open database.
#[derive(Clone)]
pub struct Source {
    /// Its files.
    pub entry: Arc<LibraryEntry>,
    /// How it was opened.
    pub opening: Arc<OpenArguments>,
    /// The caches of its games.
    pub shared: Arc<Shared>,
    /// Where its files are, with their devices and inodes; empty if they were copied when it was opened.
    paths: Arc<[(PathBuf, (u64, u64))]>,
}

/// The caches that all games of a database share.
#[derive(Default)]
pub struct Shared {
    /// The keys of all headers.
    pub names: Names,
    /// Headers that are decoded ahead.
    pub headers: Ahead<Vec<Tags>>,
    /// Texts that are decoded ahead.
    pub texts: Ahead<Texts>,
    /// A number for the state of the files.
    state: OnceLock<u64>,
}

impl Source {
    /// A newly opened database.
    pub fn new(entry: &Arc<LibraryEntry>, opening: &Arc<OpenArguments>) -> Source {
        Source {
            entry: Arc::clone(entry),
            opening: Arc::clone(opening),
            shared: Arc::default(),
            paths: paths(entry),
        }
    }

    /// True if both read the same database from the same files with the same options.
    pub fn is_same(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry)
            || self.own_name() == other.own_name()
                && self.opening.options == other.opening.options
                && self.has_same_files(other)
    }

    fn has_same_files(&self, other: &Source) -> bool {
        match (&self.entry.copies, &other.entry.copies) {
            // Unlike mapped files, copies show no later contents, so the identities with sizes and times must be the same.
            (Some(copies), Some(others)) => copies.identities().eq(others.identities()),
            (None, None) => !self.paths.is_empty() && self.paths == other.paths,
            _ => false,
        }
    }

    /// The name of its directory, without those above it.
    pub fn own_name(&self) -> Option<&str> {
        self.entry.name().rsplit('/').next()
    }

    /// True if a database that is opened now would be read from the same files with the same contents.
    pub fn is_current(&self) -> bool {
        self.entry.is_current() && self.replaced().is_none()
    }

    /// True if a file is one of its own, or is in the folder that was opened.
    pub fn holds(&self, file: &Path) -> bool {
        belongs_to([&*self.entry], self.opening.folder.as_deref(), file)
    }

    /// Number of games.
    pub fn len(&self) -> u32 {
        self.entry.database.len()
    }

    /// A hash of the sizes and times of its files.
    pub fn state(&self) -> u64 {
        *self.shared.state.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            for (name, file) in &self.entry.files {
                (name, file.size, file.modified).hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    /// Reads without the GIL.
    ///
    /// # Errors
    /// The exception for a file that has changed or a decoder that failed.
    pub fn read<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&LibraryEntry) -> T + Send) -> PyResult<T> {
        py.detach(|| self.checked(read))
            .map_err(|error| error.raise(py, &self.entry))
    }

    /// A file that was replaced by another one. A file that was only removed can still be read.
    fn replaced(&self) -> Option<&Path> {
        let files = self.paths.iter();
        let mut replaced = files.filter(|(path, opened)| {
            std::fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) != *opened)
        });
        replaced.next().map(|(path, _)| path.as_path())
    }

    /// Reads, then checks that the files have not changed since they were opened.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn checked<T>(&self, read: impl FnOnce(&LibraryEntry) -> T) -> Result<T, ReadError> {
        let answer = catch_unwind(AssertUnwindSafe(|| read(&self.entry)));
        if answer.as_ref().is_err_and(|panic| panic.is::<Cancelled>()) {
            task::unwind();
        }
        if !self.entry.is_intact() {
            return Err(ReadError::Changed);
        }
        if let Some(path) = self.replaced() {
            return Err(ReadError::Replaced(path.to_owned()));
        }
        answer.map_err(|panic| ReadError::Failed(task::panic_message(&*panic).to_owned()))
    }
}

/// The paths of the files that a database reads from, with their devices and inodes.
fn paths(entry: &LibraryEntry) -> Arc<[(PathBuf, (u64, u64))]> {
    if entry.copies.is_some() {
        return Arc::default();
    }
    let found = entry.found.iter().flat_map(|found| &found.files);
    let opened = found.filter_map(|(_, path)| {
        let name = legible_file_name(path);
        let mut files = entry.files.iter();
        let (_, identity) = files.find(|(file, _)| name == *file)?;
        Some((path.clone(), (identity.device, identity.inode)))
    });
    opened.collect()
}
