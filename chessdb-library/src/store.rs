//! A folder of small files that are kept between runs. Each file exists completely or not at all, their total
//! size is limited, and losing one does no harm.
//!
//! Several processes may use one folder at the same time: a file gets its name when it is complete. Until then it
//! has none, so nothing is left of it if the program is ended, or a temporary one if the file system requires that.
//! It need not be on the disk by then: a power failure may leave parts of it out, so each part needs a checksum.
//!
//! The folder belongs to the user, and only the user can write to it. Its files are accessed through its
//! descriptor. So if its path is replaced, nothing is written or removed elsewhere. It is opened once, and again
//! only if it was deleted.

use parking_lot::{Mutex, RwLock};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, fstat, linkat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use xxhash_rust::xxh3::Xxh3;

/// Files that were not used for this long are removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);

/// Default for the maximum number of bytes of all files together. Beyond it, the least recently used files
/// are removed first.
const MOST_BYTES: u64 = 2 << 30;

/// The use of a file is noted only if the last note is older than this.
const NOTE_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The folder is tidied again after this time.
const TIDY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The folder is tidied again when this part of the maximum has been written.
const TIDY_PART: u64 = 16;

/// A temporary file that is older than this is never completed.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);

/// Extension of a file that is being written on a file system where every file has a name.
const PARTIAL: &str = "partial";

/// Symbolic links are not followed, and opening a named pipe does not wait.
const SAFELY: OFlags = OFlags::CLOEXEC
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// A folder of kept files. Their names are numbers with one extension; all other files are left unchanged.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    folder: Arc<RwLock<Arc<OwnedFd>>>,
    extension: &'static str,
    /// Maximum total size of all files in bytes.
    most: u64,
    tidied: Arc<Mutex<Option<Tidied>>>,
}

/// When this process has tidied a folder.
#[derive(Debug)]
struct Tidied {
    when: Instant,
    /// Number of bytes written since.
    written: u64,
}

impl Store {
    /// Opens the files with an extension in a folder, at most 2 GiB together. Creates the folder, with access
    /// for this user only, if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be opened or created, is a symbolic link, belongs to another user, or others can
    /// write to it.
    pub fn open(folder: &Path, extension: &'static str) -> io::Result<Store> {
        // A slash at the end would make the kernel follow a link.
        let path: PathBuf = folder.components().collect();
        Ok(Store {
            folder: Arc::new(RwLock::new(Arc::new(open_folder(&path)?))),
            path,
            extension,
            most: MOST_BYTES,
            tidied: Arc::default(),
        })
    }

