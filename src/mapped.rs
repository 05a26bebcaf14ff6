//! Memory maps of source files: the only place of `unsafe` code.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    map: Option<(memmap2::Mmap, Ticket)>,
    identity: Identity,
}

impl Mapped {
    /// Maps a regular file.
    ///
    /// # Errors
    /// Those of opening and mapping, one for too many maps at once, and [`io::ErrorKind::InvalidInput`] for what is no regular file.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let identity = Identity::of(&file)?;
        let map = if identity.size == 0 {
            None
        } else {
            let ticket = Ticket::take(*MOST_MAPS)?;
            Some((map(&file)?, ticket))
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
        self.map.as_ref().map(|(map, _)| &**map).unwrap_or_default()
    }
}

/// Most maps at once: three quarters of what the kernel lets a process have. Without the rest there is no memory
/// for anything else, however much of it is free.
static MOST_MAPS: LazyLock<usize> = LazyLock::new(|| {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    text.trim().parse().unwrap_or(65_530) / 4 * 3
});

/// Maps that there are.
static MAPS: AtomicUsize = AtomicUsize::new(0);

/// The right to one map; dropped with it.
#[derive(Debug)]
struct Ticket;

impl Ticket {
    fn take(most: usize) -> io::Result<Ticket> {
        let ticket = Ticket;
        if MAPS.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(ticket);
        }
        Err(io::Error::other(
            "too many files are open: name a part of the folder as the source, or raise vm.max_map_count",
        ))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        MAPS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is private to this process and never written. Should somebody change the file, its bytes
    // change under us: decoders read every byte through checked accesses and trust no value that they read
    // twice, so changed contents give other text and no memory error.
    unsafe { memmap2::Mmap::map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_counted() {
        assert!(Ticket::take(0).is_err());
        assert!(*MOST_MAPS > 100);
        let path = Path::new(env!("CARGO_MANIFEST_PATH"));
        let before = MAPS.load(Ordering::Relaxed);
        drop(Mapped::open(path).unwrap());
        assert!(!Mapped::open(path).unwrap().is_empty());
        assert_eq!(MAPS.load(Ordering::Relaxed), before);
    }
}
