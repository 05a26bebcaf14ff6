//! A folder of databases in the smallest format, without games.

use std::fs;
use std::path::{Path, PathBuf};

use chessdb::Options;
use chessdb_library::library::{Library, LibraryError};
use tempfile::TempDir;

/// A temporary folder.
pub struct Source(TempDir);

impl Source {
    pub fn new() -> Source {
        Source(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn folder(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn file(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a database of two files: `path.dci` and `path.dcg`.
    pub fn database(&self, path: &str) {
        let mut index = b"SimpleCDbi".to_vec();
        index.extend([0; 10]);
        self.file(&format!("{path}.dci"), &index);
        self.file(&format!("{path}.dcg"), b"SimpleCDbg");
    }

    pub fn open(&self) -> Result<Library, LibraryError> {
        open(self.0.path())
    }

    /// Paths of the databases, and what was left out, with the reasons.
    pub fn found(&self) -> (Vec<String>, Vec<(String, String)>) {
        match self.open() {
            Ok(library) => (paths(&library), left_out(library.left_out())),
            Err(LibraryError::NoDatabases { left_out: list, .. }) => (Vec::new(), left_out(&list)),
            Err(error) => panic!("{error}"),
        }
    }
}

pub fn open(path: &Path) -> Result<Library, LibraryError> {
    Library::open(path, &Options::default())
}

pub fn paths(library: &Library) -> Vec<String> {
    library
        .databases()
        .iter()
        .map(|entry| entry.path.clone())
        .collect()
}

fn left_out(list: &[chessdb_library::library::LeftOut]) -> Vec<(String, String)> {
    list.iter()
        .map(|left_out| (left_out.path.clone(), left_out.reason.clone()))
        .collect()
}

/// An entry about something left out.
pub fn left(path: &str, reason: &str) -> (String, String) {
    (path.to_owned(), reason.to_owned())
}
