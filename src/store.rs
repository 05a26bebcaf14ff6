//! A folder of small files that are kept between runs. Each is there as a whole or not at all, their number of bytes
//! is bounded, and none is missed when it is lost.
//!
//! Several programs may use one folder at once: a file is written under another name and then put into its place.
//!
//! The folder belongs to the user, and only the user can write to it. It is opened once, and its files are found
//! through its descriptor: whatever comes to stand at its path, nothing is written or removed elsewhere.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, fstat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use xxhash_rust::xxh3::Xxh3;

/// Files that were not used for this long are removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);

/// Maximum number of bytes of all files together; beyond them the one goes first that was used least recently.
const MOST_BYTES: u64 = 512 << 20;

/// A file that was not put into its place for so long never will be.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);

/// Extension of a file that is being written.
const PARTIAL: &str = "partial";

/// No symbolic link is followed, and what turns out to be a pipe is not waited for.
const SAFELY: OFlags = OFlags::CLOEXEC
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// A folder of kept files. Their names are numbers with one extension; whatever else is there stays untouched.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    folder: Arc<OwnedFd>,
    extension: &'static str,
}

impl Store {
    /// The files with an extension in a folder, which is created without access for others if it does not exist.
    ///
    /// # Errors
    /// Where the folder can neither be found nor made, is a symbolic link, belongs to another user, or can be written
    /// to by others.
    pub fn open(folder: &Path, extension: &'static str) -> io::Result<Store> {
        // A slash at the end would make the kernel follow a link.
        let path: PathBuf = folder.components().collect();
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        let folder = match openat(CWD, &path, OFlags::DIRECTORY | SAFELY, Mode::empty()) {
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
        Ok(Store {
            path,
            folder: Arc::new(folder),
            extension,
        })
    }

    /// The path of a file, for people.
    pub fn path(&self, number: u128) -> PathBuf {
        self.path.join(self.name(number))
    }

    fn name(&self, number: u128) -> String {
        format!("{number:032x}.{}", self.extension)
    }

    /// The bytes of a file, at most `most`, and a note that it was used.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`]; others where it is larger, is not a regular file, belongs to another user, or
    /// cannot be read.
    pub fn read(&self, number: u128, most: u64) -> io::Result<Vec<u8>> {
        let file = openat(&self.folder, self.name(number), SAFELY, Mode::empty())?;
        let file = File::from(file);
        let meta = file.metadata()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("not a regular file of this user"));
        }
        if meta.len() > most {
            return Err(io::Error::other("larger than a valid one"));
        }
        let mut bytes = Vec::with_capacity(meta.len() as usize);
        (&file).take(most).read_to_end(&mut bytes)?;
        if let Err(error) = file.set_modified(SystemTime::now()) {
            log::debug!("{}: not marked as used: {error}", self.path(number).display());
        }
        Ok(bytes)
    }

    /// Puts a file with these bytes into its place.
    ///
    /// # Errors
    /// Those of writing; whatever was in its place is there still.
    pub fn replace(&self, number: u128, bytes: &[u8]) -> io::Result<()> {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let process = rustix::process::getpid().as_raw_pid();
        let partial = format!("{number:032x}.{process}-{turn}.{PARTIAL}");
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | SAFELY;
        let mut file = File::from(openat(&self.folder, &partial, flags, Mode::RUSR | Mode::WUSR)?);
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(renameat(&self.folder, &partial, &self.folder, self.name(number))?));
        if written.is_err() {
            let _ = unlinkat(&self.folder, &partial, AtFlags::empty());
        }
        written
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, number: u128) {
        self.remove_entry(self.name(number).as_ref());
    }

    fn remove_entry(&self, name: &OsStr) {
        let path = self.path.join(name);
        match unlinkat(&self.folder, name, AtFlags::empty()) {
            Ok(()) => log::debug!("{}: removed", path.display()),
            Err(Errno::NOENT) => {}
            Err(error) => log::debug!("{}: not removed: {error}", path.display()),
        }
    }

    /// Removes files that were not used for long, and more if all files together are too large.
    pub fn tidy(&self) {
        self.tidy_to(MOST_BYTES);
    }

    fn tidy_to(&self, most: u64) {
        let now = SystemTime::now();
        let mut files: Vec<Kept> = match Dir::read_from(&self.folder) {
            Ok(entries) => entries.flatten().filter_map(|entry| self.kept(&entry)).collect(),
            Err(error) => return log::debug!("{}: not cleaned up: {error}", self.path.display()),
        };
        // The one that was used last comes first.
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

    fn kept(&self, entry: &DirEntry) -> Option<Kept> {
        let name = entry.file_name().to_str().ok()?;
        let (number, extension) = name.split_once('.')?;
        let is_number = number.len() == 32 && number.bytes().all(|c| c.is_ascii_hexdigit());
        let is_partial = extension.ends_with(&format!(".{PARTIAL}"));
        if !is_number || !(is_partial || extension == self.extension) {
            return None;
        }
        let stat = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let since_1970 = Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec as u32);
        FileType::from_raw_mode(stat.st_mode).is_file().then(|| Kept {
            name: name.to_owned(),
            used: SystemTime::UNIX_EPOCH + since_1970,
            bytes: stat.st_size.try_into().unwrap_or(0),
            is_partial,
        })
    }
}

