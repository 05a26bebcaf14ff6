//! The databases of a source: a folder that is searched, or one database.

mod error;
mod names;
mod open;
mod root;
mod scan;
mod selection;
mod text;

use std::collections::HashMap;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3;

pub use error::{LeftOut, LibraryError};
pub use names::{LONGEST_NAME, TakenNames, cut, numbered, on_one_line, safe_name, shown};
pub use selection::Selection;
pub use text::{GameText, append_text, document_text, tags_of, text_of};

use crate::formats::{Candidate, Database, Directory, Format, Options};
use crate::mapped::{Identity, Mapped};
use open::{Opened, Opener, open_owner};
use root::Root;
use scan::{Found, Listing, Scan, scan};

/// All databases of a source, open.
pub struct Library {
    /// The source as the user names it.
    named: PathBuf,
    source: PathBuf,
    options: Options,
    selection: Selection,
    databases: Vec<Arc<LibraryEntry>>,
    left_out: Vec<LeftOut>,
    is_restless: bool,
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
        let opener = Opener::new(options, selection, &[], Duration::ZERO);
        let library = Library::search(source, &opener)?;
        match (library.databases.is_empty(), opener.exhaustion()) {
            (false, _) => Ok(library),
            (true, Some(reason)) => Err(LibraryError::Refused(library.named, reason.to_owned())),
            (true, None) if selection.is_choosy() => Err(LibraryError::NoneWanted(library.named)),
            (true, None) => Err(LibraryError::NoDatabases {
                source: library.named,
                left_out: library.left_out,
            }),
        }
    }

    /// Looks at the source once more. Databases that are `open` already and whose files are what they were stay as
    /// they are, and so do those that changed less than `rest` ago: they may not be complete. A source that cannot be
    /// read any more has no databases, and what is left out says why.
    #[must_use]
    pub fn reopen(&self, open: &[Arc<LibraryEntry>], rest: Duration) -> Library {
        let opener = Opener::new(&self.options, &self.selection, open, rest);
        Library::search(&self.named, &opener).unwrap_or_else(|error| Library {
            named: self.named.clone(),
            source: self.source.clone(),
            options: self.options.clone(),
            selection: self.selection.clone(),
            databases: Vec::new(),
            left_out: vec![LeftOut {
                path: ".".to_owned(),
                reason: error.to_string(),
            }],
            is_restless: opener.is_restless(),
        })
    }

    fn search(source: &Path, opener: &Opener<'_>) -> Result<Library, LibraryError> {
        let unreadable = |error: Error| match error.kind() {
            ErrorKind::NotFound => LibraryError::Missing(source.to_owned()),
            _ => LibraryError::Unreadable(source.to_owned(), error),
        };
        let refused = |reason| LibraryError::Refused(source.to_owned(), reason);
        let real = fs::canonicalize(source).map_err(unreadable)?;
        let kind = fs::metadata(&real).map_err(unreadable)?.file_type();
        let (databases, left_out) = if kind.is_dir() {
            let root = Root::open(&real).map_err(unreadable)?;
            let Scan { found, left_out } = scan(&root, opener).map_err(unreadable)?;
            (entries(found, opener.selection.flat), left_out)
        } else if kind.is_file() {
            let root = Root::open(real.parent().unwrap_or(Path::new("/"))).map_err(unreadable)?;
            root.file(&real).map_err(unreadable)?;
            let database = open_single(&root, &real, opener).map_err(refused)?;
            (vec![database.entry], Vec::new())
        } else {
            return Err(refused("neither a file nor a folder".to_owned()));
        };
        Ok(Library {
            named: source.to_owned(),
            source: real,
            options: opener.options.clone(),
            selection: opener.selection.clone(),
            left_out,
            is_restless: opener.is_restless(),
            ..Library::of(databases)
        })
    }

    /// A library of databases that are open already; one whose path is empty is the root of the tree.
    pub fn from_databases(databases: Vec<LibraryEntry>) -> Library {
        Library::of(databases.into_iter().map(Arc::new).collect())
    }

    /// The same of databases that others have, too.
    pub fn of(mut databases: Vec<Arc<LibraryEntry>>) -> Library {
        databases.sort_by(|a, b| a.path.cmp(&b.path));
        Library {
            named: PathBuf::new(),
            source: PathBuf::new(),
            options: Options::default(),
            selection: Selection::default(),
            databases,
            left_out: Vec::new(),
            is_restless: false,
        }
    }

    /// True where a database is shown as it was because its files were changing at that moment.
    pub fn is_restless(&self) -> bool {
        self.is_restless
    }

    /// True where this is all the same, and not only alike.
    pub fn is_same(&self, other: &Library) -> bool {
        let pairs = self.databases.iter().zip(&other.databases);
        self.source == other.source
            && self.left_out == other.left_out
            && self.databases.len() == other.databases.len()
            && pairs.into_iter().all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// The source as the user names it.
    pub fn named(&self) -> &Path {
        &self.named
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
#[derive(Clone)]
pub struct LibraryEntry {
    /// Path of its directory in the tree, with `/` between safe names; empty where it is the root.
    pub path: String,
    /// Its format.
    pub format: &'static Format,
    /// The open database.
    pub database: Arc<dyn Database>,
    /// Names of its files, the main file first, and what these were when they were opened.
    pub files: Vec<(String, Identity)>,
    /// The maps of these files that the database reads from.
    pub maps: Vec<Arc<Mapped>>,
    /// How the files were found; none for a database that was made up.
    pub found: Option<Candidate>,
    /// All files are on a [local](crate::mounts::Mount::is_local) file system: access to them never waits for another
    /// machine or program.
    pub is_local: bool,
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

    /// True while its files have the contents that they had when they were opened. All that was decoded before such an
    /// answer is good. Once this is false it remains so, and nothing is good that was decoded since the last time.
    pub fn is_intact(&self) -> bool {
        self.maps.iter().all(|map| map.is_intact())
    }

    /// True when it was found not to be [intact](LibraryEntry::is_intact): work on it is in vain. Costs no system call.
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

/// Opens the database that a file of a folder belongs to.
fn open_single(root: &Root, file: &Path, opener: &Opener<'_>) -> Result<Opened, String> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or("its name is not UTF-8; rename it")?;
    let folder = root.path();
    let (directory, unusable) = match Listing::read(folder, root) {
        Ok(listing) => (listing.directory, listing.unusable),
        // The file itself may still be read where its folder may not be listed.
        Err(error) => {
            log::warn!("{}: cannot be listed: {error}", folder.display());
            let files = vec![name.to_owned()];
            let path = folder.to_owned();
            (Directory { path, files }, HashMap::new())
        }
    };
    open_owner(root, &directory, file, &unusable, opener)
}

/// The databases of a folder under safe paths, no two of them the same.
fn entries(mut found: Vec<Found>, flat: bool) -> Vec<Arc<LibraryEntry>> {
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
            match database.entry.path == path {
                true => database.entry,
                false => Arc::new(LibraryEntry {
                    path,
                    ..LibraryEntry::clone(&database.entry)
                }),
            }
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