    fn folder(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.folder.read())
    }

    /// Sets the maximum total size of all files, in bytes.
    pub fn with_most(self, most: u64) -> Store {
        Store { most, ..self }
    }

    /// The path of a file, for messages.
    pub fn path(&self, number: u128) -> PathBuf {
        self.path.join(self.name(number))
    }

    fn name(&self, number: u128) -> String {
        format!("{number:032x}.{}", self.extension)
    }

    /// Reads a file of at most `most` bytes and marks it as used.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; others if it is larger, is not a regular file,
    /// belongs to another user, or cannot be read.
    pub fn read(&self, number: u128, most: u64) -> io::Result<Vec<u8>> {
        let file = self.file(number)?;
        let len = file.metadata()?.len();
        if len > most {
            return Err(io::Error::other("larger than a valid one"));
        }
        let mut bytes = Vec::with_capacity(len as usize);
        (&file).take(most).read_to_end(&mut bytes)?;
        self.note_use(number, &file);
        Ok(bytes)
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; others if it is not a regular file, belongs to
    /// another user, or cannot be opened.
    pub fn file(&self, number: u128) -> io::Result<File> {
        let file = openat(self.folder(), self.name(number), SAFELY, Mode::empty())?;
        let file = File::from(file);
        let meta = file.metadata()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("not a regular file of this user"));
        }
        Ok(file)
    }

    /// Marks a file as used, at most once a day: its times are what shows other processes that have mapped it whether
    /// it was changed.
    pub fn note_use(&self, number: u128, file: &File) {
        let noted = file.metadata().and_then(|meta| meta.modified());
        if matches!(noted.map(|time| time.elapsed()), Ok(Ok(age)) if age < NOTE_AFTER) {
            return;
        }
        if let Err(error) = file.set_modified(SystemTime::now()) {
            log::debug!("{}: not marked as used: {error}", self.path(number).display());
        }
    }

    /// Writes a file, replacing an existing one.
    ///
    /// # Errors
    /// If writing fails; an existing file is then unchanged.
    pub fn replace(&self, number: u128, bytes: &[u8]) -> io::Result<()> {
        self.replace_with(number, |file| file.write_all(bytes))
    }

    /// Replaces a file by a new one, which `write` writes and may also read.
    ///
    /// # Errors
    /// If writing fails; an existing file is then unchanged.
    pub fn replace_with<E: From<io::Error>>(
        &self,
        number: u128,
        write: impl FnOnce(&mut File) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut new = self.create(number)?;
        write(&mut new.file)?;
        let written = new.file.metadata()?.len();
        new.keep_as(number, &self.name(number))?;
        self.tidy_if_due(written);
        Ok(())
    }

    /// Creates a file without a name, for reading and writing. Closing it removes it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn temporary(&self) -> io::Result<File> {
        self.create(0)?.file.try_clone()
    }

    /// Creates a file, and first the folder if it was deleted.
    fn create(&self, number: u128) -> io::Result<New> {
        let mut folder = self.folder();
        let exists = fstat(&folder).is_ok_and(|stat| stat.st_nlink > 0);
        if !exists {
            folder = Arc::new(open_folder(&self.path)?);
            *self.folder.write() = Arc::clone(&folder);
        }
        New::create(folder, number)
    }

    /// Removes a file if it exists.
    pub fn remove(&self, number: u128) {
        self.remove_entry(self.name(number).as_ref());
    }

    fn remove_entry(&self, name: &OsStr) {
        let path = self.path.join(name);
        match unlinkat(self.folder(), name, AtFlags::empty()) {
            Ok(()) => log::debug!("{}: removed", path.display()),
            Err(Errno::NOENT) => {}
            Err(error) => log::debug!("{}: not removed: {error}", path.display()),
        }
    }

    /// Tidies the folder after the first file that this process writes, and then from time to time: looking through
    /// it for each file would take as long as all files together.
    fn tidy_if_due(&self, written: u64) {
        let mut tidied = self.tidied.lock();
        if let Some(last) = &mut *tidied {
            last.written = last.written.saturating_add(written);
            if last.written <= self.most / TIDY_PART && last.when.elapsed() < TIDY_AFTER {
                return;
            }
        }
        *tidied = Some(Tidied {
            when: Instant::now(),
            written: 0,
        });
        self.tidy_to(self.most);
    }

    /// Removes files that have not been used for a long time, and more if the total size exceeds the limit.
    fn tidy_to(&self, most: u64) {
        let now = SystemTime::now();
        let folder = self.folder();
        let mut files: Vec<Kept> = match Dir::read_from(&folder) {
            Ok(entries) => entries
                .flatten()
                .filter_map(|entry| self.kept(&folder, &entry))
                .collect(),
            Err(error) => return log::debug!("{}: not cleaned up: {error}", self.path.display()),
        };
        // The most recently used file comes first.
        files.sort_by_key(|file| std::cmp::Reverse(file.used));
        let mut sum: u64 = 0;
        for file in files {
            if file.bytes > most {
                self.remove_entry(file.name.as_ref());
                continue;
            }
            sum = sum.saturating_add(file.bytes);
            let unused = now.duration_since(file.used).unwrap_or_default();
            let longest = if file.is_partial {
                LONGEST_WRITING
            } else {
                LONGEST_UNUSED
            };
            if sum > most || unused > longest {
                self.remove_entry(file.name.as_ref());
            }
        }
    }

    fn kept(&self, folder: &OwnedFd, entry: &DirEntry) -> Option<Kept> {
        let name = entry.file_name().to_str().ok()?;
        let (number, extension) = name.split_once('.')?;
        let is_number = number.len() == 32 && number.bytes().all(|c| c.is_ascii_hexdigit());
        let is_partial = extension.ends_with(&format!(".{PARTIAL}"));
        if !is_number || !(is_partial || extension == self.extension) {
            return None;
        }
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let since_1970 = Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec as u32);
        FileType::from_raw_mode(stat.st_mode).is_file().then(|| Kept {
            name: name.to_owned(),
            used: SystemTime::UNIX_EPOCH + since_1970,
            bytes: stat.st_size.try_into().unwrap_or(0),
            is_partial,
        })
    }
}

