//! Opening databases.

use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use super::found_name::{converted_names, file_name, legible};
use super::remedy::advised;
use super::root::Root;
use super::task::{OpeningTask, main_file, of_content};
use super::{GuardedDatabase, LibraryEntry, unread};
use crate::kept::{KeptFiles, SourceFiles};
use crate::mapped::{Copies, Identity, Mapped};
use crate::task::panic_message;
use chessdb::files::{Candidate, Files, Progress, SourceFile};
use chessdb::formats::{self, Format, MAIN_FILES, NamedDatabase, SmallFiles};
use chessdb::{NotADatabase, Options, ProblemKind};

/// The root and the options for opening databases.
pub(super) struct How {
    /// The folder that contains all files.
    pub(super) root: Root,
    pub(super) options: Options,
    /// Where databases store results that take long to compute.
    pub(super) kept: Option<KeptFiles>,
}

/// Why a database is not served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The reason of each format that was tried; never empty.
    pub(super) reasons: Vec<String>,
    /// The process or the machine has run out of file descriptors or memory.
    pub(super) is_exhausted: bool,
    /// A file was being changed.
    pub(super) is_changing: bool,
    /// The files have nothing to do with chess.
    pub(super) is_foreign: bool,
}

impl Refusal {
    /// For files that changed while they were opened.
    pub(super) fn changed(reason: &str) -> Refusal {
        Refusal {
            is_changing: true,
            ..reason.to_owned().into()
        }
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal {
            reasons: vec![reason],
            ..Refusal::default()
        }
    }
}

/// Opens a database, or all databases of an archive, with an empty path. `before` are the copies of its previous state.
/// Calls `mapped` with each map before it is read.
///
/// # Errors
/// If no format can open it.
pub(super) fn open(
    task: &OpeningTask,
    how: &How,
    before: Option<&Copies>,
    progress: &Arc<Progress>,
    mapped: &dyn Fn(&Arc<Mapped>),
) -> Result<Vec<Arc<LibraryEntry>>, Refusal> {
    let accepted = if task.by_content {
        by_content(task, how, mapped)
    } else {
        task.candidates.clone()
    };
    let mut refusal = Refusal::default();
    for (format, candidate) in accepted {
        let opened = match (&format.small_files, task.is_joined) {
            (Some(small_files), true) => {
                open_joined(task, how, format, small_files, candidate, before, progress)
            }
            _ => open_candidate(task, how, format, candidate, progress, mapped),
        };
        match opened {
            Ok(entries) => return Ok(entries.into_iter().map(Arc::new).collect()),
            Err(Refusal {
                reasons,
                is_exhausted,
                is_changing,
                is_foreign,
            }) => {
                refusal.reasons.extend(reasons);
                refusal.is_exhausted |= is_exhausted;
                refusal.is_changing |= is_changing;
                refusal.is_foreign |= is_foreign;
            }
        }
    }
    if refusal.reasons.is_empty() {
        refusal.reasons.push(match unread::what(&task.name) {
            Some((what, _)) => what.to_owned(),
            None => format!(
                "not a chess database: no supported format has such a file; supported: {MAIN_FILES}. If it has games in PGN, \
                 rename it to .pgn"
            ),
        });
    }
    Err(refusal)
}

/// Identifies the format of a file by its bytes; empty for a file with long holes.
fn by_content(
    task: &OpeningTask,
    how: &How,
    mapped: &dyn Fn(&Arc<Mapped>),
) -> Vec<(&'static Format, Candidate)> {
    let first = task.candidates.first();
    let file = first.and_then(|(_, candidate)| candidate.files.first());
    let map = file.and_then(|(_, path)| Some((path, map(how, path, false).ok()?)));
    map.filter(|(_, map)| map.gaps().is_empty())
        .map(|(path, map)| {
            let map = Arc::new(map);
            mapped(&map);
            of_content(path, |path| formats::by_content(path, &map))
        })
        .unwrap_or_default()
}

