//! Folders that are held open, so that the folder that was checked is also the one that is used, even if its path now
//! leads elsewhere.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::MountError;
use chessdb_library::mounts::Mount;

const FLAGS: OFlags = OFlags::PATH
    .union(OFlags::NOFOLLOW)
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// A folder that is held open.
#[derive(Clone, Debug)]
pub(super) struct Held(Arc<OwnedFd>);

impl Held {
    /// Opens the folder at an absolute path without links.
    ///
    /// # Errors
    /// If there is no such folder, or a part of the path is a link by now.
    pub(super) fn open(path: &Path) -> Result<Held, MountError> {
        let opened = rustix::fs::open(path, FLAGS, Mode::empty()).map_err(|error| match error {
            Errno::NOTDIR => MountError::NotAFolder(path.to_owned()),
            error => MountError::At(path.to_owned(), error.into()),
        })?;
        let folder = Held(Arc::new(opened));
        if folder.is_at(path) {
            Ok(folder)
        } else {
            Err(MountError::Moved(path.to_owned()))
        }
    }

    /// A path that leads to this folder itself, not to a mount on it, while it is held.
    pub(super) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }

    /// True if this path without links leads to the folder now.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        fs::read_link(self.path()).is_ok_and(|now| now == path)
    }
}

/// A mount whose folder is held, so that nothing else is unmounted in its place.
pub(super) struct HeldMount {
    above: Held,
    name: OsString,
}

impl HeldMount {
    /// Holds the folder above a mount.
    ///
    /// # Errors
    /// If its path no longer leads to the mount.
    pub(super) fn open(mount: &Mount) -> Result<HeldMount, MountError> {
        let moved = || MountError::Moved(mount.path.clone());
        let above = mount.path.parent().ok_or_else(moved)?;
        let held = HeldMount {
            above: Held::open(above)?,
            name: mount.path.file_name().ok_or_else(moved)?.to_owned(),
        };
        match held.id().map_err(MountError::at(&mount.path))? {
            id if id == mount.id => Ok(held),
            _ => Err(moved()),
        }
    }

    /// A path that leads to the mount even if folders above it are renamed. The mount point itself can be neither
    /// renamed nor removed.
    pub(super) fn path(&self) -> PathBuf {
        self.above.path().join(&self.name)
    }

    /// The number of the mount. Sends no request to it.
    fn id(&self) -> io::Result<u64> {
        let root = rustix::fs::openat(&*self.above.0, &self.name, FLAGS, Mode::empty())?;
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", root.as_raw_fd()))?;
        let id = info.lines().find_map(|line| line.strip_prefix("mnt_id:"));
        let id = id.and_then(|id| id.trim().parse().ok());
        id.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_is_held_and_its_path_compared() {
        let scratch = tempfile::tempdir().unwrap();
        let scratch = fs::canonicalize(scratch.path()).unwrap();
        let (path, other) = (scratch.join("home/folder"), scratch.join("other"));
        fs::create_dir_all(&path).unwrap();
        fs::create_dir_all(other.join("folder")).unwrap();
        let held = Held::open(&path).unwrap();
        assert!(held.is_at(&path));

        // The folder above is replaced by a link.
        fs::rename(scratch.join("home"), scratch.join("moved")).unwrap();
        symlink(&other, scratch.join("home")).unwrap();
        assert!(!held.is_at(&path));
        assert!(matches!(Held::open(&path), Err(MountError::Moved(moved)) if moved == path));
        fs::write(scratch.join("moved/folder/file"), "").unwrap();
        assert_eq!(fs::read_dir(held.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }
}
