//! The mount point.

use std::fs::{self, metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::device;
use super::error::MountError;
use super::held::Held;
use chessdb_library::mounts::{Device, Mount, Mounts, TYPE};
use chessdb_library::workers::hung;

/// A folder to mount on.
#[derive(Clone, Debug)]
pub struct MountPoint {
    path: PathBuf,
    folder: Held,
}

impl MountPoint {
    /// Checks that `path` is an empty folder and that neither it nor `source` contains the other. Unmounts a dead pgnfs
    /// there. Holds the folder open, so that it is mounted on even if another folder gets its path.
    ///
    /// # Errors
    /// If a check fails, with the reason.
    pub fn check(path: &Path, source: &Path) -> Result<MountPoint, MountError> {
        let resolved = resolve(path)?;
        let mount = top_at(&resolved)?.filter(|mount| mount.kind == TYPE);
        match (mount, is_dead(&resolved)) {
            (Some(dead), true) => {
                log::warn!(
                    "{} is unmounted first: the program that served it died",
                    path.display()
                );
                device::unmount(&dead)?;
                return MountPoint::check(path, source);
            }
            (Some(mount), false) => {
                return Err(MountError::AlreadyMounted {
                    path: path.to_owned(),
                    source: mount.source.into(),
                });
            }
            (None, true) => return Err(MountError::Dead(path.to_owned())),
            (None, false) => {}
        }
        let folder = Held::open(&resolved).map_err(|error| match error {
            MountError::NotAFolder(_) => MountError::NotAFolder(path.to_owned()),
            error => error,
        })?;
        check_folder(path, &folder, &resolved, source)?;
        device::check()?;
        Ok(MountPoint {
            path: resolved,
            folder,
        })
    }

    /// The path of the folder, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path that leads to the folder that was checked, not to a mount on it.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path()
    }

    /// Checks that the path still leads to the folder that was checked.
    ///
    /// # Errors
    /// [`MountError::Moved`]
    pub(super) fn check_place(&self) -> Result<(), MountError> {
        if self.folder.is_at(&self.path) {
            Ok(())
        } else {
            Err(MountError::Moved(self.path.clone()))
        }
    }

    /// The mount of pgnfs on the folder, which belongs to this user. Sends no request to it.
    ///
    /// # Errors
    /// [`MountError::Moved`] if it was mounted elsewhere.
    pub(super) fn mounted(&self) -> Result<Mount, MountError> {
        self.check_place()?;
        let mount = top_at(&self.path)?.filter(Mount::is_own);
        mount.ok_or_else(|| MountError::Moved(self.path.clone()))
    }
}

/// Unmounts the pgnfs at `path`, even if it is dead. Returns true if some of its files are still open: its program ends
/// when they are closed.
///
/// # Errors
/// If there is no mount, or the user is not permitted to unmount it.
pub fn unmount(path: &Path) -> Result<bool, MountError> {
    let resolved = match resolve(path) {
        Err(MountError::Missing(path)) => return Err(MountError::NotMounted(path)),
        resolved => resolved?,
    };
    let Some(mount) = top_at(&resolved)?.filter(|mount| mount.kind == TYPE) else {
        return Err(MountError::NotMounted(path.to_owned()));
    };
    let ours = rustix::process::geteuid().as_raw();
    if device::unmount_if_free(&mount)? {
        return Ok(false);
    }
    let detached = device::unmount(&mount).map(|()| true);
    detached.map_err(|error| match (error, mount.user) {
        // fusermount3 reports that there is no such mount.
        (MountError::Helper(_), Some(user)) if user != ours => MountError::OfAnotherUser {
            path: path.to_owned(),
            user,
        },
        (error, _) => error,
    })
}

/// The device number of the pgnfs at `path` and the user who mounted it.
///
/// # Errors
/// If there is no mount.
pub fn find(path: &Path) -> Result<(u64, u32), MountError> {
    let resolved = match resolve(path) {
        Err(MountError::Missing(path)) => return Err(MountError::NotMounted(path)),
        resolved => resolved?,
    };
    match top_at(&resolved)? {
        Some(Mount {
            kind,
            device,
            user: Some(user),
            ..
        }) if kind == TYPE => Ok((device.0, user)),
        _ => Err(MountError::NotMounted(path.to_owned())),
    }
}

