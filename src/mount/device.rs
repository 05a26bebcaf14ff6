//! mount(2) and umount(2), or `fusermount3` for users without the privilege.

use std::ffi::{CString, OsString};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::{Errno, FdFlags};
use rustix::mount::{MountFlags, UnmountFlags};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
};

use super::background::STAGE;
use super::ended;
use super::error::MountError;
use super::held::HeldMount;
use super::point::MountPoint;
use crate::fuse::Presentation;
use chessdb_library::mounts::{Mount, Mounts, TYPE};

const DEVICE: &str = "/dev/fuse";
const HELPER: &str = "fusermount3";

/// Options of a mount.
#[derive(Clone, Debug)]
pub struct MountOptions {
    /// The source as shown in the kernel's table of mounts.
    pub source: PathBuf,
    /// Owner and permissions of the files.
    pub presentation: Presentation,
    /// True if other users may access the mount.
    pub allow_other: bool,
    /// True if the kernel enforces the permissions of files for all users.
    pub default_permissions: bool,
    /// Number of threads that read requests.
    pub threads: usize,
    /// Number of threads that decode in the background.
    pub decoders: usize,
}

/// Checks that the kernel offers FUSE to this user.
pub fn check() -> Result<(), MountError> {
    match rustix::fs::access(DEVICE, Access::READ_OK | Access::WRITE_OK) {
        Ok(()) => Ok(()),
        Err(Errno::NOENT) => Err(MountError::NoDevice),
        Err(Errno::ACCESS) => Err(MountError::ClosedDevice),
        Err(error) => Err(MountError::At(DEVICE.into(), error.into())),
    }
}

/// Mounts on the folder that was checked. Returns the connection to the kernel and the mount.
///
/// # Errors
/// If it cannot be mounted, or the path of the mount point leads elsewhere by now. In the latter case, the new mount is
/// unmounted again.
pub fn mount(point: &MountPoint, options: &MountOptions) -> Result<(OwnedFd, Mount), MountError> {
    let before = mounts()?;
    point.check_place()?;
    let kernel = match mount_directly(&point.folder(), options) {
        Err(MountError::At(_, error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            mount_with_helper(point, options)?
        }
        Err(MountError::At(_, error)) => return Err(MountError::At(point.path().to_owned(), error)),
        mounted => mounted?,
    };
    match point.mounted() {
        Ok(mount) => Ok((kernel, mount)),
        Err(error) => {
            // Closing the connection makes the mount dead, which distinguishes it from other mounts of this user.
            drop(kernel);
            ended::detach_new_dead(&before)?;
            Err(error)
        }
    }
}

/// The kernel's table of mounts.
pub(super) fn mounts() -> Result<Mounts, MountError> {
    Mounts::read().map_err(MountError::system("cannot read the table of mounts"))
}

/// Unmounts unless a file of the mount is open or a process has one of its directories as current directory. Returns
/// false if it was not unmounted for this reason, or because this user may not.
pub fn unmount_if_free(mount: &Mount) -> Result<bool, MountError> {
    let held = HeldMount::open(mount)?;
    match rustix::mount::unmount(held.path(), UnmountFlags::NOFOLLOW) {
        Ok(()) => Ok(true),
        Err(Errno::PERM) => {
            let mut helper = helper();
            helper.args(["-u", "--"]).arg(&mount.path);
            Ok(finish(helper.output().map_err(no_helper)?).is_ok())
        }
        Err(Errno::BUSY) => Ok(false),
        Err(error) => Err(MountError::At(mount.path.clone(), error.into())),
    }
}

/// Detaches the mount from its path at once. It ends when its last file is closed.
pub fn unmount(mount: &Mount) -> Result<(), MountError> {
    let held = HeldMount::open(mount)?;
    match rustix::mount::unmount(held.path(), UnmountFlags::DETACH | UnmountFlags::NOFOLLOW) {
        Ok(()) => Ok(()),
        Err(Errno::PERM) => {
            let mut helper = helper();
            helper.args(["-u", "-z", "--"]).arg(&mount.path);
            finish(helper.output().map_err(no_helper)?)
        }
        Err(error) => Err(MountError::At(mount.path.clone(), error.into())),
    }
}

fn mount_directly(path: &Path, options: &MountOptions) -> Result<OwnedFd, MountError> {
    let kernel = rustix::fs::open(DEVICE, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| MountError::At(DEVICE.into(), error.into()))?;
    let mut data = format!(
        "fd={},rootmode=40000,user_id={},group_id={}",
        kernel.as_raw_fd(),
        rustix::process::geteuid(),
        rustix::process::getegid()
    );
    for flag in shared_options(options) {
        data.push(',');
        data.push_str(flag);
    }
    let data = CString::new(data).map_err(MountError::system("bad options"))?;
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount(&options.source, path, TYPE, flags, data.as_c_str())
        .map_err(|error| MountError::At(path.to_owned(), error.into()))?;
    Ok(kernel)
}

/// Options that the kernel and `fusermount3` share.
fn shared_options(options: &MountOptions) -> impl Iterator<Item = &'static str> {
    let rows = [
        ("allow_other", options.allow_other),
        ("default_permissions", options.default_permissions),
    ];
    rows.into_iter().filter_map(|(name, on)| on.then_some(name))
}

