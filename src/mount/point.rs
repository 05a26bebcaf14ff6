//! The mount point.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::device;
use super::error::MountError;
use crate::hung;
use crate::mounts::{Device, Mount, Mounts, TYPE};

/// A folder to mount on.
#[derive(Clone, Debug)]
pub struct MountPoint {
    path: PathBuf,
}

impl MountPoint {
    /// Checks that `path` is an empty folder and that neither it nor `source` contains the other. Unmounts a dead
    /// pgnfs there.
    ///
    /// # Errors
    /// If a check fails, with the reason.
    pub fn check(path: &Path, source: &Path) -> Result<MountPoint, MountError> {
        let resolved = resolve(path)?;
        let mount = top_at(&resolved)?.filter(|mount| mount.kind == TYPE);
        match (mount, is_dead(&resolved)) {
            (Some(_), true) => {
                log::warn!(
                    "{} is unmounted first: the program that served it died",
                    path.display()
                );
                device::unmount(&resolved)?;
                return MountPoint::check(path, source);
            }
            (Some(mount), false) => {
                return Err(MountError::AlreadyMounted {
                    path: path.to_owned(),
                    source: mount.source.into(),
                });
            }
            (None, true) => return Err(MountError::Dead(path.to_owned())),
            (None, false) => check_folder(path, &resolved, source)?,
        }
        device::check()?;
        Ok(MountPoint { path: resolved })
    }

    /// The folder at an absolute path without links, without any check.
    pub(super) fn at(path: &Path) -> MountPoint {
        MountPoint {
            path: path.to_owned(),
        }
    }

    /// The path of the folder, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The device number of the pgnfs that is mounted here. Sends no request to the mount.
    ///
    /// # Errors
    /// If no pgnfs is mounted here.
    pub(super) fn device(&self) -> Result<Device, MountError> {
        let mount = top_at(&self.path)?.filter(|mount| mount.kind == TYPE);
        let mount = mount.ok_or_else(|| MountError::NotMounted(self.path.clone()))?;
        Ok(mount.device)
    }

    /// Unmounts the mount with this device number, unless another one covers it.
    pub(super) fn detach(&self, device: Device) -> Result<(), MountError> {
        match top_at(&self.path)? {
            Some(mount) if mount.device == device => device::unmount(&self.path),
            Some(_) => Err(MountError::Covered(self.path.clone())),
            None => Ok(()),
        }
    }

    /// True if no visible mount here has this device number: it was unmounted.
    pub(super) fn is_free_of(&self, device: Device) -> bool {
        top_at(&self.path).is_ok_and(|mount| mount.is_none_or(|mount| mount.device != device))
    }

    /// Unmounts a mount whose daemon is gone.
    pub(super) fn detach_dead(&self) -> Result<(), MountError> {
        match top_at(&self.path)? {
            Some(mount) if mount.kind == TYPE && is_dead(&self.path) => device::unmount(&self.path),
            _ => Ok(()),
        }
    }
}

/// Unmounts the pgnfs at `path`, even if it is dead. Returns true if files of it are still open: its program ends when
/// they are closed.
///
/// # Errors
/// If there is none, or the user is not permitted to unmount it.
pub fn unmount(path: &Path) -> Result<bool, MountError> {
    let resolved = match resolve(path) {
        Err(MountError::Missing(path)) => return Err(MountError::NotMounted(path)),
        resolved => resolved?,
    };
    let Some(mount) = top_at(&resolved)?.filter(|mount| mount.kind == TYPE) else {
        return Err(MountError::NotMounted(path.to_owned()));
    };
    let ours = rustix::process::geteuid().as_raw();
    if device::unmount_if_free(&resolved)? {
        return Ok(false);
    }
    let detached = device::unmount(&resolved).map(|()| true);
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
/// If there is none.
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

/// Checks that the daemon of the pgnfs at `path` is alive. Waits for one that is stopped.
///
/// # Errors
/// If the daemon died.
pub fn check_alive(path: &Path) -> Result<(), MountError> {
    match is_dead(&resolve(path)?) {
        true => Err(MountError::Died(path.to_owned())),
        false => Ok(()),
    }
}

fn check_folder(path: &Path, resolved: &Path, source: &Path) -> Result<(), MountError> {
    if !fs::metadata(path).map_err(MountError::at(path))?.is_dir() {
        return Err(MountError::NotAFolder(path.to_owned()));
    }
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
    match fs::read_dir(path).map_err(closed)?.next() {
        Some(_) => Err(MountError::NotEmpty(path.to_owned())),
        None => Ok(()),
    }
}

/// The real path of a source, as far as it exists.
fn real_path(source: &Path) -> Result<io::Result<PathBuf>, MountError> {
    let absolute = match std::path::absolute(source) {
        Ok(absolute) => absolute,
        Err(error) => return Ok(Err(error)),
    };
    hung::real_path(&Mounts::read_or_unknown(), &absolute)
        .map_err(|hung| MountError::Hung(source.to_owned(), hung))
}

/// The path without links. Its last component may be a mount that this user, or no user, can access.
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
fn is_dead(path: &Path) -> bool {
    matches!(rustix::fs::statfs(path), Err(Errno::NOTCONN | Errno::CONNABORTED))
}

fn top_at(path: &Path) -> Result<Option<Mount>, MountError> {
    let mounts = Mounts::read().map_err(MountError::system("cannot read the table of mounts"))?;
    Ok(mounts.top_at(path).cloned())
}
