//! The identity of a file, and whether a file is still the one that was opened.

use parking_lot::Mutex;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use super::renames::RenameWatch;
use super::stamp::{Stamp, nanoseconds, now, settled};

use rustix::fs::{Mode, OFlags};

/// Identity of a file: its location on disk and the state of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Device number.
    pub device: u64,
    /// Inode number on that device.
    pub inode: u64,
    /// Length in bytes.
    pub size: u64,
    /// Time of the last change of the contents, in nanoseconds since 1970; negative before 1970.
    pub modified: i128,
}

impl Identity {
    /// The identity of the file at a path.
    ///
    /// # Errors
    /// If `stat` fails.
    pub fn at(path: &Path) -> io::Result<Identity> {
        Ok(Identity::from(&path.metadata()?))
    }

    /// The identity of the file at a path, and the time since the last change of its contents, name or metadata;
    /// [`Duration::MAX`] if that time is in the future.
    ///
    /// # Errors
    /// If `stat` fails.
    pub fn with_age(path: &Path) -> io::Result<(Identity, Duration)> {
        let meta = path.metadata()?;
        let age = u64::try_from(now() - Stamp::of(&meta).newest());
        Ok((
            Identity::from(&meta),
            age.map_or(Duration::MAX, Duration::from_nanos),
        ))
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

/// A file and its state when it was opened.
#[derive(Debug)]
pub(super) struct Watched {
    /// `None` if the file is only examined at its path. Its changes go unseen once it is not there, so its contents
    /// must have been copied.
    file: Option<File>,
    path: PathBuf,
    pub(super) identity: Identity,
    status: Mutex<InodeStatus>,
    /// Set if the file has several names.
    renames: OnceLock<RenameWatch>,
}

/// Metadata that changes with the contents, but also for other reasons.
#[derive(Debug)]
struct InodeStatus {
    /// Time of the last change of any kind.
    changed: i128,
    /// Link count, mode and owners: the other possible reasons.
    others: [u64; 4],
}

impl Watched {
    /// Examines a file that was just opened, and waits until any later change would be visible: see
    /// [`settled`].
    ///
    /// # Errors
    /// If `fstat` fails, [`io::ErrorKind::ResourceBusy`] for a file that keeps changing, and
    /// [`io::ErrorKind::InvalidInput`] for anything but a regular file.
    pub(super) fn new(file: &File, path: &Path) -> io::Result<Watched> {
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let look = || file.metadata().map(|meta| (Stamp::of(&meta), meta));
        let meta = settled(look, now, thread::sleep)?;
        Ok(Watched::of(&meta, path))
    }

    fn of(meta: &Metadata, path: &Path) -> Watched {
        Watched {
            file: None,
            path: path.to_owned(),
            identity: Identity::from(meta),
            status: Mutex::new(InodeStatus::of(meta)),
            renames: OnceLock::new(),
        }
    }

    /// Examines a file that was just opened. Changes within one step of its clock may not be seen.
    ///
    /// # Errors
    /// If `fstat` fails.
    pub(super) fn at_once(file: &File) -> io::Result<Watched> {
        Ok(Watched::of(&file.metadata()?, Path::new("")))
    }

    /// Watches a file with several names for renames, which change its times but not its contents.
    pub(super) fn watch_renames(&self, file: &File) {
        if self.status.lock().links() > 1 {
            self.watch_renames_at(&path_of(file));
        }
    }

    fn watch_renames_at(&self, path: &Path) {
        if self.renames.get().is_none()
            && let Some(watch) = RenameWatch::start(path)
        {
            let _ = self.renames.set(watch);
        }
    }

    /// The present size and times of the file.
    ///
    /// # Errors
    /// If `fstat` fails.
    pub(super) fn stamp(&self) -> io::Result<Stamp> {
        let meta = match &self.file {
            Some(file) => file.metadata(),
            None => self.path.metadata(),
        };
        meta.map(|meta| Stamp::of(&meta))
    }

    /// Keeps a descriptor of the file, so that it is found under any name. It has no access to the contents,
    /// which a memory map provides. Closing such a descriptor sends no request to the file system.
    pub(super) fn keeping(self, file: File) -> Watched {
        let without_contents =
            rustix::fs::open(path_of(&file), OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        Watched {
            file: Some(without_contents.map_or(file, File::from)),
            ..self
        }
    }

    /// The path where the file was found.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Time of the last change that did not affect the contents.
    pub(super) fn changed(&self) -> i128 {
        let status = self.status.lock();
        status.changed
    }

    /// True if the file still has the same contents.
    pub(super) fn is_unchanged(&self) -> bool {
        match &self.file {
            Some(file) => self.has_contents_of(|| file.metadata()),
            None => self.has_contents_of(|| self.path.metadata()) || !self.is_at_path(),
        }
    }

    /// True if the present metadata of the file, which `look` returns, show no change of its contents.
    fn has_contents_of(&self, look: impl Fn() -> io::Result<Metadata>) -> bool {
        let look = || look().ok().filter(|meta| Identity::from(meta) == self.identity);
        let Some(now) = look() else { return false };
        let mut then = self.status.lock();
        if InodeStatus::of(&now).changed == then.changed {
            return true;
        }
        // Another thread may have seen and explained a later change meanwhile.
        let Some(now) = look() else { return false };
        let now = InodeStatus::of(&now);
        let is_renamed = || self.renames.get().is_some_and(RenameWatch::has_news);
        let is_explained = now.changed == then.changed || now.others != then.others || is_renamed();
        if is_explained {
            // This rename explains only one change of the time; the next change needs another explanation.
            *then = now;
        }
        if is_explained && then.links() > 1 {
            let path = self.file.as_ref().map_or_else(|| self.path.clone(), path_of);
            self.watch_renames_at(&path);
        }
        is_explained || !self.is_at_path()
    }

    /// True if the file is still at its path and has the same contents.
    pub(super) fn is_current(&self) -> bool {
        self.has_contents_of(|| self.path.metadata())
    }

    /// True if the path leads to this file, in whatever state: it was neither renamed nor replaced.
    fn is_at_path(&self) -> bool {
        let there = Identity::at(&self.path);
        there.is_ok_and(|there| (there.device, there.inode) == (self.identity.device, self.identity.inode))
    }
}

/// A path that leads to an open file.
fn path_of(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

impl InodeStatus {
    fn of(meta: &Metadata) -> InodeStatus {
        InodeStatus {
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
            others: [
                meta.nlink(),
                meta.mode().into(),
                meta.uid().into(),
                meta.gid().into(),
            ],
        }
    }

    /// Number of names of the file.
    fn links(&self) -> u64 {
        self.others[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{FileExt, PermissionsExt};

    fn watch(path: &Path) -> Watched {
        let file = File::open(path).unwrap();
        let watched = Watched::new(&file, path).unwrap();
        watched.watch_renames(&file);
        watched.keeping(file)
    }

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "contents").unwrap();
        (folder, path)
    }

    /// Waits until the clock of the file system has advanced since the last change of a file.
    fn tick(folder: &Path, path: &Path) {
        let changed = |path: &Path| {
            fs::metadata(path)
                .map(|found| (found.ctime(), found.ctime_nsec()))
                .unwrap()
        };
        let clock = folder.join("clock");
        fs::write(&clock, "tick").unwrap();
        while changed(&clock) <= changed(path) {
            fs::write(&clock, "tick").unwrap();
        }
    }

    #[test]
    fn a_rewrite_of_the_same_length_is_detected() {
        let (_folder, path) = scratch();
        let watched = watch(&path);
        assert!(watched.is_unchanged());
        let file = File::options().write(true).open(&path).unwrap();
        file.write_at(b"CONTENTS", 0).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn a_rewrite_is_detected_when_its_time_is_set_back() {
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
        tick(folder.path(), &path);
        let file = File::options().write(true).open(&path).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        file.write_at(b"CONTENTS", 0).unwrap();
        file.set_modified(time).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn renames_of_another_name_do_not_count_and_hide_no_later_rewrite() {
        let (folder, path) = scratch();
        let names = [folder.path().join("one"), folder.path().join("two")];
        fs::hard_link(&path, &names[0]).unwrap();
        // Both the file that had the name when the database was opened, and the file that gets the name later.
        let (before, file) = (watch(&path), File::open(&path).unwrap());
        fs::remove_file(&names[0]).unwrap();
        assert!(before.is_unchanged());
        let copied = Watched::new(&file, &path).unwrap();
        fs::hard_link(&path, &names[0]).unwrap();
        assert!(before.is_unchanged() && copied.is_unchanged() && copied.is_current());
        for (from, to) in [(0, 1), (1, 0), (0, 1)] {
            tick(folder.path(), &path);
            fs::rename(&names[from], &names[to]).unwrap();
            assert!(before.is_unchanged() && copied.is_unchanged() && before.is_current());
        }
        tick(folder.path(), &path);
        let writer = File::options().write(true).open(&names[1]).unwrap();
        let time = writer.metadata().unwrap().modified().unwrap();
        writer.write_at(b"CONTENTS", 0).unwrap();
        writer.set_modified(time).unwrap();
        assert!(!before.is_unchanged() && !copied.is_unchanged() && !copied.is_current());
    }

    #[test]
    fn changes_of_metadata_alone_do_not_count() {
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
