//! Paths of the sockets, which are named after the device numbers of the mounts. Each mount has its own number.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A folder where all users may create folders.
const SHARED: &str = "/tmp";

/// Possible paths of the socket of a user's mount, the preferred one first.
pub(super) fn paths(device: u64, user: u32) -> Vec<PathBuf> {
    let given = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    // Relative paths are ignored: they would lead to another folder once the program is in the background.
    let given = given.filter(|path| path.is_absolute() && rustix::process::geteuid().as_raw() == user);
    let folders = given
        .into_iter()
        .chain([format!("/run/user/{user}").into()])
        .chain((user == 0).then(|| "/run".into()))
        .map(|runtime| runtime.join("pgnfs"));
    let shared = Path::new(SHARED).join(format!("pgnfs-{user}"));
    let name = format!("{device:x}.socket");
    folders.chain([shared]).map(|folder| folder.join(&name)).collect()
}

/// Creates the folder of a socket with access for this user only.
///
/// # Errors
/// If it cannot be created, or exists and another user has access to it.
pub(super) fn make_folder(socket: &Path, user: u32) -> io::Result<()> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let above = folder.parent().unwrap_or(Path::new("/"));
    if above.as_os_str() != OsStr::new(SHARED) && fs::metadata(above)?.uid() != user {
        return Err(denied(format!("{} belongs to another user", above.display())));
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => check_folder(socket, user),
    }
}

/// Checks that only `user` can have put a socket here.
///
/// # Errors
/// If other users have access to the folder, or it does not exist.
pub(super) fn check_folder(socket: &Path, user: u32) -> io::Result<()> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        Ok(())
    } else {
        let folder = folder.display();
        Err(denied(format!(
            "{folder} is not a folder of user {user} alone: remove it, or set XDG_RUNTIME_DIR, and mount again"
        )))
    }
}

fn denied(why: String) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_that_others_can_reach_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let user = fs::metadata(scratch.path()).unwrap().uid();
        let socket = scratch.path().join("pgnfs/1.socket");
        make_folder(&socket, user).unwrap();
        make_folder(&socket, user).unwrap();
        let folder = socket.parent().unwrap();
        assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700);
        assert!(make_folder(&socket, user + 1).is_err());
        assert!(check_folder(&socket, user + 1).is_err());

        let link = scratch.path().join("link");
        symlink(folder, &link).unwrap();
        assert!(check_folder(&link.join("1.socket"), user).is_err());
        fs::set_permissions(folder, PermissionsExt::from_mode(0o770)).unwrap();
        assert!(check_folder(&socket, user).is_err());
    }

    #[test]
    fn the_folder_of_another_user_is_not_this_users_own() {
        let other = paths(0x2a, rustix::process::geteuid().as_raw() + 1000);
        assert_eq!(other.len(), 2, "{other:?}");
        assert!(other.iter().all(|path| path.ends_with("2a.socket")), "{other:?}");
    }
}
