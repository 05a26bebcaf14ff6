//! Invalidating the kernel's caches.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;

use fuser::{INodeNo, Notifier};

use crate::fs::{Inode, Outdated};

/// Drops everything outdated from the kernel's caches. Entries and inodes that the kernel does not know are
/// ignored.
///
/// The kernel waits for pending requests, so a thread that answers requests must not call this.
///
/// # Errors
/// If the connection is gone.
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

/// Returns an error only if the connection is gone.
fn unless_disconnected(result: io::Result<()>) -> io::Result<()> {
    let Err(error) = result else { return Ok(()) };
    match error.raw_os_error() {
        Some(libc::ENODEV | libc::ENOTCONN | libc::EBADF) => Err(error),
        _ => {
            log::warn!("the kernel may show for a while what was before: {error}");
            Ok(())
        }
    }
}

/// Drops listings of directories from the kernel's caches, with their attributes. Like [`invalidate`], but for
/// very many directories, without fuser's log of what the kernel does not know.
pub(super) fn drop_listings(kernel: impl AsFd, directories: impl Iterator<Item = Inode>) {
    const NOTIFY_INVAL_INODE: u32 = 2;
    const LEN: u32 = 16 + 24;
    for directory in directories {
        // Length, notification code, request number 0 (8 bytes); inode, offset and length of 8 bytes each.
        let header = [LEN, NOTIFY_INVAL_INODE, 0, 0].map(u32::to_ne_bytes);
        let rest = [directory.0, 0, 0].map(u64::to_ne_bytes);
        let message = [header.as_flattened(), rest.as_flattened()].concat();
        match rustix::io::write(&kernel, &message) {
            // ENOENT: the kernel forgot the directory.
            Ok(_) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return log::debug!("listings cannot be dropped: {error}"),
        }
    }
}