/// A file of the folder, as tidying sees it.
struct Kept {
    name: String,
    used: SystemTime,
    bytes: u64,
    is_partial: bool,
}

/// A hash of the file of the program that runs: another one after any change of its code, of the libraries in it or
/// of the compiler. None if the file cannot be read.
pub fn program_hash() -> Option<u128> {
    static HASH: OnceLock<Option<u128>> = OnceLock::new();
    *HASH.get_or_init(|| {
        let hashed = File::open("/proc/self/exe").and_then(hash);
        hashed
            .inspect_err(|error| log::debug!("the program cannot be read: {error}"))
            .ok()
    })
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
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{Uid, chown};

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("cache/kept"), "sizes").unwrap();
        (folder, store)
    }

    fn age(path: &Path, age: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    fn names(store: &Store) -> usize {
        fs::read_dir(&store.path).unwrap().count()
    }

    #[test]
    fn a_file_is_what_was_written_last() {
        let (_folder, store) = store();
        assert_eq!(store.read(7, 10).unwrap_err().kind(), io::ErrorKind::NotFound);
        store.replace(7, b"first").unwrap();
        store.replace(7, b"second").unwrap();
        store.replace(8, b"").unwrap();
        assert_eq!(store.read(7, 6).unwrap(), b"second");
        assert!(store.read(7, 5).is_err(), "larger than allowed");
        assert_eq!(store.read(8, 5).unwrap(), b"");
        assert_eq!(names(&store), 2);
        store.remove(7);
        store.remove(7);
        assert_eq!(names(&store), 1);
        let modes = [store.path.clone(), store.path(8)]
            .map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o777);
        assert_eq!(modes, [0o700, 0o600]);
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let (_folder, store) = store();
        store.replace(1, b"text").unwrap();
        symlink(store.path(1), store.path(2)).unwrap();
        fs::create_dir(store.path(3)).unwrap();
        assert!(store.read(2, 10).is_err() && store.read(3, 10).is_err());
        assert!(store.replace(3, b"text").is_err());
        assert_eq!(names(&store), 3, "nothing is left of what could not be written");
    }

    #[test]
    fn what_nobody_uses_is_removed_and_nothing_else() {
        let (_folder, store) = store();
        for number in 0..4 {
            store.replace(number, &[0; 1000]).unwrap();
            age(&store.path(number), DAY * [80, 81, 82, 95][number as usize]);
        }
        let others = ["notes.txt", "00000000000000000000000000000000.txt", "1.sizes"];
        for other in others {
            fs::write(store.path.join(other), "mine").unwrap();
            age(&store.path.join(other), DAY * 1000);
        }
        let (dead, alive) = ("1-0.partial", "2-0.partial");
        for partial in [dead, alive] {
            fs::write(store.path(0).with_extension(partial), "part").unwrap();
        }
        age(&store.path(0).with_extension(dead), DAY);
        // To read is to use.
        store.read(3, 1000).unwrap();
        store.tidy();
        let there = |number| store.path(number).exists();
        assert_eq!([0, 1, 2, 3].map(there), [true, true, true, true]);
        age(&store.path(1), DAY * 91);
        store.tidy();
        assert_eq!([0, 1, 2, 3].map(there), [true, false, true, true]);
        assert_eq!(names(&store), 3 + others.len() + 1);
        store.tidy_to(2500);
        assert_eq!(
            [0, 1, 2, 3].map(there),
            [true, false, false, true],
            "the oldest goes"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error() {
        let (folder, _) = store();
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(Store::open(&folder.path().join("file/kept"), "sizes").is_err());
        assert!(Store::open(Path::new("/proc/kept"), "sizes").is_err());
    }

    #[test]
    fn a_folder_of_others_is_not_used() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("kept");
        let refusal = |path: &Path| Store::open(path, "sizes").unwrap_err().to_string();
        let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        drop(Store::open(&folder, "sizes").unwrap());
        for open in [0o777, 0o1777, 0o770, 0o702] {
            mode(open);
            assert!(refusal(&folder).contains("others can write to it"), "{open:o}");
        }
        mode(0o755);
        drop(Store::open(&folder, "sizes").unwrap());
        let link = scratch.path().join("link");
        symlink(&folder, &link).unwrap();
        for path in [link.clone(), link.join(""), link.join(".")] {
            assert!(refusal(&path).contains("symbolic link"), "{path:?}");
        }
        // Only root can give it away.
        if rustix::process::geteuid().is_root() {
            chown(&folder, Some(Uid::from_raw(65534)), None).unwrap();
            assert!(refusal(&folder).contains("belongs to another user"));
            chown(&folder, Some(Uid::ROOT), None).unwrap();
            drop(Store::open(&folder, "sizes").unwrap());
        }
    }

    #[test]
    fn nothing_happens_in_a_folder_that_comes_to_its_place() {
        let (scratch, store) = store();
        let (outside, moved) = (scratch.path().join("outside"), scratch.path().join("moved"));
        fs::create_dir(&outside).unwrap();
        let name = store.name(1);
        let partial = format!("{:032x}.1-0.{PARTIAL}", 7);
        for name in [&name, &partial] {
            fs::write(outside.join(name), "precious").unwrap();
            age(&outside.join(name), DAY * 1000);
        }
        store.replace(2, b"ours").unwrap();
        fs::rename(&store.path, &moved).unwrap();
        symlink(&outside, &store.path).unwrap();
        assert!(store.read(1, 100).is_err());
        assert_eq!(store.read(2, 100).unwrap(), b"ours");
        store.replace(1, b"ours").unwrap();
        store.replace(3, b"ours").unwrap();
        store.remove(3);
        store.tidy();
        assert_eq!(fs::read(moved.join(&name)).unwrap(), b"ours");
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 2);
        assert_eq!(
            fs::read_dir(&outside).unwrap().count(),
            2,
            "nothing is removed or added"
        );
        assert_eq!(fs::read(outside.join(&name)).unwrap(), b"precious");
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_replaced_and_not_followed() {
        let (scratch, store) = store();
        let precious = scratch.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        symlink(&precious, store.path(1)).unwrap();
        store.tidy();
        assert!(store.read(1, 100).is_err());
        store.replace(1, b"ours").unwrap();
        assert_eq!(store.read(1, 100).unwrap(), b"ours");
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }

    #[test]
    fn a_program_has_one_hash() {
        assert!(program_hash().is_some() && program_hash() == program_hash());
    }
}
