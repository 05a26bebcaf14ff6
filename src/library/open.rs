//! Opening what looks like a database.

use std::any::Any;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::root::Root;
use super::{LibraryEntry, Selection};
use crate::formats::{self, Candidate, Directory, FORMATS, Files, Format, NotADatabase, Options, SourceFile};
use crate::mapped::{Identity, Mapped};
use crate::mounts::Mounts;

/// Names of files that must not be opened, with the reason.
pub(super) type Unusable = HashMap<String, &'static str>;

/// An open database.
pub(super) struct Opened {
    /// Name of the directory that shows it; empty where that is the folder itself.
    pub(super) name: String,
    /// Under no path, where it was not open before.
    pub(super) entry: Arc<LibraryEntry>,
}

/// How to open databases: what the user wants, and what is open already.
pub(super) struct Opener<'a> {
    pub(super) options: &'a Options,
    pub(super) selection: &'a Selection,
    open: HashMap<&'a Candidate, Vec<&'a Arc<LibraryEntry>>>,
    /// The first of the open databases that has this folder, name and format.
    by_place: HashMap<(Option<&'a Path>, &'a str, &'static str), &'a Arc<LibraryEntry>>,
    mounts: Mounts,
    /// How long files must not have changed.
    rest: Duration,
    is_restless: Cell<bool>,
    /// Why the first of those was left out for which there were not enough files or memory.
    exhaustion: OnceLock<String>,
}

impl<'a> Opener<'a> {
    /// Opens what is not `open` already and has not changed for so long.
    pub(super) fn new(
        options: &'a Options,
        selection: &'a Selection,
        open: &'a [Arc<LibraryEntry>],
        rest: Duration,
    ) -> Opener<'a> {
        let mut opener = Opener {
            options,
            selection,
            open: HashMap::new(),
            by_place: HashMap::new(),
            mounts: Mounts::read().unwrap_or_default(),
            rest,
            is_restless: Cell::new(false),
            exhaustion: OnceLock::new(),
        };
        for entry in open {
            if let Some(found) = &entry.found {
                opener.open.entry(found).or_default().push(entry);
                opener.by_place.entry(place(found, entry.format)).or_insert(entry);
            }
        }
        opener
    }

    /// True when something was left as it was because it may still be changing.
    pub(super) fn is_restless(&self) -> bool {
        self.is_restless.get()
    }

    /// Why a database was left out that would be served if there were more files or memory to be had.
    pub(super) fn exhaustion(&self) -> Option<&str> {
        self.exhaustion.get().map(String::as_str)
    }

    /// None where the files have rested. Else the database as it was until now, or none where there was none.
    fn restless(&self, format: &Format, candidate: &Candidate) -> Option<Option<Arc<LibraryEntry>>> {
        let mut files = candidate.files.iter();
        let is_restless = !self.rest.is_zero()
            && files.any(|(_, path)| Identity::age(path).is_ok_and(|age| age < self.rest));
        if !is_restless {
            return None;
        }
        self.is_restless.set(true);
        let before = self.by_place.get(&place(candidate, format));
        Some(before.map(|&entry| Arc::clone(entry)))
    }

    /// The database that is open already, where its files are what they were.
    fn open_already(&self, format: &Format, candidate: &Candidate) -> Option<Arc<LibraryEntry>> {
        let now: Vec<Identity> = candidate
            .files
            .iter()
            .map(|(_, path)| Identity::at(path).ok())
            .collect::<Option<_>>()?;
        let mut alike = self.open.get(candidate)?.iter();
        let same = alike.find(|entry| {
            let then = entry.maps.iter().map(|map| map.identity());
            std::ptr::eq(entry.format, format) && then.eq(now.iter().copied()) && entry.is_intact()
        });
        same.map(|&entry| Arc::clone(entry))
    }
}

/// What a database keeps while its files change: its folder, its name and its format.
fn place<'a>(candidate: &'a Candidate, format: &Format) -> (Option<&'a Path>, &'a str, &'static str) {
    let folder = candidate.files.first().and_then(|(_, path)| path.parent());
    (folder, &candidate.name, format.name)
}

/// Opens the databases of one directory whose names are wanted. The second list has the names of what is refused, with
/// the reasons.
pub(super) fn open_all(
    root: &Root,
    directory: &Directory,
    unusable: &Unusable,
    opener: &Opener<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<Opened>, Vec<(String, String)>) {
    let candidates = FORMATS.iter().flat_map(|format| {
        (format.find)(directory)
            .into_iter()
            .map(move |found| (format, found))
    });
    let wanted = candidates.filter(|(_, found)| is_wanted(&found.name));
    open_candidates(root, wanted, unusable, opener)
}

/// Opens the database of a directory that a file belongs to.
///
/// # Errors
/// The reason, for people.
pub(super) fn open_owner(
    root: &Root,
    directory: &Directory,
    file: &Path,
    unusable: &Unusable,
    opener: &Opener<'_>,
) -> Result<Opened, String> {
    let owners = FORMATS.iter().flat_map(|format| {
        let owns = |found: &Candidate| found.files.iter().any(|(_, path)| path == file);
        let owners = (format.find)(directory).into_iter().filter(owns);
        owners.map(move |found| (format, found))
    });
    let (mut opened, refused) = open_candidates(root, owners, unusable, opener);
    if opened.is_empty() && refused.is_empty() {
        opened = open_by_content(root, file, unusable, opener);
    }
    let reasons = refused.into_iter().map(|(_, reason)| reason);
    opened.into_iter().next().ok_or_else(|| {
        let reason = reasons.collect::<Vec<_>>().join("; ");
        match reason.is_empty() {
            true => format!(
                "not a chess database: no known format has such a file; known are {}",
                format_titles()
            ),
            false => reason,
        }
    })
}

