//! Ending a mount that is identified by its numbers, because its path may lead elsewhere by now.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::device;
use super::error::MountError;
use super::point::is_dead;
use chessdb_library::mounts::{Device, Mount, Mounts};

/// Pause between two reads of the table of mounts.
const PAUSE: Duration = Duration::from_millis(200);

/// Number of attempts to unmount a mount whose path changes meanwhile, and the pause between attempts.
const MOST_TRIES: usize = 50;
const PAUSE_OF_TRIES: Duration = Duration::from_millis(10);

/// The numbers of a mount of this process or, for the guardian, of its daemon. Once the mount has ended, the kernel may
/// reuse them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MountIdentity {
    pub(super) id: u64,
    pub(super) device: Device,
}

impl MountIdentity {
    pub(super) fn of(mount: &Mount) -> MountIdentity {
        MountIdentity {
            id: mount.id,
            device: mount.device,
        }
    }

    fn find(self, mounts: &Mounts) -> Option<&Mount> {
        let mut mounts = mounts.of_device(self.device);
        mounts.find(|mount| mount.id == self.id)
    }
}

/// Detaches a mount that is being served from its path, unless another mount covers it.
pub(super) fn detach(own: MountIdentity) -> Result<(), MountError> {
    let mounts = device::mounts()?;
    match own.find(&mounts) {
        None => Ok(()),
        Some(mount) if mounts.top_at(&mount.path) == Some(mount) => device::unmount(mount),
        Some(mount) => Err(MountError::Covered(mount.path.clone())),
    }
}

/// Waits until no mount has this device number. Requests may still come after that, for files that are open.
///
/// # Errors
/// If the kernel cannot report changes of its table.
pub(super) fn wait(device: Device) -> io::Result<()> {
    let table = File::open("/proc/self/mountinfo")?;
    while Mounts::read()?.of_device(device).next().is_some() {
        match rustix::event::poll(&mut [PollFd::new(&table, PollFlags::PRI)], None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // Pause, so that the table is not read for each of many changes.
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// True if a mount that is no longer served was unmounted. If its numbers now belong to a mount at another place, that
/// is a different mount.
pub(super) fn is_over(own: &Mount) -> bool {
    device::mounts().is_ok_and(|mounts| MountIdentity::of(own).find(&mounts) != Some(own))
}

/// Unmounts a mount if its daemon has ended. A mount that answers belongs to another daemon.
pub(super) fn detach_dead(own: MountIdentity) -> Result<(), MountError> {
    detach_all_dead(own.find(&device::mounts()?))
}

/// Unmounts the mount of this user at a path if its daemon has ended.
pub(super) fn detach_dead_at(point: &Path) -> Result<(), MountError> {
    detach_all_dead(device::mounts()?.top_at(point).filter(|mount| mount.is_own()))
}

/// Unmounts mounts of this user that are missing in an earlier table and whose daemon has ended. Tries again if their
/// paths lead elsewhere meanwhile.
pub(super) fn detach_new_dead(before: &Mounts) -> Result<(), MountError> {
    let mut detached = Ok(());
    for _ in 0..MOST_TRIES {
        let now = device::mounts()?;
        let mut new = now.since(before).filter(|mount| mount.is_own()).peekable();
        if new.peek().is_none() {
            return Ok(());
        }
        detached = detach_all_dead(new);
        thread::sleep(PAUSE_OF_TRIES);
    }
    detached
}

/// Unmounts those mounts whose daemon has ended.
fn detach_all_dead<'a>(mounts: impl IntoIterator<Item = &'a Mount>) -> Result<(), MountError> {
    let mut dead = mounts.into_iter().filter(|mount| is_dead(&mount.path));
    dead.try_for_each(device::unmount)
}
