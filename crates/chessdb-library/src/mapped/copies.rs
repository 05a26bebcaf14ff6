//! Files that are copied instead of mapped, because they are small and may be very many.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chessdb::files::Bytes;

use super::identity::{Identity, Watched};

/// Copies of small files, whose bytes stay valid whatever happens to the files.
#[derive(Debug, Default)]
pub struct Copies {
    files: Vec<Arc<FileCopy>>,
    /// The files that cannot be copied: their places among all files and their identities; `None` for a missing file.
    left_out: Vec<(usize, Option<Identity>)>,
    bytes: u64,
    modified: i128,
}

/// The bytes of a small file, and its state when they were read.
#[derive(Debug)]
pub struct FileCopy {
    watched: Watched,
    bytes: Box<[u8]>,
}

impl FileCopy {
    /// Identity of the file when it was copied.
    pub fn identity(&self) -> Identity {
        self.watched.identity
    }
}

impl Deref for FileCopy {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bytes for FileCopy {}

impl Copies {
    /// Copies a regular file of at most `most` bytes that is open for reading. `path` is where it was found.
    ///
    /// # Errors
    /// If reading fails; [`ErrorKind::InvalidInput`] for anything but a regular file, and [`ErrorKind::ResourceBusy`]
    /// if the file is being changed or has become longer than `most`.
    pub fn copy(&mut self, file: &File, path: &Path, most: u64) -> io::Result<Arc<FileCopy>> {
        let watched = Watched::new(file, path)?;
        if watched.identity.size > most {
            return Err(changed());
        }
        let len = usize::try_from(watched.identity.size).map_err(|_| ErrorKind::FileTooLarge)?;
        let mut bytes = vec![0; len].into_boxed_slice();
        fill(file, &mut bytes)?;
        Ok(self.add(Arc::new(FileCopy { watched, bytes })))
    }

    /// Shares the copy of a file with an earlier state of the same folder, if the file has not changed since.
    pub fn share(&mut self, earlier: &Copies, path: &Path) -> Option<Arc<FileCopy>> {
        // Files are copied in the order of their names.
        let path_of = |copy: &Arc<FileCopy>| copy.watched.path().as_os_str().cmp(path.as_os_str());
        let place = earlier.files.binary_search_by(path_of).ok()?;
        let copy = earlier.files.get(place)?;
        copy.watched.is_current().then(|| self.add(Arc::clone(copy)))
    }

    fn add(&mut self, copy: Arc<FileCopy>) -> Arc<FileCopy> {
        let identity = copy.identity();
        self.modified = if self.files.is_empty() {
            identity.modified
        } else {
            self.modified.max(identity.modified)
        };
        self.bytes += identity.size;
        self.files.push(Arc::clone(&copy));
        copy
    }

    /// Records a file that cannot be copied.
    pub fn leave_out(&mut self, path: &Path) {
        let place = self.files.len() + self.left_out.len();
        self.left_out.push((place, Identity::at(path).ok()));
    }

    /// The identities of all files in their order, also of those that were left out.
    pub fn identities(&self) -> impl Iterator<Item = Option<Identity>> {
        let mut left_out = self.left_out.iter().peekable();
        let mut copied = self.files.iter();
        (0..self.files.len() + self.left_out.len()).map(move |n| {
            match left_out.next_if(|(place, _)| *place == n) {
                Some((_, identity)) => *identity,
                None => copied.next().map(|copy| copy.identity()),
            }
        })
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
        self.files.get(file).map_or(0, |copy| copy.watched.changed())
    }

    /// True if all files are still at their paths, with the contents that were copied.
    pub fn are_current(&self) -> bool {
        self.files.iter().all(|copy| copy.watched.is_current())
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
    pub(super) fn read(file: &File, size: u64) -> io::Result<Option<Copied>> {
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
