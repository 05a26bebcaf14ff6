//! The guardian: a small process that unmounts after the daemon was killed.

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use super::background::{self, STAGE};
use super::ended::{self, MountIdentity};
use super::error::MountError;
use super::privileges;
use super::signals;
use chessdb_library::mounts::Device;

/// Name of the hidden command that runs [`guard`].
pub const COMMAND: &str = "guardian";

/// The daemon's end of a pipe. The kernel closes it when the daemon has ended completely, which starts the
/// guardian's work. It must not be closed earlier, because the mount is alive while any thread of the daemon
/// answers.
pub(super) struct Guardian(ManuallyDrop<ChildStdin>);

impl Guardian {
    /// Sends the numbers of the mount to the guardian. They do not change, but the path may lead elsewhere later.
    pub(super) fn watch(&mut self, mount: MountIdentity) {
        let numbers = [mount.id, mount.device.0].map(u64::to_ne_bytes);
        // Fails if the guardian has already ended.
        let _ = self.0.write_all(numbers.as_flattened());
    }

    /// Ends the guardian without any access to the mount, which could prevent a new mount in the same
    /// place from being unmounted.
    pub(super) fn dismiss(mut self) {
        let _ = self.0.write_all(b"-");
    }
}

/// Starts the guardian before the mount exists.
pub(super) fn start(point: &Path) -> io::Result<Guardian> {
    let mut child = Command::new("/proc/self/exe")
        .arg0("pgnfs")
        .arg(COMMAND)
        .arg(point)
        .env_remove(STAGE)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Guardian(ManuallyDrop::new(pipe)))
}

/// Waits until the daemon ends, which closes the other end of standard input. Then unmounts the daemon's dead mount,
/// unless the daemon reported that it had unmounted. A mount that answers belongs to another daemon, even if it has the
/// same device number. `point` is used if the daemon ended before it sent the numbers of the mount.
///
/// # Errors
/// If unmounting fails.
pub fn guard(point: &Path) -> Result<(), MountError> {
    // A new session, so that signals to the daemon's terminal or process group do not end this process first.
    let _ = rustix::process::setsid();
    // A signal to all processes of the program, such as from `pkill`, is meant for the daemon.
    let _ = signals::ignore_others();
    privileges::give_up()?;
    background::detach();
    let mut daemon = io::stdin();
    let mut numbers = [[0; 8]; 2];
    if daemon.read_exact(numbers.as_flattened_mut()).is_err() {
        return ended::detach_dead_at(point);
    }
    let [id, device] = numbers.map(u64::from_ne_bytes);
    let device = Device(device);
    match daemon.read(&mut [0]) {
        Ok(1) => Ok(()),
        _ => ended::detach_dead(MountIdentity { id, device }),
    }
}
