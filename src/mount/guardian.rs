//! The guardian: a small process that takes the mount away after its daemon was killed.

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

/// The daemon's end of a pipe. The guardian goes to work when the kernel closes it at the end of the daemon: not
/// earlier, as a mount is not dead while threads of the daemon answer.
pub(super) struct Guardian(ManuallyDrop<ChildStdin>);

impl Guardian {
    /// Ends the guardian without any access to the mount point: an access would keep a new mount in the same place
    /// from being unmounted.
    pub(super) fn dismiss(mut self) {
        // If it is already gone, there is nothing to do.
        let _ = self.0.write_all(b"-");
    }
}

/// Starts the guardian of a mount that is to come.
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

/// Waits for the end of the daemon at the other end of standard input and then unmounts the dead mount that it left at
/// `path`, unless the daemon has said that nothing is left. A mount that answers is another daemon's by now, even if it
/// has the same device number.
///
/// # Errors
/// Where unmounting fails.
pub fn guard(path: &Path) -> Result<(), MountError> {
    // What ends the daemon's terminal or group must not end this process first.
    let _ = rustix::process::setsid();
    privileges::give_up()?;
    background::detach();
    match io::stdin().read(&mut [0]) {
        Ok(1) => Ok(()),
        _ => MountPoint::at(path).detach_dead(),
    }
}
