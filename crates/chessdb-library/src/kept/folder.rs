//! A folder that belongs to the user, and that no other user can write to.
//!
//! Several processes may use it at the same time, because a file gets its name only when it is complete. Until then it
//! has no name, so that nothing is left if the program is killed, or a temporary name if the file system requires one.
//! It is not forced to the disk before it gets its name: after a power failure parts of it may be missing, so each part
//! needs a checksum.
//!
//! Its files are accessed through the folder's descriptor. So if its path is replaced, nothing is written or removed
//! elsewhere. It is opened once, and again only if it was deleted.

use parking_lot::RwLock;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::links::NamesLeft;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, readlinkat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;

/// Extension of a file that is being written on a file system where every file has a name.
pub(super) const PARTIAL: &str = "partial";

/// Symbolic links are not followed, and opening a named pipe does not wait.
const SAFELY: OFlags = OFlags::CLOEXEC
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// An open folder.
#[derive(Debug)]
pub(super) struct KeptFolder {
    pub(super) path: PathBuf,
    descriptor: RwLock<Arc<OwnedFd>>,
}

/// A regular file in the folder.
pub(super) struct FolderFile {
    pub(super) name: String,
    /// When its contents were changed, or its use was noted.
    pub(super) used: SystemTime,
    pub(super) bytes: u64,
}

impl KeptFolder {
    /// Opens a folder. Creates it, with access for this user only, if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be opened or created, is a symbolic link, belongs to another user, is reached through a link of
    /// another user, or others can write to it.
    pub(super) fn open(path: &Path) -> io::Result<KeptFolder> {
        // A slash at the end would make the kernel follow a link.
        let path: PathBuf = path.components().collect();
        Ok(KeptFolder {
            descriptor: RwLock::new(Arc::new(open_folder(&path)?)),
            path,
        })
    }

    fn descriptor(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.descriptor.read())
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if the file does not exist; other errors if it is not a regular file, belongs to
    /// another user, or cannot be opened.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let file = File::from(openat(self.descriptor(), name, SAFELY, Mode::empty())?);
        let meta = file.metadata()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("not a regular file of this user"));
        }
        Ok(file)
    }

    /// Creates a file that gets the name later. First creates the folder if it was deleted.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(super) fn create(&self, name: &str) -> io::Result<New> {
        let mut folder = self.descriptor();
        let exists = fstat(&folder).is_ok_and(|stat| stat.st_nlink > 0);
        if !exists {
            folder = Arc::new(open_folder(&self.path)?);
            // Locked only to exchange the descriptor, not during system calls, which may take long.
            *self.descriptor.write() = Arc::clone(&folder);
        }
        New::create(folder, name)
    }

    /// Removes a file if it exists.
    pub(super) fn remove(&self, name: &str) {
        let path = self.path.join(name);
        match unlinkat(self.descriptor(), name, AtFlags::empty()) {
            Ok(()) => log::debug!("{}: removed", path.display()),
            Err(Errno::NOENT) => {}
            Err(error) => log::debug!("cannot remove {}: {error}", path.display()),
        }
    }

    /// The regular files for whose names `is_wanted` is true.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn files(&self, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<FolderFile>> {
        let folder = self.descriptor();
        let names = Dir::read_from(&folder)?.flatten();
        let names = names.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        let found = names.filter(|name| is_wanted(name)).filter_map(|name| {
            let stat = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let since_1970 = Duration::new(stat.st_mtime.try_into().unwrap_or(0), stat.st_mtime_nsec as u32);
            FileType::from_raw_mode(stat.st_mode)
                .is_file()
                .then(|| FolderFile {
                    name,
                    used: SystemTime::UNIX_EPOCH + since_1970,
                    bytes: stat.st_size.try_into().unwrap_or(0),
                })
        });
        Ok(found.collect())
    }
}

/// Opens the folder. Creates it and its parents if they do not exist.
fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let user = rustix::process::geteuid().as_raw();
    let folder = walk_to(path, user)?;
    let stat = fstat(&folder)?;
    if stat.st_uid != user {
        return Err(io::Error::other("it belongs to another user"));
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Err(io::Error::other("others can write to it: run chmod go-w on it"));
    }
    Ok(folder)
}

/// Opens a folder for `user`, name by name, so that no other user can redirect its path: only links of this user and of
/// root are followed on the way, and the folder itself must not be a link.
pub(super) fn walk_to(path: &Path, user: u32) -> io::Result<OwnedFd> {
    let open = |here: BorrowedFd<'_>, name: &OsStr, how: OFlags| {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | how;
        openat(here, name, flags, Mode::empty())
    };
    let mut here = openat(CWD, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let mut rest = NamesLeft::of(names(path));
    while let Some(name) = rest.next() {
        let how = if rest.is_empty() {
            OFlags::RDONLY
        } else {
            OFlags::PATH
        };
        let opened = match open(here.as_fd(), &name, how) {
            Err(Errno::NOENT) => {
                match mkdirat(&here, &*name, Mode::RWXU) {
                    Err(Errno::EXIST) => {}
                    made => made?,
                }
                open(here.as_fd(), &name, how)
            }
            opened => opened,
        };
        here = match opened {
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let link = openat(&here, &*name, OFlags::PATH | SAFELY, Mode::empty())?;
                let stat = fstat(&link)?;
                if !FileType::from_raw_mode(stat.st_mode).is_symlink() {
                    return Err(Errno::NOTDIR.into());
                }
                if rest.is_empty() {
                    return Err(io::Error::other("it is a symbolic link"));
                }
                if ![0, user].contains(&stat.st_uid) {
                    let what = format!("the symbolic link {name:?} on the way to it belongs to another user");
                    return Err(io::Error::other(what));
                }
                let target = readlinkat(&link, "", Vec::new())?;
                if !rest.follow(names(Path::new(OsStr::from_bytes(target.as_bytes())))) {
                    return Err(Errno::LOOP.into());
                }
                continue;
            }
            opened => opened?,
        };
    }
    Ok(here)
}

/// The names of a path; the root has the name `/`.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().map(|name| name.as_os_str().to_owned());
    names.collect()
}

/// A file that is being written. Dropping it without [keeping](New::keep_as) it removes it.
pub(super) struct New {
    folder: Arc<OwnedFd>,
    pub(super) file: File,
    /// Its temporary name; `None` while it has no name.
    partial: Option<String>,
}

impl New {
    fn create(folder: Arc<OwnedFd>, name: &str) -> io::Result<New> {
        let mode = Mode::RUSR | Mode::WUSR;
        let nameless = openat(
            &folder,
            ".",
            OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC,
            mode,
        );
        let (file, partial) = match nameless {
            // Some file systems cannot create a file without a name.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
                let partial = partial(name);
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
    pub(super) fn keep_as(mut self, name: &str) -> io::Result<()> {
        let partial = match self.partial.take() {
            Some(partial) => partial,
            None => {
                // A link cannot replace a file, so the file gets a temporary name first.
                let partial = partial(name);
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
fn partial(name: &str) -> String {
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = rustix::process::getpid().as_raw_pid();
    format!("{name}.{process}-{turn}.{PARTIAL}")
}
