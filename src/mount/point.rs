//! The folder to mount on.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::device;
use super::error::MountError;
use super::table::{self, Device, TYPE};

/// A folder on which one can mount.
#[derive(Clone, Debug)]
pub struct MountPoint {
    path: PathBuf,
}

impl MountPoint {
    /// Checks that `path` is an empty folder apart from `source`.
    ///
    /// What a pgnfs left there that was killed is unmounted.
    ///
    /// # Errors
    /// Where it is not, with the reason.
    pub fn check(path: &Path, source: &Path) -> Result<MountPoint, MountError> {
        let resolved = resolve(path)?;
        let mount =
            table::top_at(&resolved).map_err(MountError::system("cannot read the table of mounts"))?;
        let ours = mount.filter(|mount| mount.kind == TYPE);
        match (fs::metadata(path), ours) {
            (Err(error), Some(_)) if is_dead(&error) => {
                log::warn!("{} is unmounted: its pgnfs died", path.display());
                device::unmount(&resolved)?;
                return MountPoint::check(path, source);
            }
            (Err(error), None) if is_dead(&error) => Err(MountError::Dead(path.to_owned())),
            (_, Some(mount)) => Err(MountError::AlreadyMounted {
                path: path.to_owned(),
                source: mount.source.into(),
            }),
            (Err(error), None) => Err(MountError::At(path.to_owned(), error)),
            (Ok(metadata), None) => check_folder(path, &resolved, source, &metadata),
        }?;
        device::check()?;
        Ok(MountPoint { path: resolved })
    }

    /// The folder at an absolute path without links, unchecked.
    pub(super) fn at(path: &Path) -> MountPoint {
        MountPoint {
            path: path.to_owned(),
        }
    }

    /// The folder, without links in its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Unmounts what has the device number `device`, unless something else was mounted above.
    pub(super) fn detach(&self, device: Device) -> Result<(), MountError> {
        match table::top_at(&self.path).map_err(MountError::system("cannot read the table of mounts"))? {
            Some(mount) if mount.device == device => self.detach_top(),
            Some(mount) if mount.kind != TYPE => Err(MountError::Covered(self.path.clone())),
            _ => Ok(()),
        }
    }

    /// Unmounts whatever was mounted last.
    pub(super) fn detach_top(&self) -> Result<(), MountError> {
        device::unmount(&self.path)
    }
}

/// Unmounts the pgnfs at `path`, a dead one too.
///
/// # Errors
/// Where there is none, or the user may not.
pub fn unmount(path: &Path) -> Result<(), MountError> {
    let resolved = resolve(path)?;
    let mount = table::top_at(&resolved).map_err(MountError::system("cannot read the table of mounts"))?;
    match mount.filter(|mount| mount.kind == TYPE) {
        Some(_) => device::unmount(&resolved),
        None => Err(MountError::NotMounted(path.to_owned())),
    }
}

fn check_folder(path: &Path, resolved: &Path, source: &Path, metadata: &Metadata) -> Result<(), MountError> {
    if !metadata.is_dir() {
        return Err(MountError::NotAFolder(path.to_owned()));
    }
    if let Ok(from) = fs::canonicalize(source)
        && (from.starts_with(resolved) || resolved.starts_with(&from))
    {
        return Err(MountError::Overlap {
            source: source.to_owned(),
            path: path.to_owned(),
        });
    }
    match fs::read_dir(path).map_err(MountError::at(path))?.next() {
        Some(_) => Err(MountError::NotEmpty(path.to_owned())),
        None => Ok(()),
    }
}

/// The path without links. The last part may be a mount that nobody, or not this user, can look at.
fn resolve(path: &Path) -> Result<PathBuf, MountError> {
    let error = match fs::canonicalize(path) {
        Ok(resolved) => return Ok(resolved),
        Err(error) => error,
    };
    let absolute = std::path::absolute(path).map_err(MountError::at(path))?;
    match (error.kind(), absolute.parent(), absolute.file_name()) {
        (io::ErrorKind::NotFound, ..) => Err(MountError::Missing(path.to_owned())),
        (_, Some(parent), Some(name)) => {
            let parent = fs::canonicalize(parent).map_err(MountError::at(path))?;
            Ok(parent.join(name))
        }
        _ => Err(MountError::At(path.to_owned(), error)),
    }
}

/// "Transport endpoint is not connected": a FUSE file system without its program.
fn is_dead(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOTCONN.raw_os_error())
}
