//! Databases to be opened: the candidate files for each, in the order in which formats try them.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::found_name::{file_name, legible, with_paths};
use crate::mounts::Mount;
use crate::workers::hung::Hung;
use chessdb::files::{Candidate, SourceFolder};
use chessdb::formats::{FORMATS, Format};

/// Names of files that must not be opened, with the reason.
pub(super) type Unusable = HashMap<String, &'static str>;

/// A database that was found.
pub(super) struct OpeningTask {
    /// Names of the folders from the source down, as on disk.
    pub(super) folder: Vec<String>,
    /// Name of the directory that shows it; empty if that is the folder itself.
    pub(super) name: String,
    /// What it may be; the first candidate that can be opened wins.
    pub(super) candidates: Vec<(&'static Format, Candidate)>,
    /// If true, its format is determined by its bytes, because its name gives no information.
    pub(super) by_content: bool,
    /// If true, it consists of all small files of its folder.
    pub(super) is_joined: bool,
    pub(super) unusable: Arc<Unusable>,
    /// The mount that contains its files, unless that is local.
    pub(super) mount: Option<Mount>,
    /// Set if one of its files is a symbolic link into a file system that does not answer.
    pub(super) hung: Option<Hung>,
}

impl OpeningTask {
    /// Its path in the source, as people see it.
    pub(super) fn path(&self) -> String {
        let names = self.folder.iter().map(String::as_str);
        let names = names.chain([self.name.as_str()]).filter(|name| !name.is_empty());
        legible(&names.collect::<Vec<_>>().join("/")).into_owned()
    }

    /// True if no file of the candidate is known to be unusable.
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

/// Two tasks are the same if they have the same candidate files, whatever path leads to them.
impl PartialEq for OpeningTask {
    fn eq(&self, other: &OpeningTask) -> bool {
        self.key().eq(other.key())
    }
}

impl Eq for OpeningTask {}

impl Hash for OpeningTask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().for_each(|key| key.hash(state));
    }
}

/// Name of a database and its candidates.
pub(super) type NamedCandidates = (String, Vec<(&'static Format, Candidate)>);

/// The databases of a directory, in the order in which formats find them.
pub(super) fn in_directory(directory: &SourceFolder) -> Vec<NamedCandidates> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut named: Vec<NamedCandidates> = Vec::new();
    for format in FORMATS {
        for candidate in (format.find)(directory).into_iter().map(with_paths) {
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

/// The candidates of a directory that contain a file; empty if no format claims the file.
pub(super) fn of_file(directory: &SourceFolder, file: &Path) -> Vec<(&'static Format, Candidate)> {
    let owners = FORMATS.iter().flat_map(|format| {
        let owns = |found: &Candidate| found.files.iter().any(|(_, path)| path == file);
        let owners = (format.find)(directory).into_iter().map(with_paths).filter(owns);
        owners.map(move |found| (format, found))
    });
    owners.collect()
}

/// What `of` says of a file by its content.
pub(super) fn of_content(
    file: &Path,
    of: impl Fn(&Path) -> Vec<(&'static Format, Candidate)>,
) -> Vec<(&'static Format, Candidate)> {
    let found = of(&file.with_file_name(file_name(file))).into_iter();
    found
        .map(|(format, candidate)| (format, with_paths(candidate)))
        .collect()
}

/// The index of the main file: the file with the name of the database, otherwise the first.
pub(super) fn main_file(name: &str, paths: &[(String, PathBuf)]) -> usize {
    let named = paths.iter().position(|(_, path)| file_name(path) == name);
    named.unwrap_or(0)
}
