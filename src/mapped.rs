//! Memory maps of source files: the only place of `unsafe` code.

mod bus_error;
mod holes;
mod identity;
mod slots;
mod stamp;

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{self, AtomicBool, AtomicUsize, Ordering, fence};
use std::thread;

pub use identity::Identity;

use chessdb::formats::Bytes;

use bus_error::Guarded;
use holes::Extent;
use identity::Watched;

/// A file mapped into memory, read-only. An empty file is an empty slice. A long hole at the end is not mapped.
///
/// When the file becomes shorter than its map, the bytes that are gone read as zeros. [`Mapped::is_intact`] says so,
/// and tells of every other change.
#[derive(Debug)]
pub struct Mapped {
    /// Dropped before the map: its addresses may belong to another one at once.
    guard: Option<Guarded>,
    map: Option<memmap2::Mmap>,
    gaps: Vec<Range<usize>>,
    file: Watched,
    _ticket: Ticket,
    is_changed: AtomicBool,
    /// Unmapping may take long.
    is_unmapped_aside: AtomicBool,
}

impl Mapped {
    /// Maps a regular file.
    ///
    /// # Errors
    /// Those of opening and mapping, one for too many files at once, and [`io::ErrorKind::InvalidInput`] for what is no regular file.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        // What turns out to be a pipe must not wait for its other end.
        let file = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path)?;
        Mapped::of(file, path)
    }

    /// Maps a regular file that was opened for reading. The path is where it was found.
    ///
    /// # Errors
    /// Those of [`Mapped::open`].
    pub fn of(file: File, path: &Path) -> io::Result<Mapped> {
        let ticket = Ticket::take(*MOST_FILES)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = Watched::new(file, path)?;
        let Extent { len, gaps } = Extent::of(file.file(), &file.file().metadata()?);
        let map = match len.min(file.identity.size) {
            0 => None,
            len => Some(map(file.file(), len)?),
        };
        // Reading a hole through a map makes data of it in a tmpfs, and the next look would find more data.
        if let (Some(map), Some(hole)) = (&map, gaps.last())
            && hole.end >= map.len()
        {
            bus_error::blank(map, hole.start);
        }
        Ok(Mapped {
            guard: map.as_ref().map(Guarded::new),
            map,
            file: file.without_contents(),
            gaps,
            _ticket: ticket,
            is_changed: AtomicBool::new(false),
            is_unmapped_aside: AtomicBool::new(false),
        })
    }

    /// Holes of the file, in their order, that are so long that what scans the bytes has to skip them: they are
    /// zeros that cost nothing on disk. Of one at the end of the file, which may be far beyond the end of the map,
    /// only the beginning is mapped.
    pub fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    /// What the file was when it was mapped.
    pub fn identity(&self) -> Identity {
        self.file.identity
    }

    /// Time of the last change of anything of the file, in nanoseconds since 1970, that left its contents as they are.
    pub fn changed(&self) -> i128 {
        self.file.changed()
    }

    /// True while the file has the contents that it had when it was mapped: what was read until now is what was
    /// there then. Once false, this remains so.
    ///
    /// Writing changes the file's times before its bytes, so a check after reading is reliable.
    pub fn is_intact(&self) -> bool {
        // What was read before is read before the times are.
        fence(Ordering::Acquire);
        let is_changed = self.is_lost() || !self.file.is_unchanged();
        if is_changed {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        !is_changed
    }

    /// From now on, dropping this waits for no file system: the last one to use a file tells its file system so, which
    /// may not answer.
    pub fn unmap_aside(&self) {
        self.is_unmapped_aside.store(true, Ordering::Relaxed);
    }

    /// From now on, this counts as changed, so that whatever reads it ends soon.
    pub fn give_up(&self) {
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// True if bytes were read that the file no longer has (they were zeros), if [`Mapped::is_intact`] was false, or if
    /// the map was [given up](Mapped::give_up).
    /// Costs no system call, so a loop over the bytes can check it often and stop early.
    pub fn is_lost(&self) -> bool {
        self.is_changed.load(Ordering::Relaxed) || self.guard.as_ref().is_some_and(Guarded::is_lost)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.is_unmapped_aside.load(Ordering::Relaxed) {
            let (guard, map) = (self.guard.take(), self.map.take());
            let unmap = move || {
                drop(guard);
                drop(map);
            };
            // Where no thread can be started, this one waits.
            let _ = thread::Builder::new().name("unmapping".to_owned()).spawn(unmap);
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

impl Bytes for Mapped {
    fn gaps(&self) -> &[Range<usize>] {
        Mapped::gaps(self)
    }

    fn is_lost(&self) -> bool {
        Mapped::is_lost(self)
    }
}

/// Most mapped files at once: three quarters of the maps, and of the open files, that the kernel lets a process have.
/// The rest is for memory and for all other files, which need a few in any case.
static MOST_FILES: LazyLock<usize> = LazyLock::new(|| {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    let most_maps = text.trim().parse().unwrap_or(65_530);
    let open_files = raise_open_files();
    let most_files = open_files.saturating_sub(NEEDED_FILES).min(open_files / 4 * 3);
    most_files.min(most_maps / 4 * 3)
});

/// Open files that a mount needs beside those that it maps.
const NEEDED_FILES: usize = 32;

/// Lets this process have as many open files as it may, and gives their number.
#[allow(unsafe_code)]
fn raise_open_files() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls get a good structure.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) != 0 {
            return 1024;
        }
        let before = limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max;
        if libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) != 0 {
            limit.rlim_cur = before;
        }
    }
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

/// Files that are mapped.
static FILES: AtomicUsize = AtomicUsize::new(0);

/// The right to one file; dropped with it.
#[derive(Debug)]
struct Ticket;

impl Ticket {
    fn take(most: usize) -> io::Result<Ticket> {
        let ticket = Ticket;
        if FILES.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(ticket);
        }
        Err(io::Error::new(
            io::ErrorKind::QuotaExceeded,
            "too many files are open: name a part of the folder as the source, or raise vm.max_map_count and the \
             limit of open files (ulimit -n)",
        ))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        FILES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Maps the first bytes of a file.
#[allow(unsafe_code)]
fn map(file: &File, len: u64) -> io::Result<memmap2::Mmap> {
    let mut options = memmap2::MmapOptions::new();
    options.len(usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?);
    // SAFETY: the map is private to this process and never written. If another process changes the file, its bytes
    // change under us: decoders read every byte through checked accesses and trust no value that they read
    // twice, so changed contents give other text and no memory error.
    unsafe { options.map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn a_file_that_is_cut_reads_as_zeros_and_says_so() {
        let file = file(&[7; 40_000]);
        let (whole, other) = (
            Mapped::open(file.path()).unwrap(),
            Mapped::open(file.path()).unwrap(),
        );
        assert_eq!((whole[39_999], whole.is_intact()), (7, true));
        file.as_file().set_len(10_000).unwrap();
        assert_eq!((whole[9_999], whole.is_lost()), (7, false));
        assert_eq!((whole[39_999], whole.is_lost()), (0, true));
        assert_eq!(whole.iter().filter(|&&byte| byte == 7).count(), 10_000);
        assert!(!whole.is_intact());
        // The other map has not been read where the file is cut.
        assert!(!other.is_lost() && !other.is_intact());
    }

    #[test]
    fn a_fault_replaces_no_other_page() {
        let page = bus_error::page_of(0).len();
        let file = file(&vec![7; 10 * page]);
        let map = Mapped::open(file.path()).unwrap();
        file.as_file().set_len(0).unwrap();
        assert_eq!((map[2 * page + 5], map.is_lost()), (0, true));
        file.as_file().write_all_at(&vec![8; 10 * page], 0).unwrap();
        let read: Vec<u8> = map.iter().step_by(page).copied().collect();
        assert_eq!(read, [8, 8, 0, 8, 8, 8, 8, 8, 8, 8]);
        assert!(!map.is_intact());
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_store_through_a_map_shows() {
        let file = file(&[7; 200_000]);
        // SAFETY: the file is this test's own, and its other map expects changes.
        let mut writer = unsafe { memmap2::MmapMut::map_mut(file.as_file()).unwrap() };
        for place in [100, 15_000, 150_000] {
            // The kernel changes the times only for what has not changed since it was written to the disk.
            file.as_file().sync_all().unwrap();
            let map = Mapped::open(file.path()).unwrap();
            assert_eq!((map[place], map.is_intact()), (7, true));
            writer[place] = 8;
            assert_eq!((map[place], map.is_intact()), (8, false), "byte {place}");
        }
    }

    #[test]
    fn a_large_file_that_is_cut_is_read_to_its_end() {
        // With a map of its own for every second page, this would be more maps than a process may have.
        let (page, pages) = (bus_error::page_of(0).len(), 8192);
        let file = file(&vec![7; pages * page]);
        let maps = [(); 20].map(|()| Mapped::open(file.path()).unwrap());
        file.as_file().set_len(0).unwrap();
        let is_zero = |map: &Mapped| (0..pages).step_by(2).all(|n| map[n * page] == 0);
        assert!(maps.iter().all(is_zero) && maps.iter().all(Mapped::is_lost));
    }

    #[test]
    fn more_files_than_a_block_of_slots() {
        let file = file(&[1; 5_000]);
        let maps: Vec<Mapped> = (0..600).map(|_| Mapped::open(file.path()).unwrap()).collect();
        file.as_file().set_len(0).unwrap();
        assert_eq!(maps[599][4_999], 0);
        assert!(maps[599].is_lost() && !maps[0].is_lost());
        drop(maps);
        let again = Mapped::open(self::file(&[1; 10]).path()).unwrap();
        assert!(again.is_intact());
    }

    #[test]
    fn an_empty_file_is_empty() {
        let file = file(b"");
        let empty = Mapped::open(file.path()).unwrap();
        assert!(empty.is_empty() && empty.is_intact());
        file.as_file().set_len(1).unwrap();
        assert!(empty.is_empty() && !empty.is_intact());
        assert!(Mapped::open(Path::new("/")).is_err());
    }

    #[test]
    fn there_is_an_end_to_files() {
        assert!(Ticket::take(0).is_err());
        assert!(*MOST_FILES > 100);
        assert!(Ticket::take(usize::MAX).is_ok());
    }
}
