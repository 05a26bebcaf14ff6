//! The guardian: a small process that takes the mount away after its daemon was killed.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use super::background::STAGE;
use super::error::MountError;
use super::point::MountPoint;
use super::table::Device;

/// Name of the hidden command that [`guard`] is behind.
pub const COMMAND: &str = "guardian";

/// Starts the guardian of a mount. It goes to work when the pipe closes, however this process ends.
pub(super) fn start(point: &MountPoint, device: Device) -> io::Result<ChildStdin> {
    let mut child = Command::new("/proc/self/exe")
        .arg0("pgnfs")
        .args([COMMAND, &device.to_string()])
        .arg(point.path())
        .env_remove(STAGE)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// Waits for the end of the daemon at the other end of standard input, then unmounts what it left at `path`: the
/// mount with the device number `device` and no other.
///
/// # Errors
/// Where `device` is none, or unmounting fails.
pub fn guard(device: &str, path: &Path) -> Result<(), MountError> {
    let device: Device = device
        .parse()
        .map_err(|()| MountError::NotMounted(path.to_owned()))?;
    // What ends the daemon's terminal or group must not end this process first.
    let _ = rustix::process::setsid();
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    MountPoint::at(path).detach(device)
}
