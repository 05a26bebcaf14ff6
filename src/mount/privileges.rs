//! What root may do and this program need not.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};

use super::error::MountError;

/// Unmounting, and going through folders and reading files of others.
const KEPT: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::DAC_READ_SEARCH);

/// Gives up all privileges of root but those that are needed to the end, for this thread and all that it starts.
/// Whoever is not root has none, and unmounts with the help of a program that has its own.
pub(super) fn give_up() -> Result<(), MountError> {
    match rustix::process::geteuid().is_root() {
        true => keep(KEPT).map_err(MountError::system("cannot give up privileges")),
        false => Ok(()),
    }
}

/// Gives up all privileges of root in this thread and all that it starts, but that of reading files of others.
///
/// # Errors
/// Where the kernel refuses.
pub fn give_up_to_read() -> io::Result<()> {
    match rustix::process::geteuid().is_root() {
        true => keep(CapabilitySet::DAC_READ_SEARCH),
        false => Ok(()),
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
