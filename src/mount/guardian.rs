//! The guardian: a small process that takes the mount away after its daemon was killed.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use super::background::{self, STAGE};
use super::error::MountError;
use super::point::MountPoint;
use super::privileges;

/// Name of the hidden command that [`guard`] is behind.
pub const COMMAND: &str = "guardian";

/// Starts the guardian of a mount that is to come, and gives the daemon's end of a pipe. The guardian goes to work
/// when it closes, however the daemon ends.
pub(super) fn start(point: &MountPoint) -> io::Result<ChildStdin> {
    let mut child = Command::new("/proc/self/exe")
        .arg0("pgnfs")
        .arg(COMMAND)
        .arg(point.path())
        .env_remove(STAGE)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// Waits for the end of the daemon at the other end of standard input, then unmounts what it left at `path`: a
/// dead mount. One that answers is another daemon's by now, even if it has the same device number.
///
/// # Errors
/// Where unmounting fails.
pub fn guard(path: &Path) -> Result<(), MountError> {
    // What ends the daemon's terminal or group must not end this process first.
    let _ = rustix::process::setsid();
    privileges::give_up()?;
    background::detach();
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    MountPoint::at(path).detach_dead()
}
