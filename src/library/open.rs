//! Opening what looks like a database.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::{
    self, Candidate, Database, Directory, FORMATS, Files, Format, NotADatabase, Options, SourceFile,
};
use crate::mapped::{Identity, Mapped};

/// Names of files that must not be opened, with the reason.
pub(super) type Unusable = HashMap<String, &'static str>;

/// An open database.
pub(super) struct Opened {
    /// Name of the directory that shows it; empty where that is the folder itself.
    pub(super) name: String,
    pub(super) format: &'static Format,
    pub(super) database: Box<dyn Database>,
    pub(super) files: Vec<(String, Identity)>,
    /// Their maps.
    pub(super) maps: Vec<Arc<Mapped>>,
}

/// Opens the databases of one directory whose names are wanted. The second list has the names of what is refused, with
/// the reasons.
pub(super) fn open_all(
    directory: &Directory,
    unusable: &Unusable,
    options: &Options,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<Opened>, Vec<(String, String)>) {
    let candidates = FORMATS.iter().flat_map(|format| {
        (format.find)(directory)
            .into_iter()
            .map(move |found| (format, found))
    });
    let wanted = candidates.filter(|(_, found)| is_wanted(&found.name));
    open_candidates(wanted, unusable, options)
}

/// Opens the database of a directory that a file belongs to.
///
/// # Errors
/// The reason, for people.
pub(super) fn open_owner(
    directory: &Directory,
    file: &Path,
    unusable: &Unusable,
    options: &Options,
) -> Result<Opened, String> {
    let owners = FORMATS.iter().flat_map(|format| {
        let owns = |found: &Candidate| found.files.iter().any(|(_, path)| path == file);
        let owners = (format.find)(directory).into_iter().filter(owns);
        owners.map(move |found| (format, found))
    });
    let (mut opened, refused) = open_candidates(owners, unusable, options);
    if opened.is_empty() && refused.is_empty() {
        opened = open_by_content(file, unusable, options);
    }
    let reasons = refused.into_iter().map(|(_, reason)| reason);
    opened.into_iter().next().ok_or_else(|| {
        let reason = reasons.collect::<Vec<_>>().join("; ");
        match reason.is_empty() {
            true => format!("no known format has such a file; known are {}", format_titles()),
            false => reason,
        }
    })
}

/// Opens a file that no format claims by its name, where its bytes are those of a database.
fn open_by_content(file: &Path, unusable: &Unusable, options: &Options) -> Vec<Opened> {
    let Ok(mapped) = Mapped::open(file) else {
        return Vec::new();
    };
    let candidates = formats::by_content(file, &mapped).into_iter();
    open_candidates(candidates, unusable, options).0
}

/// The formats for people: `SimpleCDb, ...`.
pub(super) fn format_titles() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    titles.join(", ")
}

fn open_candidates(
    candidates: impl Iterator<Item = (&'static Format, Candidate)>,
    unusable: &Unusable,
    options: &Options,
) -> (Vec<Opened>, Vec<(String, String)>) {
    let mut opened: Vec<Opened> = Vec::new();
    let mut refused = Vec::new();
    let mut names = HashSet::new();
    for (format, candidate) in candidates {
        if names.contains(&candidate.name) {
            continue;
        }
        let name = candidate.name.clone();
        match open_candidate(format, candidate, unusable, options) {
            Ok(database) => {
                names.insert(name);
                opened.push(database);
            }
            Err(reason) => refused.push((name, reason)),
        }
    }
    // What one format refuses another may have taken.
    refused.retain(|(name, _)| !names.contains(name));
    (opened, refused)
}

fn open_candidate(
    format: &'static Format,
    candidate: Candidate,
    unusable: &Unusable,
    options: &Options,
) -> Result<Opened, String> {
    let Candidate {
        name,
        files: paths,
        warnings,
    } = candidate;
    let main = main_file(&name, &paths);
    let mut files = Files {
        files: Vec::with_capacity(paths.len()),
        warnings,
    };
    let mut identities = Vec::with_capacity(paths.len());
    let mut maps = Vec::with_capacity(paths.len());
    for (n, (kind, path)) in paths.into_iter().enumerate() {
        let file = file_name(&path);
        let mapped = match unusable.get(&file) {
            Some(&reason) => Err(reason.to_owned()),
            None => Mapped::open(&path).map_err(|error| format!("cannot be opened: {error}")),
        };
        match mapped {
            Ok(mapped) => {
                identities.insert(
                    if n == main { 0 } else { identities.len() },
                    (file.clone(), mapped.identity()),
                );
                let bytes = Arc::new(mapped);
                maps.push(Arc::clone(&bytes));
                files.files.push((kind, SourceFile { name: file, bytes }));
            }
            Err(reason) if n == main && file == name => return Err(reason),
            Err(reason) if n == main => return Err(format!("{file}: {reason}")),
            Err(reason) => {
                log::warn!("{}: left away: {reason}", path.display());
                files.warnings.push(format!("{file} is left away: {reason}"));
            }
        }
    }
    let database = catch_unwind(AssertUnwindSafe(|| (format.open)(files, options)))
        .unwrap_or_else(|panic| Err(NotADatabase(format!("the decoder failed: {}", message(&*panic)))))
        .map_err(|NotADatabase(reason)| format!("not a {} database: {reason}", format.title))?;
    Ok(Opened {
        name,
        format,
        database,
        files: identities,
        maps,
    })
}

/// The file without which there is no database: the one that names it, else the first.
fn main_file(name: &str, paths: &[(String, PathBuf)]) -> usize {
    let named = paths.iter().position(|(_, path)| file_name(path) == name);
    named.unwrap_or(0)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// What a panic said.
pub(super) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
