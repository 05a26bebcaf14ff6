//! The files that `export --output` writes.

use parking_lot::Mutex;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Arc;
use std::thread;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::{Builder, TempPath};
use xxhash_rust::xxh3::xxh3_64;

use super::logging;
use crate::mount::{ending_signals, survive_long_files};
use chessdb_library::library::shown;

/// The end of the names of temporary files.
const SUFFIX: &str = ".partial";

/// An output file that replaces an existing one only when it is complete, so that no program reads an
/// incomplete file and a full disk does not destroy the old one.
pub struct OutputFile {
    path: PathBuf,
    file: File,
    kind: OutputKind,
}

enum OutputKind {
    /// A temporary file in the folder of the output, renamed at the end.
    Partial { partial: Partial, place: PathBuf },
    /// An existing file in a folder without write permission. It is truncated before the first write.
    InPlace { is_cut: bool },
    /// A device or a pipe.
    Stream,
}

/// A folder for output files that are written one after another. A file gets its name when it is complete.
pub struct OutputFolder {
    path: PathBuf,
    /// The file that is being made.
    slot: TemporaryFile,
}

impl OutputFolder {
    /// A new folder.
    ///
    /// # Errors
    /// If it cannot be created, or signals cannot be awaited.
    pub fn new(path: &Path) -> io::Result<OutputFolder> {
        fs::create_dir_all(path)?;
        let slot = TemporaryFile::default();
        let said = format!("{} is incomplete: remove it", shown(path));
        remove_on_signals(Arc::clone(&slot), Some(path.to_owned()), said)?;
        Ok(OutputFolder {
            path: path.to_owned(),
            slot,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if no file was written.
    pub fn is_empty(&self) -> bool {
        fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Creates a file at a path below the folder, and the folders that lead to it. The file before it must be finished.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self, name: &str) -> io::Result<OutputFile> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let partial = Partial(Arc::clone(&self.slot));
        let (file, partial) = temporary(&path, None, partial)?;
        let place = path.clone();
        Ok(OutputFile {
            path,
            file,
            kind: OutputKind::Partial { partial, place },
        })
    }
}

impl Drop for OutputFolder {
    /// Removes an empty folder, which would be in the way of the next try.
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

/// A temporary file, which is removed when this is dropped or when a signal ends the program.
struct Partial(TemporaryFile);

/// The temporary file until it is renamed or removed.
type TemporaryFile = Arc<Mutex<Option<TempPath>>>;

impl Partial {
    fn take(slot: &TemporaryFile) -> Option<TempPath> {
        slot.lock().take()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        Partial::take(&self.0);
    }
}

impl OutputFile {
    /// Creates an output file for this path. An existing file stays unchanged until [`OutputFile::finish`], unless its
    /// folder is not writable: then the file itself is overwritten, and a message says so.
    ///
    /// # Errors
    /// If no file can be created there, or the existing one cannot be written.
    pub fn create(path: &Path) -> io::Result<OutputFile> {
        // The kernel would refuse the name only when the temporary file is renamed, after all work.
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(ErrorKind::IsADirectory.into());
        }
        let old = match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let output = |file, kind| OutputFile {
            path: path.to_owned(),
            file,
            kind,
        };
        let permissions = match &old {
            Some(file) => match file.metadata()? {
                found if found.is_file() => Some(found.permissions()),
                _ => return Ok(output(file.try_clone()?, OutputKind::Stream)),
            },
            None => None,
        };
        // For a link, the file goes to its target, and the link remains.
        let place = if old.is_some() || path.is_symlink() {
            fs::canonicalize(path)?
        } else {
            path.to_owned()
        };
        match (partial(&place, permissions), old) {
            (Ok((file, partial)), _) => Ok(output(file, OutputKind::Partial { partial, place })),
            (Err(error), Some(file)) if is_closed(&error) => {
                Ok(output(file, OutputKind::InPlace { is_cut: false }))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The path as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says what became of the output if an export has failed.
    pub fn after_failure(&self) -> &'static str {
        match self.kind {
            OutputKind::Partial { .. } => "the output was discarded: export again",
            OutputKind::InPlace { .. } | OutputKind::Stream => {
                "the games written so far may be wrong: export again"
            }
        }
    }

    /// Puts the file into its place.
    ///
    /// # Errors
    /// If it cannot be stored or renamed; an old file then remains.
    pub fn finish(self) -> io::Result<()> {
        match &self.kind {
            OutputKind::Partial { partial, place } => {
                // Otherwise a loss of power could leave an empty file in the place of the old one.
                self.file.sync_all()?;
                // While the file is renamed, no signal removes it.
                let mut slot = partial.0.lock();
                match slot.take() {
                    Some(file) => Ok(file.persist(place)?),
                    // A signal has removed it, and its thread is about to end the program: with the signal, if this
                    // thread does not end it first.
                    None => {
                        drop(slot);
                        loop {
                            thread::park();
                        }
                    }
                }
            }
            // No game was written, so the old contents are still there.
            OutputKind::InPlace { is_cut: false } => self.file.set_len(0),
            OutputKind::InPlace { is_cut: true } | OutputKind::Stream => Ok(()),
        }
    }
}

/// Creates a temporary file in the folder of `place`. A signal that ends the program removes it.
fn partial(place: &Path, permissions: Option<Permissions>) -> io::Result<(File, Partial)> {
    let partial = Partial(TemporaryFile::default());
    remove_on_signals(
        Arc::clone(&partial.0),
        None,
        format!("{} was not written", shown(place)),
    )?;
    temporary(place, permissions, partial)
}

/// Creates the temporary file of `partial` in the folder of `place`.
fn temporary(
    place: &Path,
    permissions: Option<Permissions>,
    partial: Partial,
) -> io::Result<(File, Partial)> {
    let folder = match place.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // The kernel applies the umask.
    let usual = Permissions::from_mode(0o666);
    // The prefix is short, so that the name is valid wherever the name of the output is.
    let target = place.file_name().unwrap_or_default().as_encoded_bytes();
    let prefix = format!(".pgnfs-{:08x}-", xxh3_64(target) as u32);
    // Errors of temporary files name these, which users have never seen.
    fs::metadata(folder)?;
    remove_left(folder, &prefix);
    let mut name = Builder::new();
    name.prefix(&prefix).suffix(SUFFIX).permissions(usual);
    let mut slot = partial.0.lock();
    let (file, path) = loop {
        let (file, path) = name.tempfile_in(folder)?.into_parts();
        if lock_new(&file)? {
            break (file, path);
        }
    };
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    *slot = Some(path);
    drop(slot);
    Ok((file, partial))
}

/// Locks a temporary file that was just created. False if another export found it before it was locked, and removes it.
fn lock_new(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Ok(false),
        // On a file system without locks, no other export can lock it either, so none removes it.
        _ => Ok(file.metadata()?.nlink() > 0),
    }
}

/// Removes the temporary files of killed exports to the same target. Files of running exports are locked.
fn remove_left(folder: &Path, prefix: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let own = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with(prefix) && name.ends_with(SUFFIX)
    });
    for entry in own {
        let mut options = OpenOptions::new();
        // Opened for writing because NFS requires that for a lock. Nothing is written.
        options
            .write(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let Ok(file) = options.open(entry.path()) else {
            continue;
        };
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        if is_file && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// True if the error says that nothing may be created in the folder.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Starts a thread that removes the temporary file when a signal ends the program, and then prints `said`. It removes
/// `folder`, too, if that is empty. A file that
/// exceeds the size limit of the process does not end it (SIGXFSZ): writing the output fails with an error instead, and
/// an index that is too long is not kept.
fn remove_on_signals(slot: TemporaryFile, folder: Option<PathBuf>, said: String) -> io::Result<()> {
    survive_long_files()?;
    let ignored = ignored_signals();
    let is_ignored = |signal: i32| ignored & (1 << (signal - 1)) != 0;
    let ending = ending_signals().filter(|&signal| !is_ignored(signal));
    let mut signals = Signals::new(ending)?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            if Partial::take(&slot).is_some() {
                logging::say(format_args!("interrupted: {said}"));
            }
            if let Some(folder) = &folder {
                let _ = fs::remove_dir(folder);
            }
            // Ends with the default action of the signal, so that shells see which signal ended the program.
            let _ = emulate_default_handler(signal);
            exit(128 + signal);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}

/// The signals that the caller has set to be ignored, as `nohup` does. Each has one bit.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let OutputKind::InPlace {
            is_cut: is_cut @ false,
        } = &mut self.kind
        {
            logging::say(format_args!(
                "nothing can be created in the folder of {name}, so {name} itself is written and is incomplete \
                 until the export ends",
                name = shown(&self.path)
            ));
            self.file.set_len(0)?;
            *is_cut = true;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn temporary_for(place: &Path) -> (File, Partial) {
        temporary(place, None, Partial(TemporaryFile::default())).unwrap()
    }

    #[test]
    fn the_next_export_removes_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (one, other) = (folder.join("one.pgn"), folder.join("other.pgn"));
        // Left by exports that were killed.
        for place in [&one, &other] {
            let (file, partial) = temporary_for(place);
            Partial::take(&partial.0).unwrap().keep().unwrap();
            drop(file);
        }
        let left = names(folder);
        assert_eq!(left.len(), 2);
        fs::write(folder.join(".pgnfs-a1B2c3.partial"), "").unwrap();
        let of_one = temporary_for(&one);
        let now = names(folder);
        assert_eq!(now.len(), 3, "{now:?}");
        assert_eq!(
            now.iter().filter(|name| left.contains(name)).count(),
            1,
            "{now:?}"
        );
        // The file of a running export stays, even if a second export starts, and a link is not followed.
        let prefix = &now
            .iter()
            .find(|name| !left.contains(name) && name.len() > 24)
            .unwrap()[..16];
        let link = folder.join(format!("{prefix}x{SUFFIX}"));
        std::os::unix::fs::symlink(folder.join(".pgnfs-a1B2c3.partial"), &link).unwrap();
        let second = temporary_for(&one);
        assert_eq!(names(folder).len(), 5);
        drop((of_one, second));
        assert_eq!(names(folder).len(), 3);
    }

    /// Tests each kind of output, with and without an old file, with and without written data, finished and unfinished.
    #[test]
    fn an_export_without_games_leaves_an_empty_file() {
        for in_place in [false, true] {
            for new in ["", "new"] {
                for is_finished in [false, true] {
                    let folder = tempfile::tempdir().unwrap();
                    let path = folder.path().join("games.pgn");
                    fs::write(&path, "old and longer").unwrap();
                    let mut output = OutputFile::create(&path).unwrap();
                    if in_place {
                        // The error of `create` for a folder in which nothing can be created.
                        output = OutputFile {
                            path: path.clone(),
                            file: File::options().write(true).open(&path).unwrap(),
                            kind: OutputKind::InPlace { is_cut: false },
                        };
                    }
                    if !new.is_empty() {
                        output.write_all(new.as_bytes()).unwrap();
                    }
                    output.flush().unwrap();
                    let is_discarded = output.after_failure().contains("discarded");
                    assert_eq!(is_discarded, !in_place);
                    if is_finished {
                        output.finish().unwrap();
                    } else {
                        drop(output);
                    }
                    let is_new = is_finished || in_place && !new.is_empty();
                    let wanted = if is_new { new } else { "old and longer" };
                    let what = format!("in place: {in_place}, {new:?}, finished: {is_finished}");
                    assert_eq!(fs::read_to_string(&path).unwrap(), wanted, "{what}");
                    assert_eq!(names(folder.path()), ["games.pgn"], "{what}");
                }
            }
        }
    }

    #[test]
    fn a_file_that_another_export_found_first_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.partial");
        let created = File::create(&path).unwrap();
        assert!(lock_new(&created).unwrap());
        let found = File::options().write(true).open(&path).unwrap();
        // The other export has locked the file, but not removed it yet.
        assert!(!lock_new(&found).unwrap());
        fs::remove_file(&path).unwrap();
        drop(created);
        assert!(!lock_new(&found).unwrap(), "it was removed");
    }
}