fn open_candidate(
    task: &OpeningTask,
    how: &How,
    format: &'static Format,
    candidate: Candidate,
    progress: &Arc<Progress>,
    mapped: &dyn Fn(&Arc<Mapped>),
) -> Result<Vec<LibraryEntry>, Refusal> {
    let name = &candidate.name;
    let main = main_file(name, &candidate.files);
    let mut files = Files::new(Vec::with_capacity(candidate.files.len()));
    files.warnings = legible_all(&candidate.warnings);
    files.progress = Arc::clone(progress);
    // A folder may have very many files with one game each.
    let may_copy = task.mount.is_none() && candidate.files.len() == 1;
    let mut identities = Vec::with_capacity(candidate.files.len());
    let mut maps = Vec::with_capacity(candidate.files.len());
    for (n, (kind, path)) in candidate.files.iter().enumerate() {
        let file = file_name(path);
        let opened = match task.unusable.get(&file) {
            Some(&reason) => Err(reason.to_owned()),
            None => match map(how, path, may_copy) {
                Ok(map) => Ok(map),
                Err(error) => Err(reason(&error)?),
            },
        };
        match opened {
            Ok(map) => {
                let shown = legible(&file).into_owned();
                identities.insert(
                    if n == main { 0 } else { identities.len() },
                    (shown.clone(), map.identity()),
                );
                if task.mount.is_some() {
                    map.unmap_aside();
                }
                let bytes = Arc::new(map);
                mapped(&bytes);
                maps.push(Arc::clone(&bytes));
                files
                    .files
                    .push((kind.clone(), SourceFile { name: shown, bytes }));
            }
            Err(reason) if n == main && file == *name => return Err(reason.into()),
            Err(reason) if n == main => return Err(format!("{}: {reason}", legible(&file)).into()),
            Err(reason) => {
                log::warn!("{}: left out: {reason}", path.display());
                files
                    .warnings
                    .push(format!("{} is left out: {reason}", legible(&file)));
            }
        }
    }
    files.kept = how.kept.as_ref().map(|kept| {
        let mut origin = SourceFiles::new(&legible(name), format.name, "");
        converted_names(&candidate).for_each(|name| origin.add_name(name));
        for ((_, file), map) in files.files.iter().zip(&maps) {
            origin.add_file(&file.name, map.identity(), map.changed());
        }
        kept.scans(origin, &maps)
    });
    let databases = databases(task, how, format, files)?;
    let mut paths = candidate.files.iter().map(|(_, path)| Identity::at(path).ok());
    let mut is_still_there = |map: &Arc<Mapped>| paths.any(|there| there == Some(map.identity()));
    if !maps.iter().all(|map| map.is_intact() && is_still_there(map)) {
        return Err(Refusal::changed(CHANGED));
    }
    Ok(entries(
        task,
        format,
        &candidate,
        databases,
        &identities,
        &maps,
        None,
    ))
}

/// Sentences with names of files, as people see them.
fn legible_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| legible(text).into_owned()).collect()
}

const CHANGED: &str = "it was changed while it was opened: open it again";

/// Maximum number of unreadable files that are named, of files that are joined.
const MOST_NAMED: usize = 100;

/// Maximum number of bytes of all files that are joined.
const MOST_JOINED: u64 = 1 << 30;

/// Opens many small files as one database. They are copied, so that they need neither maps nor descriptors. Those that
/// have not changed since their previous state was copied are not read again.
fn open_joined(
    task: &OpeningTask,
    how: &How,
    format: &'static Format,
    small_files: &SmallFiles,
    candidate: Candidate,
    before: Option<&Copies>,
    progress: &Arc<Progress>,
) -> Result<Vec<LibraryEntry>, Refusal> {
    let mut files = Files::default();
    files.progress = Arc::clone(progress);
    let (mut identities, mut copies) = (Vec::new(), Copies::default());
    let mut unreadable = 0;
    for (kind, path) in &candidate.files {
        let name = legible(&file_name(path)).into_owned();
        let copied = match before.and_then(|before| copies.share(before, path)) {
            Some(shared) => Ok(shared),
            None => how
                .root
                .file(path)
                .and_then(|file| copies.copy(&file, path, small_files.most_bytes)),
        };
        match copied {
            Ok(bytes) => {
                identities.push((name.clone(), bytes.identity()));
                files.files.push((kind.clone(), SourceFile { name, bytes }));
            }
            Err(error) if matches!(error.kind(), ErrorKind::ResourceBusy | ErrorKind::NotFound) => {
                return Err(Refusal::changed(&format!("{name}: {error}")));
            }
            Err(error) => {
                let reason = reason(&error)?;
                copies.leave_out(path);
                unreadable += 1;
                if unreadable <= MOST_NAMED {
                    log::warn!("{}: left out: {reason}", path.display());
                    files.warnings.push(format!("{name} is left out: {reason}"));
                }
            }
        }
        if copies.bytes() > MOST_JOINED {
            let what = "the small files of this folder have more than 1 GiB: join some of them with cat";
            return Err(what.to_owned().into());
        }
    }
    if unreadable > MOST_NAMED {
        let more = unreadable - MOST_NAMED;
        files
            .warnings
            .push(format!("{more} more files are left out: cannot be opened"));
    }
    let databases = databases(task, how, format, files)?;
    if !copies.are_current() {
        return Err(Refusal::changed(CHANGED));
    }
    let copies = Some(Arc::new(copies));
    Ok(entries(
        task,
        format,
        &candidate,
        databases,
        &identities,
        &[],
        copies,
    ))
}

