//! Copies of small files, which need neither a descriptor nor a map.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of a small file.
#[derive(Debug)]
pub(super) struct Copied(Box<[u8]>);

/// Maximum size in bytes of a file that is copied.
const MOST_COPIED: u64 = 8 << 10;

/// Maximum number of bytes of all copies together.
const MOST_COPIES: usize = 128 << 20;

/// Number of bytes of all copies together.
static COPIES: AtomicUsize = AtomicUsize::new(0);

impl Copied {
    /// Copies a file of `size` bytes. `None` if it is too large, or if there are many copies already.
    pub(super) fn of(file: &File, size: u64) -> io::Result<Option<Copied>> {
        let len = match usize::try_from(size) {
            Ok(len) if size <= MOST_COPIED => len,
            _ => return Ok(None),
        };
        if COPIES.fetch_add(len, Ordering::Relaxed) > MOST_COPIES - len {
            COPIES.fetch_sub(len, Ordering::Relaxed);
            return Ok(None);
        }
        let mut copied = Copied(vec![0; len].into());
        file.read_exact_at(&mut copied.0, 0)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => io::Error::new(
                    io::ErrorKind::ResourceBusy,
                    "it became shorter while it was opened: open it again",
                ),
                _ => error,
            })?;
        Ok(Some(copied))
    }
}

impl Deref for Copied {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        COPIES.fetch_sub(self.0.len(), Ordering::Relaxed);
    }
}