/// Mounts with `fusermount3`, which sends the connection through the socket in `_FUSE_COMMFD`. It is started in the
/// folder of the mount point, so that the path is not resolved again and cannot lead elsewhere.
fn mount_with_helper(point: &MountPoint, options: &MountOptions) -> Result<OwnedFd, MountError> {
    let socket = |flags| {
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)
            .map_err(MountError::system("cannot make a socket"))
    };
    let (ours, theirs) = socket(SocketFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&theirs, FdFlags::empty())
        .map_err(MountError::system("cannot share a socket"))?;
    let mut list = OsString::from("ro,nosuid,nodev,subtype=pgnfs,fsname=");
    list.push(escaped(&options.source));
    for flag in shared_options(options) {
        list.push(",");
        list.push(flag);
    }
    let child = helper()
        .arg("-o")
        .arg(list)
        .args(["--", "."])
        .current_dir(point.folder())
        .env("_FUSE_COMMFD", theirs.as_raw_fd().to_string())
        .spawn()
        .map_err(no_helper)?;
    drop(theirs);
    let received = receive(&ours);
    drop(ours);
    finish(child.wait_with_output().map_err(no_helper)?).map_err(|error| {
        match rustix::fs::access(point.folder(), Access::WRITE_OK) {
            Err(Errno::ACCESS) => MountError::ClosedFolder(point.path().to_owned()),
            _ => error,
        }
    })?;
    received
        .map_err(MountError::system("fusermount3 sent no connection"))?
        .ok_or_else(|| MountError::Helper("fusermount3 sent no connection".to_owned()))
}

fn helper() -> Command {
    let mut command = Command::new(HELPER);
    command
        .env_remove(STAGE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn no_helper(error: io::Error) -> MountError {
    match error.kind() {
        io::ErrorKind::NotFound => MountError::NoHelper,
        _ => MountError::System("cannot run fusermount3", error),
    }
}

fn finish(output: Output) -> Result<(), MountError> {
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(MountError::Helper(match message.trim() {
        "" => format!("fusermount3 failed: {}", output.status),
        message => message.to_owned(),
    }))
}

/// Escapes commas, which separate options of `fusermount3`.
fn escaped(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    let escape = |&c: &u8| matches!(c, b',' | b'\\').then_some(b'\\').into_iter().chain([c]);
    OsString::from_vec(bytes.iter().flat_map(escape).collect())
}

/// Receives a descriptor.
fn receive(socket: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(
            socket,
            &mut [IoSliceMut::new(&mut byte)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok(descriptors.flatten().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_do_not_end_the_source() {
        assert_eq!(escaped(Path::new(r"/a,b\c d")), r"/a\,b\\c d");
    }
}
