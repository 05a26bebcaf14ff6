//! The guardian: a small process that unmounts after the daemon was killed.

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use super::background::{self, STAGE};
use super::error::MountError;
use super::point::MountPoint;
use super::privileges;

/// Name of the hidden command that runs [`guard`].
pub const COMMAND: &str = "guardian";

/// The daemon's end of a pipe. The kernel closes it when the daemon has ended completely, which starts the
/// guardian's work. It must not be closed earlier, because the mount is alive while any thread of the daemon
/// answers.
pub(super) struct Guardian(ManuallyDrop<ChildStdin>);

impl Guardian {
    /// Ends the guardian without any access to the mount point, which could prevent a new mount in the same
    /// place from being unmounted.
    pub(super) fn dismiss(mut self) {
        // Fails if the guardian is already gone.
        let _ = self.0.write_all(b"-");
    }
}

/// Starts the guardian before the mount exists.
pub(super) fn start(point: &MountPoint) -> io::Result<Guardian> {
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
    let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Guardian(ManuallyDrop::new(pipe)))
}

/// Waits for the end of the daemon at the other end of standard input. Then unmounts the dead mount at
/// `path`, unless the daemon reported that it had unmounted. A mount that answers belongs to another daemon,
/// even if it has the same device number.
///
/// # Errors
/// If unmounting fails.
/// Where unmounting fails.
pub fn guard(path: &Path) -> Result<(), MountError> {
    // A new session, so that signals to the daemon's terminal or process group do not end this process first.
    let _ = rustix::process::setsid();
    privileges::give_up()?;
    background::detach();
    match io::stdin().read(&mut [0]) {
        Ok(1) => Ok(()),
        _ => MountPoint::at(path).detach_dead(),
    }
}
