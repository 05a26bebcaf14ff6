//! Giving up privileges of root.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};

use super::error::MountError;

/// The privileges that are needed until the end: unmounting, and accessing folders and files of other users.
const KEPT: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::DAC_READ_SEARCH);

/// Gives up all privileges of root except [`KEPT`], for this thread and the threads that it starts. Other users have
/// no privileges and unmount with `fusermount3`.
pub(super) fn give_up() -> Result<(), MountError> {
    if rustix::process::geteuid().is_root() {
        keep(KEPT).map_err(MountError::system("cannot give up privileges"))
    } else {
        Ok(())
    }
}

/// Gives up all privileges of root except reading files of other users, for this thread and the threads that it
/// starts.
///
/// # Errors
/// If the kernel refuses.
pub fn give_up_to_read() -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        keep(CapabilitySet::DAC_READ_SEARCH)
    } else {
        Ok(())
    }
}

fn keep(kept: CapabilitySet) -> io::Result<()> {
    set_no_new_privs(true)?;
    let kept = kept & capabilities(None)?.permitted;
    let sets = CapabilitySets {
        effective: kept,
        permitted: kept,
        inheritable: CapabilitySet::empty(),
    };
    Ok(set_capabilities(None, sets)?)
}
