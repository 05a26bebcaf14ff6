//! Invalidating the kernel's caches.

use std::ffi::OsStr;
use std::io;

use fuser::{INodeNo, Notifier};

use pgnfs_server::Outdated;

/// Drops everything outdated from the kernel's caches. Entries and inodes that the kernel does not know are
/// ignored.
///
/// The kernel waits for pending requests, so a thread that answers requests must not call this.
///
/// # Errors
/// If the connection is closed.
pub fn invalidate(notifier: &Notifier, outdated: &[Outdated]) -> io::Result<()> {
    for Outdated { inode, names } in outdated {
        let inode = INodeNo(inode.0);
        for name in names {
            unless_disconnected(notifier.inval_entry(inode, OsStr::new(name)))?;
        }
        // Drops the attributes, and the bytes of a file or the listing of a directory.
        unless_disconnected(notifier.inval_inode(inode, 0, 0))?;
    }
    Ok(())
}

/// Logs an error, and returns it only if the connection is closed.
fn unless_disconnected(result: io::Result<()>) -> io::Result<()> {
    let Err(error) = result else { return Ok(()) };
    match error.raw_os_error() {
        Some(libc::ENODEV | libc::ENOTCONN | libc::EBADF) => Err(error),
        _ => {
            log::warn!(
                "cannot drop outdated entries from the kernel's caches: {error}; it may show the old state for a while"
            );
            Ok(())
        }
    }
}
