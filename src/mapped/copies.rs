//! The state of files that were copied, of which there may be very many.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::identity::{Identity, Watched};
use super::watch;

/// Files whose bytes were copied, so that what was read stays valid whatever happens to them.
#[derive(Debug, Default)]
pub struct Copies {
    files: Vec<Watched>,
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
        let changed = || {
            io::Error::new(
                ErrorKind::ResourceBusy,
                "it was changed while it was opened: open it again",
            )
        };
        if identity.size > most {
            return Err(changed());
        }
        let mut bytes = vec![0; usize::try_from(identity.size).map_err(|_| ErrorKind::FileTooLarge)?];
        file.read_exact_at(&mut bytes, 0)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => changed(),
                _ => error,
            })?;
        self.modified = match self.files.is_empty() {
            true => identity.modified,
            false => self.modified.max(identity.modified),
        };
        self.bytes += identity.size;
        self.files.push(watched);
        Ok((identity, bytes))
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
        self.files
            .iter()
            .all(|file| file.is_in_place() && file.is_unchanged())
    }
}
