//! Files that are copied instead of mapped, because they are small and may be very many.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::identity::{Identity, Watched};
use super::watch;

/// Files whose bytes were copied, so that what was read stays valid whatever happens to them.
#[derive(Debug, Default)]
pub struct Copies {
    files: Vec<Watched>,
    /// The identities of all files, also of those that cannot be copied; `None` for a file that is not there.
    seen: Vec<Option<Identity>>,
    bytes: u64,
    modified: i128,
}

impl Copies {
    /// Copies a regular file of at most `most` bytes that is open for reading. `path` is the path by which it was found.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::InvalidInput`] for anything but a regular file, and [`ErrorKind::ResourceBusy`] if
    /// the file is being changed or has become longer than `most`.
    pub fn copy(&mut self, file: &File, path: &Path, most: u64) -> io::Result<(Identity, Vec<u8>)> {
        let watched = watch(file, path)?;
        let identity = watched.identity;
        if identity.size > most {
            return Err(changed());
        }
        let mut bytes = vec![0; usize::try_from(identity.size).map_err(|_| ErrorKind::FileTooLarge)?];
        fill(file, &mut bytes)?;
        self.modified = if self.files.is_empty() {
            identity.modified
        } else {
            self.modified.max(identity.modified)
        };
        self.bytes += identity.size;
        self.files.push(watched);
        self.seen.push(Some(identity));
        Ok((identity, bytes))
    }

    /// Records a file that cannot be copied.
    pub fn leave_out(&mut self, path: &Path) {
        self.seen.push(Identity::at(path).ok());
    }

    /// The identities of all files in their order, also of those that were left out.
    pub fn identities(&self) -> &[Option<Identity>] {
        &self.seen
    }

    /// Number of bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The newest modification time of the files, in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        self.modified
    }

    /// Time of the last change of a copied file that did not affect its contents, in nanoseconds since 1970.
    pub fn changed(&self, file: usize) -> i128 {
        self.files.get(file).map_or(0, Watched::changed)
    }

    /// True if all files are still at their paths, with the contents that were copied.
    pub fn are_current(&self) -> bool {
        self.files.iter().all(Watched::is_current)
    }
}

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
        fill(file, &mut copied.0)?;
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

/// Reads a file into a buffer of its size.
fn fill(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    file.read_exact_at(bytes, 0).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => changed(),
        _ => error,
    })
}

fn changed() -> io::Error {
    let what = "it was changed while it was opened: open it again";
    io::Error::new(ErrorKind::ResourceBusy, what)
}