/// Opens the folder of a store, and creates it if it does not exist.
fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let folder = match openat(CWD, path, OFlags::DIRECTORY | SAFELY, Mode::empty()) {
        Err(Errno::LOOP | Errno::NOTDIR) => return Err(io::Error::other("it is a symbolic link")),
        folder => folder?,
    };
    let stat = fstat(&folder)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Err(io::Error::other("others can write to it: run chmod go-w on it"));
    }
    Ok(folder)
}

/// A file that is being written. It is removed if it is not kept.
struct New {
    folder: Arc<OwnedFd>,
    file: File,
    /// Its temporary name; `None` while it has no name.
    partial: Option<String>,
}

impl New {
    fn create(folder: Arc<OwnedFd>, number: u128) -> io::Result<New> {
        let mode = Mode::RUSR | Mode::WUSR;
        let nameless = openat(
            &folder,
            ".",
            OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC,
            mode,
        );
        let (file, partial) = match nameless {
            // Some file systems do not have files without a name.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
                let partial = partial(number);
                let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | SAFELY;
                (openat(&folder, &partial, flags, mode)?, Some(partial))
            }
            file => (file?, None),
        };
        let file = file.into();
        Ok(New {
            folder,
            file,
            partial,
        })
    }

    /// Gives the file its name, replacing an existing file.
    fn keep_as(mut self, number: u128, name: &str) -> io::Result<()> {
        let partial = match self.partial.take() {
            Some(partial) => partial,
            None => {
                // A link cannot replace a file, so the file gets a temporary name first.
                let partial = partial(number);
                let path = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                linkat(CWD, path, &self.folder, &partial, AtFlags::SYMLINK_FOLLOW)?;
                partial
            }
        };
        let partial = self.partial.insert(partial);
        renameat(&self.folder, partial.as_str(), &self.folder, name)?;
        self.partial = None;
        Ok(())
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = unlinkat(&self.folder, partial, AtFlags::empty());
        }
    }
}

/// A unique temporary name.
fn partial(number: u128) -> String {
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = rustix::process::getpid().as_raw_pid();
    format!("{number:032x}.{process}-{turn}.{PARTIAL}")
}

/// A file in the folder that may be removed.
struct Kept {
    name: String,
    used: SystemTime,
    bytes: u64,
    is_partial: bool,
}

/// A hash of the file with the running code, which changes with the code, its libraries and the compiler. `None`
/// if the file cannot be read.
pub fn program_hash() -> Option<u128> {
    static HASH: OnceLock<Option<u128>> = OnceLock::new();
    *HASH.get_or_init(|| {
        let hashed = code_file().and_then(hash);
        hashed
            .inspect_err(|error| log::debug!("the program cannot be read: {error}"))
            .ok()
    })
}

/// The file with this code: the program, or a library that another program has loaded.
fn code_file() -> io::Result<File> {
    const PROGRAM: &str = "/proc/self/exe";
    let here = code_file as *const () as usize;
    // Maps of databases may have names that are not UTF-8.
    let maps = fs::read("/proc/self/maps")?;
    let maps = String::from_utf8_lossy(&maps);
    let path = maps.lines().find_map(|line| path_of_map(line, here));
    let program = fs::read_link(PROGRAM)?;
    match path {
        // The program can be read through this link even if its file was deleted.
        None => File::open(PROGRAM),
        Some(path) if path == program.to_string_lossy() => File::open(PROGRAM),
        Some(path) => File::open(path),
    }
}

/// The path in a line of `/proc/self/maps`, if an address is in its range.
fn path_of_map(line: &str, address: usize) -> Option<&str> {
    let (start, rest) = line.split_once('-')?;
    let (end, rest) = rest.split_once(' ')?;
    let bound = |digits| usize::from_str_radix(digits, 16).ok();
    let is_here = (bound(start)?..bound(end)?).contains(&address);
    // Access, offset, device and inode come before the path.
    is_here.then(|| rest.find('/').map(|path| &rest[path..]))?
}

fn hash(mut file: File) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.digest128()),
            len => hash.update(buffer.get(..len).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests;