/// The mount points and sources of the mounts of pgnfs that show files of a device, or of another file system that is
/// mounted at `path`. `None` if `path` is neither.
///
/// # Errors
/// If the table of mounts cannot be read.
pub fn showing(path: &Path) -> Result<Option<Vec<(PathBuf, PathBuf)>>, MountError> {
    let Ok(resolved) = resolve(path) else {
        return Ok(None);
    };
    let mounts = Mounts::read().map_err(MountError::system("cannot read the table of mounts"))?;
    let device = metadata(&resolved)
        .ok()
        .filter(|meta| meta.file_type().is_block_device());
    let device = device.map(|meta| Device(meta.rdev()));
    let there = mounts.top_at(&resolved).filter(|mount| mount.kind != TYPE);
    if device.is_none() && there.is_none() {
        return Ok(None);
    }
    let is_same = |mount: &Mount| match there {
        Some(there) => mount.device == there.device,
        // Some file systems have a device number other than their disk's.
        None => Some(mount.device) == device || *mount.source == *resolved.as_os_str(),
    };
    let shown = mounts
        .showing(is_same)
        .map(|mount| (mount.path.clone(), PathBuf::from(&mount.source)));
    Ok(Some(shown.collect()))
}

/// Checks that the daemon of the pgnfs at `path` is alive. Waits while it is stopped.
///
/// # Errors
/// If the daemon died.
pub fn check_alive(path: &Path) -> Result<(), MountError> {
    if is_dead(&resolve(path)?) {
        Err(MountError::Died(path.to_owned()))
    } else {
        Ok(())
    }
}

/// Checks the folder that is held open. `path` led to it; `resolved` is the same path without links.
fn check_folder(path: &Path, folder: &Held, resolved: &Path, source: &Path) -> Result<(), MountError> {
    if let Ok(from) = real_path(source)?
        && (from.starts_with(resolved) || resolved.starts_with(&from))
    {
        return Err(MountError::Overlap {
            source: source.to_owned(),
            path: path.to_owned(),
        });
    }
    let closed = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => MountError::ClosedFolder(path.to_owned()),
        _ => MountError::At(path.to_owned(), error),
    };
    match fs::read_dir(folder.path()).map_err(closed)?.next() {
        Some(_) => Err(MountError::NotEmpty(path.to_owned())),
        None => Ok(()),
    }
}

/// The real path of a source; the part of it that does not exist is used as written, because the source may appear
/// later.
fn real_path(source: &Path) -> Result<io::Result<PathBuf>, MountError> {
    let absolute = match std::path::absolute(source) {
        Ok(absolute) => absolute,
        Err(error) => return Ok(Err(error)),
    };
    let mounts = Mounts::read_or_unknown();
    for above in absolute.ancestors() {
        let real =
            hung::real_path(&mounts, above).map_err(|hung| MountError::Hung(source.to_owned(), hung))?;
        let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
        match real {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            real => return Ok(real.map(|real| real.join(rest))),
        }
    }
    Ok(Ok(absolute))
}

/// The path without links. Its last component may be a mount, even one that cannot be accessed.
fn resolve(path: &Path) -> Result<PathBuf, MountError> {
    // No request is sent to a mount in the table, because its program may be stopped.
    let absolute = std::path::absolute(path).map_err(MountError::at(path))?;
    if let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name())
        && let Ok(parent) = fs::canonicalize(parent)
        && top_at(&parent.join(name))?.is_some_and(|mount| mount.kind == TYPE)
    {
        return Ok(parent.join(name));
    }
    let error = match fs::canonicalize(path) {
        Ok(resolved) => return Ok(resolved),
        Err(error) => error,
    };
    match (error.kind(), absolute.parent(), absolute.file_name()) {
        (io::ErrorKind::NotFound, ..) => Err(MountError::Missing(path.to_owned())),
        (_, Some(parent), Some(name)) => {
            let parent = fs::canonicalize(parent).map_err(MountError::at(path))?;
            Ok(parent.join(name))
        }
        _ => Err(MountError::At(path.to_owned(), error)),
    }
}

/// True for a FUSE file system whose program died ("Transport endpoint is not connected"). Uses `statfs`,
/// because `stat` may be answered from the kernel's cache.
pub(super) fn is_dead(path: &Path) -> bool {
    matches!(rustix::fs::statfs(path), Err(Errno::NOTCONN | Errno::CONNABORTED))
}

pub(super) fn top_at(path: &Path) -> Result<Option<Mount>, MountError> {
    let mounts = Mounts::read().map_err(MountError::system("cannot read the table of mounts"))?;
    Ok(mounts.top_at(path).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_does_not_exist_yet_is_not_below_the_mount_point() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("m")).unwrap();
        std::os::unix::fs::symlink("m", at("link")).unwrap();
        for (source, is_below) in [
            ("m", true),
            ("m/none", true),
            ("m/none/deeper", true),
            ("link/none", true),
            ("none", false),
            ("none/m", false),
            ("m2", false),
        ] {
            // Elsewhere the check may fail later, for lack of FUSE.
            let checked = MountPoint::check(&at("m"), &at(source));
            let is_overlap = matches!(checked, Err(MountError::Overlap { .. }));
            assert_eq!(is_overlap, is_below, "{source}");
        }
    }
}
