//! Databases that are to be opened: which files there are for each, in the order in which formats try them.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::hung::Hung;
use crate::mounts::Mount;
use chessdb::formats::{Candidate, Directory, FORMATS, Format};

/// Names of files that must not be opened, with the reason.
pub(super) type Unusable = HashMap<String, &'static str>;

/// A database that was found.
pub(super) struct Task {
    /// Names of the folders from the source down, as they are on disk.
    pub(super) folder: Vec<String>,
    /// Name of the directory that shows it; empty if that is the folder itself.
    pub(super) name: String,
    /// What it may be: the first that can be opened counts.
    pub(super) candidates: Vec<(&'static Format, Candidate)>,
    /// Its name says nothing: it is what its bytes are.
    pub(super) by_content: bool,
    pub(super) unusable: Arc<Unusable>,
    /// Where its files lie, unless that is a local file system.
    pub(super) mount: Option<Mount>,
    /// A file of it is a symbolic link into a file system that does not answer.
    pub(super) hung: Option<Hung>,
}

impl Task {
    /// Its path in the source.
    pub(super) fn path(&self) -> String {
        let names = self.folder.iter().map(String::as_str);
        let names = names.chain([self.name.as_str()]).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join("/")
    }

    /// True if no file of a candidate is known to be none.
    pub(super) fn is_usable(&self, candidate: &Candidate) -> bool {
        let mut files = candidate.files.iter();
        files.all(|(_, path)| !self.unusable.contains_key(&file_name(path)))
    }

    fn key(&self) -> impl Iterator<Item = (&'static str, &Candidate)> {
        self.candidates
            .iter()
            .map(|(format, candidate)| (format.name, candidate))
    }
}

/// Two are equal where their files are, whatever way leads to them.
impl PartialEq for Task {
    fn eq(&self, other: &Task) -> bool {
        self.key().eq(other.key())
    }
}

impl Eq for Task {}

impl Hash for Task {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().for_each(|key| key.hash(state));
    }
}

/// A database by its name, and what it may be.
pub(super) type Named = (String, Vec<(&'static Format, Candidate)>);

/// The databases of a directory by their names, in the order in which formats find them.
pub(super) fn in_directory(directory: &Directory) -> Vec<Named> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut named: Vec<Named> = Vec::new();
    for format in FORMATS {
        for candidate in (format.find)(directory) {
            let place = places.entry(candidate.name.clone()).or_insert_with(|| {
                named.push((candidate.name.clone(), Vec::new()));
                named.len() - 1
            });
            if let Some((_, candidates)) = named.get_mut(*place) {
                candidates.push((format, candidate));
            }
        }
    }
    named
}

/// What the database of a directory may be that a file belongs to; nothing if no format claims the file.
pub(super) fn of_file(directory: &Directory, file: &Path) -> Vec<(&'static Format, Candidate)> {
    let owners = FORMATS.iter().flat_map(|format| {
        let owns = |found: &Candidate| found.files.iter().any(|(_, path)| path == file);
        let owners = (format.find)(directory).into_iter().filter(owns);
        owners.map(move |found| (format, found))
    });
    owners.collect()
}

/// The last name of a path.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The formats for people: `SimpleCDb, ...`.
pub(super) fn format_titles() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    titles.join(", ")
}

/// The file without which there is no database: the one that names it, else the first.
pub(super) fn main_file(name: &str, paths: &[(String, PathBuf)]) -> usize {
    let named = paths.iter().position(|(_, path)| file_name(path) == name);
    named.unwrap_or(0)
}
