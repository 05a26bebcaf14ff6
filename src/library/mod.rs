//! The databases of a source: a folder that is searched, or one database.

mod error;
mod names;
mod open;
mod scan;
mod selection;
mod text;

use std::collections::HashMap;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

pub use error::{LeftOut, LibraryError};
pub use names::{LONGEST_NAME, TakenNames, cut, numbered, on_one_line, safe_name};
pub use selection::Selection;
pub use text::{GameText, document_text, tags_of, text_of};

use crate::formats::{Database, Directory, Format, Options};
use crate::mapped::{Identity, Mapped};
use open::{Opened, open_owner};
use scan::{Found, Listing, Scan, scan};

/// All databases of a source, open.
pub struct Library {
    source: PathBuf,
    databases: Vec<Arc<LibraryEntry>>,
    left_out: Vec<LeftOut>,
}

impl Library {
    /// Opens a folder with everything below it, or the one database that a file belongs to. Headers are read,
    /// no move is decoded.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open(source: &Path, options: &Options) -> Result<Library, LibraryError> {
        Library::open_selected(source, options, &Selection::default())
    }

    /// Opens what the user wants of a folder, as [`Library::open`] does. A database that is the source is wanted.
    ///
    /// # Errors
    /// Where there is nothing to serve: see [`LibraryError`].
    pub fn open_selected(
        source: &Path,
        options: &Options,
        selection: &Selection,
    ) -> Result<Library, LibraryError> {
        let unreadable = |error: Error| match error.kind() {
            ErrorKind::NotFound => LibraryError::Missing(source.to_owned()),
            _ => LibraryError::Unreadable(source.to_owned(), error),
        };
        let real = fs::canonicalize(source).map_err(unreadable)?;
        let kind = fs::metadata(&real).map_err(unreadable)?.file_type();
        if kind.is_dir() {
            let Scan { found, left_out } = scan(&real, options, selection).map_err(unreadable)?;
            let source = source.to_owned();
            return match found.is_empty() {
                true if selection.is_choosy() => Err(LibraryError::NoneWanted(source)),
                true => Err(LibraryError::NoDatabases { source, left_out }),
                false => Ok(Library::new(real, entries(found, selection.flat), left_out)),
            };
        }
        let not_a_database = |reason| LibraryError::NotADatabase(source.to_owned(), reason);
        if !kind.is_file() {
            return Err(not_a_database("neither a file nor a folder".to_owned()));
        }
        fs::File::open(&real).map_err(unreadable)?;
        let database = open_single(&real, options).map_err(not_a_database)?;
        Ok(Library::new(
            real,
            vec![entry(String::new(), database)],
            Vec::new(),
        ))
    }

    /// A library of databases that are open already; one whose path is empty is the root of the tree.
    pub fn from_databases(databases: Vec<LibraryEntry>) -> Library {
        Library::new(PathBuf::new(), databases, Vec::new())
    }

    fn new(source: PathBuf, mut databases: Vec<LibraryEntry>, left_out: Vec<LeftOut>) -> Library {
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            source,
            databases: databases.into_iter().map(Arc::new).collect(),
            left_out,
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
    pub fn databases(&self) -> &[Arc<LibraryEntry>] {
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
    /// The maps of these files that the database reads from.
    pub maps: Vec<Arc<Mapped>>,
}

impl LibraryEntry {
    /// What people call it: its path, or its main file where it is the root.
    pub fn name(&self) -> &str {
        let main = self.files.first().map(|(name, _)| name.as_str());
        match self.path.as_str() {
            "" => main.unwrap_or_default(),
            path => path,
        }
    }

    /// True when a file became shorter than it was and bytes were read that are gone: nothing that is decoded since
    /// is to be trusted.
    pub fn is_lost(&self) -> bool {
        self.maps.iter().any(|map| map.is_lost())
    }

    /// The newest time of its files, in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        let times = self.files.iter().map(|(_, identity)| identity.modified);
        times.max().unwrap_or(0)
    }

    /// Bytes of its files.
    pub fn source_bytes(&self) -> u64 {
        self.files.iter().map(|(_, identity)| identity.size).sum()
    }

    /// A number that is another one as soon as its path or a file changes.
    pub fn identity_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(self.path.as_bytes());
        for (name, identity) in &self.files {
            hash.update(&[0]);
            hash.update(name.as_bytes());
            hash.update(&identity.device.to_le_bytes());
            hash.update(&identity.inode.to_le_bytes());
            hash.update(&identity.size.to_le_bytes());
            hash.update(&identity.modified.to_le_bytes());
        }
        hash.digest()
    }
}

/// Opens the database that a file belongs to.
fn open_single(file: &Path, options: &Options) -> Result<Opened, String> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or("its name is not UTF-8; rename it")?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let (directory, unusable) = match Listing::read(folder, folder) {
        Ok(listing) => (listing.directory, listing.unusable),
        // The file itself may still be read where its folder may not be listed.
        Err(error) => {
            log::warn!("{}: cannot be listed: {error}", folder.display());
            let files = vec![name.to_owned()];
            let path = folder.to_owned();
            (Directory { path, files }, HashMap::new())
        }
    };
    open_owner(&directory, file, &unusable, options)
}

fn entry(path: String, opened: Opened) -> LibraryEntry {
    LibraryEntry {
        path,
        format: opened.format,
        database: opened.database,
        files: opened.files,
        maps: opened.maps,
    }
}

/// The databases of a folder under safe paths, no two of them the same.
fn entries(mut found: Vec<Found>, flat: bool) -> Vec<LibraryEntry> {
    found.sort_by(|a, b| (&a.folder, &a.database.name).cmp(&(&b.folder, &b.database.name)));
    let mut paths = SafePaths::default();
    let mut names = TakenNames::default();
    found
        .into_iter()
        .map(|Found { folder, database }| {
            let name = match database.name.as_str() {
                "" => folder.last().map_or("", String::as_str),
                name => name,
            };
            let path = match flat && !name.is_empty() {
                true => names.take_name(&safe_name(name)),
                false => paths.of(&folder, &database.name),
            };
            entry(path, database)
        })
        .collect()
}

/// Safe paths, given out folder by folder.
#[derive(Default)]
struct SafePaths {
    taken: HashMap<String, TakenNames>,
    /// The path of each folder and database by its parent's path and its name on disk. A database may have the
    /// name of a folder beside it and is not that folder.
    given: HashMap<(String, String, bool), String>,
}

impl SafePaths {
    /// The path of a database.
    fn of(&mut self, folder: &[String], name: &str) -> String {
        let path = folder
            .iter()
            .fold(String::new(), |path, name| self.below(path, name, false));
        match name {
            "" => path,
            name => self.below(path, name, true),
        }
    }

    fn below(&mut self, parent: String, name: &str, is_database: bool) -> String {
        let key = (parent, name.to_owned(), is_database);
        if let Some(path) = self.given.get(&key) {
            return path.clone();
        }
        let parent = &key.0;
        let names = self.taken.entry(parent.clone()).or_default();
        let name = names.take_name(&safe_name(name));
        let path = match parent.is_empty() {
            true => name,
            false => format!("{parent}/{name}"),
        };
        self.given.insert(key, path.clone());
        path
    }
}
