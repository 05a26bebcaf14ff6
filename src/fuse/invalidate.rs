//! Telling the kernel what it must not believe any more.

use std::ffi::OsStr;
use std::io;

use fuser::{INodeNo, Notifier};

use crate::fs::Outdated;

/// Makes the kernel forget all that is outdated. What it never knew is no error.
///
/// The kernel waits for requests that are under way, so this must not be called by a thread that answers some.
///
/// # Errors
/// Where the connection is gone.
pub fn invalidate(notifier: &Notifier, outdated: &[Outdated]) -> io::Result<()> {
    for Outdated { inode, names } in outdated {
        let inode = INodeNo(inode.0);
        for name in names {
            told(notifier.inval_entry(inode, OsStr::new(name)))?;
        }
        // Attributes, and with them the bytes of a file or the listing of a directory.
        told(notifier.inval_inode(inode, 0, 0))?;
    }
    Ok(())
}

/// An error only where the kernel can be told nothing more.
fn told(result: io::Result<()>) -> io::Result<()> {
    let Err(error) = result else { return Ok(()) };
    match error.raw_os_error() {
        Some(libc::ENODEV | libc::ENOTCONN | libc::EBADF) => Err(error),
        _ => {
            log::warn!("the kernel may show for a while what was before: {error}");
            Ok(())
        }
    }
}
