//! Memory maps of source files: the only place of `unsafe` code.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What tells whether a file is still the one that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Device number.
    pub device: u64,
    /// Inode number on that device.
    pub inode: u64,
    /// Length in bytes.
    pub size: u64,
    /// Time of the last change of the contents, in nanoseconds since 1970; negative before.
    pub modified: i128,
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    /// Those of `fstat`.
    pub fn of(file: &File) -> io::Result<Identity> {
        let meta = file.metadata()?;
        Ok(Identity {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        })
    }
}

/// A file mapped into memory, read-only. An empty file is an empty slice.
#[derive(Debug)]
pub struct Mapped {
    map: Option<memmap2::Mmap>,
    identity: Identity,
}

impl Mapped {
    /// Maps a regular file.
    ///
    /// # Errors
    /// Those of opening and mapping, and [`io::ErrorKind::InvalidInput`] for what is no regular file.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let identity = Identity::of(&file)?;
        let map = if identity.size == 0 {
            None
        } else {
            Some(map(&file)?)
        };
        Ok(Mapped { map, identity })
    }

    /// What the file was when it was mapped.
    pub fn identity(&self) -> Identity {
        self.identity
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is private to this process and never written. Should somebody change the file, its bytes
    // change under us: decoders read every byte through checked accesses and trust no value that they read
    // twice, so changed contents give other text and no memory error.
    unsafe { memmap2::Mmap::map(file) }
}
