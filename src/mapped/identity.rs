//! The identity of a file: whether it is still the one that was opened.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::stamp::{Stamp, nanoseconds, now, settled};

use rustix::fs::{Mode, OFlags};

/// What a file is: where it lies, and of which contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Device number.
    pub device: u64,
    /// Inode number on that device.
    pub inode: u64,
    /// Length in bytes.
    pub size: u64,
    /// Time of the last change of the contents, in nanoseconds since 1970; negative before.
    pub modified: i128,
}

impl Identity {
    /// The identity of the file at a path.
    ///
    /// # Errors
    /// Those of `stat`.
    pub fn at(path: &Path) -> io::Result<Identity> {
        Ok(Identity::from(&path.metadata()?))
    }

    /// How long ago the file at a path was changed, moved there, or changed in another way; for ever where its time is
    /// yet to come.
    ///
    /// # Errors
    /// Those of `stat`.
    pub fn age(path: &Path) -> io::Result<Duration> {
        let age = now() - Stamp::of(&path.metadata()?).newest();
        Ok(u64::try_from(age).map_or(Duration::MAX, Duration::from_nanos))
    }
}

impl From<&Metadata> for Identity {
    fn from(meta: &Metadata) -> Identity {
        Identity {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
        }
    }
}

/// A file that is kept open, and what it was when it was opened.
#[derive(Debug)]
pub(super) struct Watched {
    file: File,
    path: PathBuf,
    pub(super) identity: Identity,
    status: Mutex<Status>,
}

/// What changes with the contents, and with other things as well.
#[derive(Debug)]
struct Status {
    /// Time of the last change of anything.
    changed: i128,
    /// Links, mode and owners: what may have been that thing.
    others: [u64; 4],
}

impl Watched {
    /// Looks at a file that was just opened, and waits until a later change would show: see [`settled`].
    ///
    /// # Errors
    /// Those of `fstat`, and [`io::ErrorKind::ResourceBusy`] for a file that goes on changing.
    pub(super) fn new(file: File, path: &Path) -> io::Result<Watched> {
        let look = || file.metadata().map(|meta| (Stamp::of(&meta), meta));
        let meta = settled(look, now, thread::sleep)?;
        Ok(Watched {
            file,
            path: path.to_owned(),
            identity: Identity::from(&meta),
            status: Mutex::new(Status::of(&meta)),
        })
    }

    /// Keeps the file itself open and not its contents, which a memory map holds: when such a file is closed, its file
    /// system is not told.
    pub(super) fn without_contents(self) -> Watched {
        let same = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        match rustix::fs::open(same, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => Watched {
                file: File::from(file),
                ..self
            },
            Err(_) => self,
        }
    }

    /// The open file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Time of the last change of anything that did not change the contents.
    pub(super) fn changed(&self) -> i128 {
        let status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.changed
    }

    /// True while the file has the contents that it had.
    pub(super) fn is_unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|meta| {
            if Identity::from(&meta) != self.identity {
                return false;
            }
            let now = Status::of(&meta);
            let mut then = self.status.lock().unwrap_or_else(PoisonError::into_inner);
            let is_same = now.changed == then.changed;
            let is_explained = now.others != then.others;
            if is_explained {
                // The next change needs an explanation of its own.
                *then = now;
            }
            is_same || is_explained || self.is_elsewhere()
        })
    }

    /// True if the file was renamed, or another one has its name.
    fn is_elsewhere(&self) -> bool {
        let there = Identity::at(&self.path);
        !there.is_ok_and(|there| (there.device, there.inode) == (self.identity.device, self.identity.inode))
    }
}

impl Status {
    fn of(meta: &Metadata) -> Status {
        Status {
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
            others: [
                meta.nlink(),
                meta.mode().into(),
                meta.uid().into(),
                meta.gid().into(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{FileExt, PermissionsExt};

    fn watch(path: &Path) -> Watched {
        Watched::new(File::open(path).unwrap(), path).unwrap()
    }

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "contents").unwrap();
        (folder, path)
    }

    #[test]
    fn a_rewrite_of_the_same_length_shows() {
        let (_folder, path) = scratch();
        let watched = watch(&path);
        assert!(watched.is_unchanged());
        let file = File::options().write(true).open(&path).unwrap();
        file.write_at(b"CONTENTS", 0).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn a_rewrite_shows_when_its_time_is_put_back() {
        let (_folder, path) = scratch();
        let watched = watch(&path);
        let file = File::options().write(true).open(&path).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        file.write_at(b"CONTENTS", 0).unwrap();
        file.set_modified(time).unwrap();
        assert_eq!(Identity::at(&path).unwrap(), watched.identity);
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn other_permissions_hide_no_later_rewrite() {
        let (folder, path) = scratch();
        let watched = watch(&path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(watched.is_unchanged());
        // The clock of the file system must have gone on.
        let changed = |path: &Path| {
            fs::metadata(path)
                .map(|found| (found.ctime(), found.ctime_nsec()))
                .unwrap()
        };
        let clock = folder.path().join("clock");
        fs::write(&clock, "tick").unwrap();
        while changed(&clock) <= changed(&path) {
            fs::write(&clock, "tick").unwrap();
        }
        let file = File::options().write(true).open(&path).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        file.write_at(b"CONTENTS", 0).unwrap();
        file.set_modified(time).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn what_leaves_the_contents_alone_is_no_change() {
        let (folder, path) = scratch();
        let watched = watch(&path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(watched.is_unchanged(), "other permissions");
        let watched = watch(&path);
        fs::hard_link(&path, folder.path().join("link")).unwrap();
        assert!(watched.is_unchanged(), "another link");
        let watched = watch(&path);
        let renamed = folder.path().join("renamed");
        fs::rename(&path, &renamed).unwrap();
        assert!(watched.is_unchanged(), "another name");
        let watched = watch(&renamed);
        fs::write(&path, "other contents").unwrap();
        fs::rename(&path, &renamed).unwrap();
        assert!(watched.is_unchanged(), "replaced");
        fs::write(&renamed, "more").unwrap();
        assert!(watched.is_unchanged(), "the other one changes");
    }
}
