//! Opening databases by path, for programs that just want the games.
//!
//! Files are read whole. Programs that map them, or get them from elsewhere, hand their bytes to
//! [`Format::open`](crate::formats::Format::open).

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::{
    Candidate, Database, FORMATS, Files, Format, Options, SourceFile, SourceFolder, by_content,
};

/// Opens a database by one of its files, or by the folder that holds it and no other.
///
/// An archive with several databases is opened as a database without games, from which
/// [`take_parts`](Database::take_parts) takes them.
///
/// # Errors
/// Nothing there is a database that this crate reads, or a file cannot be read. See [`OpenError`].
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
    let at = |kind| OpenError {
        path: path.to_owned(),
        kind,
    };
    let metadata = fs::metadata(path).map_err(|error| at(OpenErrorKind::Io(error)))?;
    let found = match metadata.is_dir() {
        true => candidates(path)?,
        false => candidates_of_file(path)?,
    };
    let mut reasons = Vec::new();
    let mut opened = None;
    for (format, candidate) in found {
        match open_candidate(format, &candidate, options) {
            Ok(_) if opened.is_some() => return Err(at(OpenErrorKind::Several)),
            // A file belongs to the first format that accepts it.
            Ok(database) if !metadata.is_dir() => return Ok(database),
            Ok(database) => opened = Some(database),
            Err(OpenErrorKind::NotADatabase(reason)) => reasons.extend(reason),
            Err(kind) => return Err(at(kind)),
        }
    }
    opened.ok_or_else(|| at(OpenErrorKind::NotADatabase(reasons)))
}

/// Opens every database in a folder and the folders below it, in the order of their paths. Symbolic links to folders
/// are not followed. The databases of an archive that holds several are found below its path.
///
/// # Errors
/// The folder cannot be listed. The error of a database that cannot be opened, or of a folder below that cannot be
/// listed, is in the list.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("chessdb-open-folder-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # std::fs::write(folder.join("mate.brn"), b"\0WLegall\0\0BSaint Brie\0,,\x1b\x23\xdb\xa7\x12&\x1b\x9d\xd9\x0e\x12\x02")?;
/// for found in chessdb::open_folder(&folder, &Default::default())? {
///     match found.database {
///         Ok(database) => println!("{}: {} games", found.path.display(), database.len()),
///         Err(error) => eprintln!("{error}"),
///     }
/// }
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_folder(path: impl AsRef<Path>, options: &Options) -> Result<Vec<Found>, OpenError> {
    let mut listed = list(path.as_ref())?;
    let mut folders = std::mem::take(&mut listed.folders);
    let mut found = Vec::new();
    open_listed(listed, options, &mut found);
    while let Some(folder) = folders.pop() {
        match list(&folder) {
            Ok(mut listed) => {
                folders.append(&mut listed.folders);
                open_listed(listed, options, &mut found);
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

/// Opens the databases of one folder.
fn open_listed(listed: Listed, options: &Options, found: &mut Vec<Found>) {
    for (format, candidate) in candidates_in(&listed.directory) {
        let path = listed.directory.path.join(&candidate.name);
        let at = |path: PathBuf, database| Found {
            path,
            format: Some(format),
            database,
        };
        match open_candidate(format, &candidate, options) {
            Ok(mut database) => match database.take_parts() {
                parts if parts.is_empty() => found.push(at(path, Ok(database))),
                parts => {
                    let parts = parts.into_iter();
                    found.extend(parts.map(|part| at(path.join(&part.name), Ok(part.database))));
                }
            },
            Err(kind) => found.push(at(path.clone(), Err(OpenError { path, kind }))),
        }
    }
}

/// A database that [`open_folder`] found, or a folder that it could not list.
#[non_exhaustive]
pub struct Found {
    /// Path of its main file, or of its folder where that is the database; in an archive of several, the path of the
    /// archive and the name of the main file in it.
    pub path: PathBuf,
    /// Its format; none for a folder that cannot be listed.
    pub format: Option<&'static Format>,
    /// The database, or why it cannot be opened.
    pub database: Result<Box<dyn Database>, OpenError>,
}

/// Why nothing was opened at a path.
#[derive(Debug)]
pub struct OpenError {
    /// The path that was to be opened.
    pub path: PathBuf,
    /// The reason.
    pub kind: OpenErrorKind,
}

/// Why nothing was opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// A file or folder cannot be read.
    Io(io::Error),
    /// There is no database; with the reason of each format that was tried.
    NotADatabase(Vec<String>),
    /// The folder holds more than one database: open one of them by its file, or all with [`open_folder`].
    Several,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            OpenErrorKind::Io(error) => error.fmt(f),
            OpenErrorKind::NotADatabase(reasons) if reasons.is_empty() => {
                f.write_str("no database of a known format")
            }
            OpenErrorKind::NotADatabase(reasons) => f.write_str(&reasons.join("; ")),
            OpenErrorKind::Several => {
                f.write_str("there is more than one database here: name a file of one of them")
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

/// What a folder holds.
struct Listed {
    directory: SourceFolder,
    folders: Vec<PathBuf>,
}

fn list(folder: &Path) -> Result<Listed, OpenError> {
    let at = |error| OpenError {
        path: folder.to_owned(),
        kind: OpenErrorKind::Io(error),
    };
    let mut listed = Listed {
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

/// The databases that a file belongs to: by its name, else by its content.
fn candidates_of_file(path: &Path) -> Result<Vec<(&'static Format, Candidate)>, OpenError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut found = candidates(folder)?;
    found.retain(|(_, candidate)| {
        let mut files = candidate.files.iter();
        files.any(|(_, file)| file.file_name() == path.file_name())
    });
    if found.is_empty() {
        let bytes = fs::read(path).map_err(|error| OpenError {
            path: path.to_owned(),
            kind: OpenErrorKind::Io(error),
        })?;
        found = by_content(path, &bytes);
    }
    Ok(found)
}

fn open_candidate(
    format: &Format,
    candidate: &Candidate,
    options: &Options,
) -> Result<Box<dyn Database>, OpenErrorKind> {
    let mut files = Files {
        files: Vec::new(),
        warnings: candidate.warnings.clone(),
        kept: None,
        progress: Arc::default(),
    };
    for (kind, path) in &candidate.files {
        let bytes = fs::read(path).map_err(OpenErrorKind::Io)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let file = SourceFile {
            name: name.unwrap_or_default(),
            bytes: Arc::new(bytes),
        };
        files.files.push((kind.clone(), file));
    }
    (format.open)(files, options)
        .map_err(|error| OpenErrorKind::NotADatabase(vec![format!("{}: {error}", format.title)]))
}