/// Opens a file that no format claims by its name, where its bytes are those of a database.
fn open_by_content(root: &Root, file: &Path, unusable: &Unusable, opener: &Opener<'_>) -> Vec<Opened> {
    let Ok(mapped) = map(root, file) else {
        return Vec::new();
    };
    let candidates = formats::by_content(file, &mapped).into_iter();
    open_candidates(root, candidates, unusable, opener).0
}

/// The formats for people: `SimpleCDb, ...`.
pub(super) fn format_titles() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    titles.join(", ")
}

fn open_candidates(
    root: &Root,
    candidates: impl Iterator<Item = (&'static Format, Candidate)>,
    unusable: &Unusable,
    opener: &Opener<'_>,
) -> (Vec<Opened>, Vec<(String, String)>) {
    let mut opened: Vec<Opened> = Vec::new();
    let mut refused = Vec::new();
    let mut names = HashSet::new();
    for (format, candidate) in candidates {
        if names.contains(&candidate.name) {
            continue;
        }
        let name = candidate.name.clone();
        match open_candidate(root, format, candidate, unusable, opener) {
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
    root: &Root,
    format: &'static Format,
    candidate: Candidate,
    unusable: &Unusable,
    opener: &Opener<'_>,
) -> Result<Opened, String> {
    let is_usable = |(_, path): &(String, PathBuf)| !unusable.contains_key(&file_name(path));
    if candidate.files.iter().all(is_usable)
        && let Some(entry) = opener.open_already(format, &candidate)
    {
        let name = candidate.name;
        return Ok(Opened { name, entry });
    }
    if let Some(before) = opener.restless(format, &candidate) {
        let entry = before.ok_or("it is being changed at this moment")?;
        let name = candidate.name;
        return Ok(Opened { name, entry });
    }
    let name = &candidate.name;
    let main = main_file(name, &candidate.files);
    let mut files = Files {
        files: Vec::with_capacity(candidate.files.len()),
        warnings: candidate.warnings.clone(),
    };
    let mut identities = Vec::with_capacity(candidate.files.len());
    let mut maps = Vec::with_capacity(candidate.files.len());
    for (n, (kind, path)) in candidate.files.iter().enumerate() {
        let file = file_name(path);
        let mapped = match unusable.get(&file) {
            Some(&reason) => Err(reason.to_owned()),
            None => match map(root, path) {
                // It is not the file's fault, and it may be open the next time.
                Err(error) if is_exhausted(&error) => {
                    let reason = format!("cannot be opened: {error}");
                    return Err(opener.exhaustion.get_or_init(|| reason).clone());
                }
                opened => opened.map_err(|error| format!("cannot be opened: {error}")),
            },
        };
        match mapped {
            Ok(mapped) => {
                identities.insert(
                    if n == main { 0 } else { identities.len() },
                    (file.clone(), mapped.identity()),
                );
                let bytes = Arc::new(mapped);
                maps.push(Arc::clone(&bytes));
                files.files.push((kind.clone(), SourceFile { name: file, bytes }));
            }
            Err(reason) if n == main && file == *name => return Err(reason),
            Err(reason) if n == main => return Err(format!("{file}: {reason}")),
            Err(reason) => {
                log::warn!("{}: left out: {reason}", path.display());
                files.warnings.push(format!("{file} is left out: {reason}"));
            }
        }
    }
    let database = catch_unwind(AssertUnwindSafe(|| (format.open)(files, opener.options)))
        .unwrap_or_else(|panic| Err(NotADatabase(format!("the decoder failed: {}", message(&*panic)))))
        .map_err(|NotADatabase(reason)| format!("not a {} database: {reason}", format.title))?;
    let entry = LibraryEntry {
        path: String::new(),
        format,
        database: database.into(),
        files: identities,
        maps,
        found: Some(candidate.clone()),
        is_local: candidate
            .files
            .iter()
            .all(|(_, path)| opener.mounts.is_local(path)),
    };
    let mut paths = candidate.files.iter().map(|(_, path)| Identity::at(path).ok());
    let is_still_there = |map: &Arc<Mapped>| paths.any(|there| there == Some(map.identity()));
    match entry.is_intact() && entry.maps.iter().all(is_still_there) {
        true => Ok(Opened {
            name: candidate.name,
            entry: Arc::new(entry),
        }),
        false => Err("it was changed while it was opened: open it again".to_owned()),
    }
}

/// Maps a file of the source.
fn map(root: &Root, path: &Path) -> io::Result<Mapped> {
    Mapped::of(root.file(path)?, path)
}

/// True where this program or the whole machine has all that it may have.
fn is_exhausted(error: &io::Error) -> bool {
    let codes = [libc::EMFILE, libc::ENFILE, libc::ENOMEM].map(Some);
    error.kind() == ErrorKind::QuotaExceeded || codes.contains(&error.raw_os_error())
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
