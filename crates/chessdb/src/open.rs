//! Opening databases by path, for programs that just want the games.
//!
//! Files are read whole, or mapped with the feature `mmap`. Programs that get files from elsewhere pass their bytes to
//! [`Format::open`](crate::database::Format::open).

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::database::{Database, Format, NamedDatabase, NotADatabase, Options};
use crate::files::{Bytes, Candidate, Files, SourceFile, SourceFolder};
use crate::formats::{FORMATS, by_content};

/// Opens a database. The path is one of its files, or a folder or an archive that has no other database.
///
/// # Errors
/// If there is no database that this crate reads, if there are several, or if a file cannot be read. See [`OpenError`].
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("chessdb-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("legall.brn");
/// # std::fs::write(&path, b"\0WLegall\0\0BSaint Brie\0,,\x1b\x23\xdb\xa7\x12&\x1b\x9d\xd9\x0e\x12\x02")?;
/// let database = chessdb::open(&path)?;
/// assert_eq!(database.len(), 1);
/// assert_eq!(database.tags(0).get("White"), Some("Legall"));
///
/// let error = chessdb::open(folder.join("nothing.cbf")).err().unwrap();
/// assert!(error.to_string().contains("nothing.cbf"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Box<dyn Database>, OpenError> {
    open_with(path, &Options::default())
}

/// Opens a database as [`open`] does, with options.
///
/// # Errors
/// As [`open`].
pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Box<dyn Database>, OpenError> {
    let path = path.as_ref();
    let mut opened = if is_folder(path)? {
        open_in_folder(path, options)?
    } else {
        open_file(path, options)?
    };
    match opened.pop() {
        Some(found) if opened.is_empty() => found.database,
        last => {
            let all = opened.into_iter().chain(last).map(|found| found.name(path));
            Err(OpenError::at(path, OpenErrorKind::Several(all.collect())))
        }
    }
}

/// Opens all databases at a path, in the order of their paths: the database of a file, all databases of an archive, or
/// all databases in a folder and in the folders below it. Symbolic links to folders are not followed.
///
/// # Errors
/// If the file is not a database, or the folder cannot be listed. Errors of single databases in the folder, and of
/// folders below it that cannot be listed, are in the list instead.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("chessdb-open-all-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # std::fs::write(folder.join("mate.brn"), b"\0WLegall\0\0BSaint Brie\0,,\x1b\x23\xdb\xa7\x12&\x1b\x9d\xd9\x0e\x12\x02")?;
/// for found in chessdb::open_all(&folder)? {
///     match found.database {
///         Ok(database) => println!("{}: {} games", found.path.display(), database.len()),
///         Err(error) => eprintln!("{error}"),
///     }
/// }
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_all(path: impl AsRef<Path>) -> Result<Vec<Found>, OpenError> {
    open_all_with(path, &Options::default())
}