/// Why a file is left out.
///
/// # Errors
/// The refusal of its database, if opening the file may succeed later.
fn reason(error: &io::Error) -> Result<String, Refusal> {
    let reason = format!("cannot be opened: {error}");
    match error.kind() {
        _ if is_exhausted(error) => Err(Refusal {
            is_exhausted: true,
            ..reason.into()
        }),
        ErrorKind::ResourceBusy => Err(Refusal::changed(&error.to_string())),
        _ => Ok(reason),
    }
}

/// The entries of databases that were opened from the same files.
fn entries(
    task: &OpeningTask,
    format: &'static Format,
    found: &Candidate,
    parts: Vec<NamedDatabase>,
    files: &[(String, Identity)],
    maps: &[Arc<Mapped>],
    copies: Option<Arc<Copies>>,
) -> Vec<LibraryEntry> {
    let entry = |NamedDatabase { name, database }| LibraryEntry {
        path: String::new(),
        format,
        part: name,
        database: GuardedDatabase::new(database),
        files: files.to_vec(),
        maps: maps.to_vec(),
        copies: copies.clone(),
        is_local: task.mount.is_none(),
        found: Some(found.clone()),
    };
    parts.into_iter().map(entry).collect()
}

/// Opens a database from its files.
fn databases(
    task: &OpeningTask,
    how: &How,
    format: &Format,
    files: Files,
) -> Result<Vec<NamedDatabase>, Refusal> {
    let parts = catch_unwind(AssertUnwindSafe(|| {
        let parts = (format.open)(files, &how.options)?;
        if task.mount.is_some() {
            // Requests may not wait for a source that hangs, so what `info.txt` needs is read now.
            for NamedDatabase { database, .. } in &parts {
                database.len();
                database.info();
                database.problems();
            }
        }
        // Logged here, because nothing else on standard error names the parts of an archive that are left out.
        for NamedDatabase { name, database } in &parts {
            let is_left_out = |kind| matches!(kind, ProblemKind::Limit | ProblemKind::Unsupported);
            let problems = name.iter().flat_map(|_| database.problems());
            for problem in problems.filter(|problem| is_left_out(problem.kind)) {
                log::warn!(
                    "{}: {}",
                    legible(&task.name),
                    advised(&problem.what, problem.remedy)
                );
            }
        }
        Ok(parts)
    }));
    let parts = parts
        .unwrap_or_else(|panic| {
            let reason = format!("the decoder failed: {}", panic_message(&*panic));
            Err(NotADatabase::new(reason))
        })
        .map_err(|error| {
            let reason = advised(&error.reason, error.remedy);
            Refusal {
                is_foreign: error.is_foreign,
                ..format!("cannot be read as a {} database: {reason}", format.title).into()
            }
        })?;
    Ok(parts)
}

/// Maps a file of the source, or copies it if it is small and `may_copy` is set.
fn map(how: &How, path: &Path, may_copy: bool) -> io::Result<Mapped> {
    let file = how.root.file(path)?;
    if may_copy {
        Mapped::copy_or_map(file, path)
    } else {
        Mapped::new(file, path)
    }
}

/// True if the process or the machine has run out of file descriptors or memory.
fn is_exhausted(error: &io::Error) -> bool {
    let codes = [libc::EMFILE, libc::ENFILE, libc::ENOMEM].map(Some);
    error.kind() == ErrorKind::QuotaExceeded || codes.contains(&error.raw_os_error())
}
