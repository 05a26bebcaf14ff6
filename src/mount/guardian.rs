//! The guardian: a small process that takes the mount away after its daemon was killed.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use super::background::STAGE;
use super::error::MountError;
use super::point::MountPoint;
use super::table::Device;

/// Name of the hidden command that [`guard`] is behind.
pub const COMMAND: &str = "guardian";

/// The daemon's end of the pipe. The guardian goes to work when it closes, however the daemon ends.
pub(super) struct Guardian(ChildStdin);

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
    Ok(Guardian(pipe))
}

impl Guardian {
    /// Tells which mount it is.
    pub(super) fn know(&mut self, device: Device) -> io::Result<()> {
        self.0.write_all(device.to_string().as_bytes())
    }
}

/// Waits for the end of the daemon at the other end of standard input, then unmounts what it left at `path`: the
/// mount that it named and no other, or a dead one where it came to no name.
///
/// # Errors
/// Where unmounting fails.
pub fn guard(path: &Path) -> Result<(), MountError> {
    // What ends the daemon's terminal or group must not end this process first.
    let _ = rustix::process::setsid();
    let mut device = String::new();
    let _ = io::stdin().read_to_string(&mut device);
    let point = MountPoint::at(path);
    match device.parse() {
        Ok(device) => point.detach(device),
        Err(()) => point.detach_dead(),
    }
}