/// Opens all databases as [`open_all`] does, with options.
///
/// # Errors
/// As [`open_all`].
pub fn open_all_with(path: impl AsRef<Path>, options: &Options) -> Result<Vec<Found>, OpenError> {
    let path = path.as_ref();
    if !is_folder(path)? {
        return open_file(path, options);
    }
    let mut listed = list(path)?;
    let mut folders = std::mem::take(&mut listed.folders);
    let mut found = open_listed(&listed, options);
    while let Some(folder) = folders.pop() {
        match list(&folder) {
            Ok(mut listed) => {
                folders.append(&mut listed.folders);
                found.extend(open_listed(&listed, options));
            }
            Err(error) => found.push(Found {
                path: folder,
                format: None,
                database: Err(error),
            }),
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn is_folder(path: &Path) -> Result<bool, OpenError> {
    let metadata = fs::metadata(path).map_err(|error| OpenError::at(path, OpenErrorKind::Io(error)))?;
    Ok(metadata.is_dir())
}

/// Opens the databases of one file, by the first format that accepts it.
fn open_file(path: &Path, options: &Options) -> Result<Vec<Found>, OpenError> {
    let mut reasons = Vec::new();
    for (format, candidate) in candidates_of_file(path)? {
        match open_candidate(format, &candidate, options) {
            Ok(parts) => return Ok(Found::all(path, format, parts).collect()),
            Err(OpenErrorKind::NotADatabase(reason)) => reasons.extend(reason),
            Err(kind) => return Err(OpenError::at(path, kind)),
        }
    }
    Err(OpenError::at(path, OpenErrorKind::NotADatabase(reasons)))
}

/// Opens the databases of one folder; an error if there is no database. Files that only look like a database are skipped.
fn open_in_folder(path: &Path, options: &Options) -> Result<Vec<Found>, OpenError> {
    let mut opened = Vec::new();
    let mut reasons = Vec::new();
    for found in open_listed(&list(path)?, options) {
        match found.database {
            Ok(_) => opened.push(found),
            Err(OpenError {
                kind: OpenErrorKind::NotADatabase(reason),
                ..
            }) => reasons.extend(reason),
            Err(error) => return Err(error),
        }
    }
    if opened.is_empty() {
        Err(OpenError::at(path, OpenErrorKind::NotADatabase(reasons)))
    } else {
        Ok(opened)
    }
}

/// Opens everything in one folder that looks like a database.
fn open_listed(listed: &FolderListing, options: &Options) -> Vec<Found> {
    let mut found = Vec::new();
    for (format, candidate) in candidates_in(&listed.directory) {
        let path = listed.directory.path.join(&candidate.name);
        match open_candidate(format, &candidate, options) {
            Ok(parts) => found.extend(Found::all(&path, format, parts)),
            Err(kind) => found.push(Found {
                format: Some(format),
                database: Err(OpenError::at(&path, kind)),
                path,
            }),
        }
    }
    found
}

/// A database that [`open_all`] found, or a folder that it could not list.
#[non_exhaustive]
pub struct Found {
    /// Path of its main file, or of the folder that is the database. In an archive with several databases, the path of
    /// the archive and the name of the main file in it.
    pub path: PathBuf,
    /// Its format; `None` for a folder that cannot be listed.
    pub format: Option<&'static Format>,
    /// The database, or why it cannot be opened.
    pub database: Result<Box<dyn Database>, OpenError>,
}

impl Found {
    /// The databases at a path.
    fn all(path: &Path, format: &'static Format, parts: Vec<NamedDatabase>) -> impl Iterator<Item = Found> {
        parts
            .into_iter()
            .map(move |NamedDatabase { name, database }| Found {
                path: name.map_or(path.to_owned(), |name| path.join(name)),
                format: Some(format),
                database: Ok(database),
            })
    }

    /// Its path relative to the folder or archive that was opened.
    fn name(&self, opened: &Path) -> String {
        let name = self.path.strip_prefix(opened).unwrap_or(&self.path);
        name.display().to_string()
    }
}

/// Why nothing was opened at a path.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenError {
    /// The path to open.
    pub path: PathBuf,
    /// The reason.
    pub kind: OpenErrorKind,
}

impl OpenError {
    fn at(path: &Path, kind: OpenErrorKind) -> OpenError {
        OpenError {
            path: path.to_owned(),
            kind,
        }
    }
}

/// Why nothing was opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// A file or folder cannot be read.
    Io(io::Error),
    /// Not a database. Each format that was tried gives its reason.
    NotADatabase(Vec<NotADatabase>),
    /// The folder or archive has more than one database, with these names. [`open_all`] opens all of them, and [`open`]
    /// opens one in a folder by the path of its file.
    Several(Vec<String>),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            OpenErrorKind::Io(error) => error.fmt(f),
            OpenErrorKind::NotADatabase(reasons) if reasons.is_empty() => {
                f.write_str("no database of a known format")
            }
            OpenErrorKind::NotADatabase(errors) => {
                let reasons: Vec<&str> = errors.iter().map(|error| &*error.reason).collect();
                f.write_str(&reasons.join("; "))
            }
            OpenErrorKind::Several(names) => {
                let (listed, more) = names.split_at(names.len().min(MOST_NAMES));
                write!(f, "{} databases: {}", names.len(), listed.join(", "))?;
                f.write_str(if more.is_empty() { "" } else { ", ..." })
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            OpenErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Maximum number of names in a message.
const MOST_NAMES: usize = 10;

/// The contents of a folder.
struct FolderListing {
    directory: SourceFolder,
    folders: Vec<PathBuf>,
}

fn list(folder: &Path) -> Result<FolderListing, OpenError> {
    let at = |error| OpenError::at(folder, OpenErrorKind::Io(error));
    let mut listed = FolderListing {
        directory: SourceFolder {
            path: folder.to_owned(),
            files: Vec::new(),
        },
        folders: Vec::new(),
    };
    for entry in fs::read_dir(folder).map_err(at)? {
        let entry = entry.map_err(at)?;
        let kind = entry.file_type().map_err(at)?;
        if kind.is_dir() {
            listed.folders.push(entry.path());
        } else if kind.is_file() || entry.path().is_file() {
            listed.directory.files.extend(entry.file_name().into_string());
        }
    }
    listed.directory.files.sort_unstable();
    Ok(listed)
}

fn candidates_in(directory: &SourceFolder) -> Vec<(&'static Format, Candidate)> {
    let of = |format: &'static Format| {
        (format.find)(directory)
            .into_iter()
            .map(move |found| (format, found))
    };
    FORMATS.iter().flat_map(of).collect()
}

fn candidates(folder: &Path) -> Result<Vec<(&'static Format, Candidate)>, OpenError> {
    Ok(candidates_in(&list(folder)?.directory))
}

/// The databases that a file belongs to, judged by its name or, if no format accepts the name, by its content.
fn candidates_of_file(path: &Path) -> Result<Vec<(&'static Format, Candidate)>, OpenError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut found = candidates(folder)?;
    found.retain(|(_, candidate)| {
        let mut files = candidate.files.iter();
        files.any(|(_, file)| file.file_name() == path.file_name())
    });
    if found.is_empty() {
        let bytes = bytes_of(path).map_err(|error| OpenError::at(path, OpenErrorKind::Io(error)))?;
        found = by_content(path, &bytes);
    }
    Ok(found)
}

fn open_candidate(
    format: &Format,
    candidate: &Candidate,
    options: &Options,
) -> Result<Vec<NamedDatabase>, OpenErrorKind> {
    let mut files = Files {
        files: Vec::new(),
        warnings: candidate.warnings.clone(),
        kept: None,
        progress: Arc::default(),
    };
    for (kind, path) in &candidate.files {
        let bytes = bytes_of(path).map_err(OpenErrorKind::Io)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let file = SourceFile {
            name: name.unwrap_or_default(),
            bytes,
        };
        files.files.push((kind.clone(), file));
    }
    (format.open)(files, options).map_err(|error| {
        let reason = format!("{}: {error}", format.title);
        OpenErrorKind::NotADatabase(vec![NotADatabase { reason, ..error }])
    })
}

#[cfg(feature = "mmap")]
fn bytes_of(path: &Path) -> io::Result<Arc<dyn Bytes>> {
    crate::map::map(path)
}

#[cfg(not(feature = "mmap"))]
fn bytes_of(path: &Path) -> io::Result<Arc<dyn Bytes>> {
    Ok(Arc::new(fs::read(path)?))
}
