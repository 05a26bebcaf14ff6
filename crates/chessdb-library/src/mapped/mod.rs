//! Memory maps of source files. This module and those below it contain all `unsafe` code.

mod bus_error;
mod clock;
mod copies;
mod heap;
mod holes;
mod identity;
mod limit;
mod renames;
mod slots;
mod stamp;

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{self, AtomicBool, Ordering, fence};
use std::time::Instant;

pub use clock::ticks;
pub use copies::Copies;
pub use heap::{give_back, limit_kept};
pub use identity::Identity;
pub use stamp::{Stamp, now};

use chessdb::files::Bytes;

use bus_error::Guarded;
use copies::Copied;
use holes::Extent;
use identity::Watched;
use limit::{MOST_FILES, Ticket};

use crate::workers::{WorkerOptions, Workers};

/// Threads that unmap files which are not local.
static UNMAPPING: LazyLock<Workers> = LazyLock::new(|| {
    Workers::new(WorkerOptions {
        name: "unmapping",
        threads: 64,
        // No limit: a waiting map needs no thread, and must not be unmapped in a thread that answers requests.
        waiting: usize::MAX,
        ..WorkerOptions::default()
    })
});

/// A read-only memory map of a file. An empty file is an empty slice. A long hole at the end is not mapped.
/// A small file may be a [copy](Mapped::copy_or_map) instead.
///
/// If the file becomes shorter than its map, the missing bytes read as zeros. [`Mapped::is_intact`] detects
/// this and every other change of the contents.
#[derive(Debug)]
pub struct Mapped {
    /// Dropped before the map, because another map may get the same addresses immediately afterwards.
    guard: Option<Guarded>,
    map: Option<memmap2::Mmap>,
    /// The bytes of a file that is not mapped.
    copy: Option<Copied>,
    gaps: Vec<Range<usize>>,
    file: Watched,
    _ticket: Option<Ticket>,
    is_changed: AtomicBool,
    /// True if the file is unmapped in another thread, because that may take long.
    is_unmapped_aside: AtomicBool,
}

impl Mapped {
    /// Maps a regular file.
    ///
    /// # Errors
    /// If opening or mapping fails; [`io::ErrorKind::QuotaExceeded`] for too many open files, and
    /// [`io::ErrorKind::InvalidInput`] for anything but a regular file.
    pub fn open(path: &Path) -> io::Result<Mapped> {
        // Non-blocking, so that opening a named pipe does not wait for its other end.
        let file = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path)?;
        Mapped::new(file, path)
    }

    /// Maps a regular file that is open for reading. `path` is where it was found.
    ///
    /// # Errors
    /// As for [`Mapped::open`].
    pub fn new(file: File, path: &Path) -> io::Result<Mapped> {
        let ticket = Ticket::take(*MOST_FILES)?;
        let watched = Watched::new(&file, path)?;
        Mapped::of_watched(file, watched, ticket)
    }

    fn of_watched(file: File, watched: Watched, ticket: Ticket) -> io::Result<Mapped> {
        watched.watch_renames(&file);
        Mapped::map(file, watched, ticket)
    }

    /// Maps a file of the cache folder that is open for reading. Unlike [`Mapped::new`], this does not wait until later
    /// changes are visible in the times of the file, since such files have checksums.
    ///
    /// # Errors
    /// As for [`Mapped::open`]. The limit of open files is half as high, so that the source can be opened even where
    /// many files are kept.
    pub fn of_kept(file: File) -> io::Result<Mapped> {
        let ticket = Ticket::take(*MOST_FILES / 2)?;
        let watched = Watched::at_once(&file)?;
        Mapped::map(file, watched, ticket)
    }

    /// Like [`Mapped::new`], but copies a small file, so that it needs neither a map nor a descriptor. There may
    /// be far more small files than a process may have of both.
    ///
    /// # Errors
    /// As for [`Mapped::open`], and [`io::ErrorKind::ResourceBusy`] if the file becomes shorter.
    pub fn copy_or_map(file: File, path: &Path) -> io::Result<Mapped> {
        let watched = Watched::new(&file, path)?;
        let Some(copy) = Copied::read(&file, watched.identity.size)? else {
            return Mapped::of_watched(file, watched, Ticket::take(*MOST_FILES)?);
        };
        watched.watch_renames(&file);
        Ok(Mapped {
            guard: None,
            map: None,
            copy: Some(copy),
            gaps: Vec::new(),
            file: watched,
            _ticket: None,
            is_changed: AtomicBool::new(false),
            is_unmapped_aside: AtomicBool::new(false),
        })
    }

    fn map(file: File, watched: Watched, ticket: Ticket) -> io::Result<Mapped> {
        let Extent { len, gaps } = Extent::of(&file, &file.metadata()?);
        let map = match len.min(watched.identity.size) {
            0 => None,
            len => Some(map(&file, len)?),
        };
        // On a tmpfs, reading a hole through a map fills it with data, so the next check would find a change.
        if let (Some(map), Some(hole)) = (&map, gaps.last())
            && hole.end >= map.len()
        {
            bus_error::blank(map, hole.start);
        }
        Ok(Mapped {
            guard: map.as_ref().map(Guarded::new),
            map,
            copy: None,
            file: watched.keeping(file),
            gaps,
            _ticket: Some(ticket),
            is_changed: AtomicBool::new(false),
            is_unmapped_aside: AtomicBool::new(false),
        })
    }

    /// Long holes of the file, in order, which scans over the bytes must skip: they are zeros that take no space on
    /// disk. Of a hole at the end of the file, only the start is mapped, so it may end far beyond the map.
    pub fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    /// Identity of the file when it was mapped.
    pub fn identity(&self) -> Identity {
        self.file.identity
    }

    /// The present size and times of the file.
    ///
    /// # Errors
    /// If `stat` fails.
    pub fn stamp(&self) -> io::Result<Stamp> {
        self.file.stamp()
    }

    /// Time of the last change that did not affect the contents, in nanoseconds since 1970.
    pub fn changed(&self) -> i128 {
        self.file.changed()
    }

    /// True if the file still has the contents that it had when it was mapped, so that everything read so far
    /// is valid. Once false, it remains false.
    ///
    /// A write changes the times of the file before its bytes, so a check after reading is reliable.
    pub fn is_intact(&self) -> bool {
        // All reads before the check must be completed before the times are read.
        fence(Ordering::Acquire);
        let is_changed = self.is_lost() || !self.file.is_unchanged();
        if is_changed {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        !is_changed
    }

    /// Makes drop unmap the file in another thread. Dropping the last reference to a file sends a request to
    /// its file system, which may not answer.
    pub fn unmap_aside(&self) {
        self.is_unmapped_aside.store(true, Ordering::Relaxed);
    }

    /// Marks the file as changed, so that work on it ends soon.
    pub fn give_up(&self) {
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// True if bytes beyond the end of the file were read (as zeros), if [`Mapped::is_intact`] returned
    /// false, or if the map was [given up](Mapped::give_up). Makes no system call, so loops over the bytes
    /// can check it often and stop early.
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
            // If very many unmappings wait, or no thread can be started, the closure is dropped and unmaps the file here.
            UNMAPPING.submit(Instant::now(), unmap, || ());
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let copy = self.copy.as_deref();
        self.map.as_deref().or(copy).unwrap_or_default()
    }
}

impl Bytes for Mapped {
    fn gaps(&self) -> &[Range<usize>] {
        Mapped::gaps(self)
    }

    fn is_lost(&self) -> bool {
        Mapped::is_lost(self)
    }

    fn is_intact(&self) -> bool {
        Mapped::is_intact(self)
    }
}

/// Maps the first `len` bytes of a file.
#[allow(unsafe_code)]
fn map(file: &File, len: u64) -> io::Result<memmap2::Mmap> {
    let mut options = memmap2::MmapOptions::new();
    options.len(usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?);
    // SAFETY: the map is private to this process and never written. If another process changes the file, the
    // bytes change at any time. Decoders read every byte through checked accesses and rely on no value that
    // they read twice, so changed contents lead to other text but to no memory error.
    let mapped = unsafe { options.map(file) };
    mapped.map_err(|error| match error.raw_os_error() {
        Some(libc::ENOMEM) => io::Error::new(
            io::ErrorKind::QuotaExceeded,
            "the kernel allows no more memory maps: name a part of the folder as the source, or raise vm.max_map_count \
             and the limit of virtual memory (ulimit -v)",
        ),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    /// The single pages that all maps together may replace are limited, so tests that replace pages run one after
    /// another.
    static FAULTS: Mutex<()> = Mutex::new(());

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn a_truncated_file_reads_as_zeros_and_is_lost() {
        let _alone = FAULTS.lock();
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
        // The missing part was not read through the other map.
        assert!(!other.is_lost() && !other.is_intact());
    }

    #[test]
    fn a_fault_replaces_no_other_page() {
        let _alone = FAULTS.lock();
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
    fn a_store_through_a_map_is_detected() {
        let file = file(&[7; 200_000]);
        // SAFETY: the file belongs to this test, and its other map expects changes.
        let mut writer = unsafe { memmap2::MmapMut::map_mut(file.as_file()).unwrap() };
        for place in [100, 15_000, 150_000] {
            // The kernel changes the times only at the first write after the page was written to disk.
            file.as_file().sync_all().unwrap();
            let map = Mapped::open(file.path()).unwrap();
            assert_eq!((map[place], map.is_intact()), (7, true));
            writer[place] = 8;
            assert_eq!((map[place], map.is_intact()), (8, false), "byte {place}");
        }
    }

    #[test]
    fn a_large_file_that_is_cut_is_read_to_its_end() {
        let _alone = FAULTS.lock();
        // With a separate map for every second page, this would exceed the maximum number of maps of a
        // process.
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

    /// Descriptors of this process, and maps, that lead to a file.
    fn uses(path: &Path) -> usize {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let maps = maps.lines().filter(|line| line.ends_with(path.to_str().unwrap()));
        let descriptors = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let descriptors = descriptors.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to == path));
        maps.count() + descriptors.count()
    }

    #[test]
    fn a_small_file_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("file");
        let open = || Mapped::copy_or_map(File::open(&path).unwrap(), &path).unwrap();
        fs::write(&path, "contents").unwrap();
        let copy = open();
        assert_eq!(
            (&*copy, copy.is_intact(), uses(&path)),
            (&b"contents"[..], true, 0)
        );
        fs::rename(&path, path.with_extension("renamed")).unwrap();
        assert!(copy.is_intact(), "another name");
        fs::write(&path, "other").unwrap();
        assert!(copy.is_intact(), "another file has its name");
        let other = open();
        fs::write(&path, "OTHER").unwrap();
        assert_eq!((&*other, other.is_intact()), (&b"other"[..], false));
        fs::write(&path, vec![7; 8 << 10]).unwrap();
        assert_eq!((open()[8191], uses(&path)), (7, 0));
        fs::write(&path, vec![7; (8 << 10) + 1]).unwrap();
        let mapped = open();
        assert_eq!((mapped[8192], uses(&path)), (7, 2));
    }

    #[test]
    fn a_file_that_the_kernel_does_not_map_is_refused_with_a_remedy() {
        let file = file(b"contents");
        let refused = map(file.as_file(), 1 << 60).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::QuotaExceeded);
        assert!(
            refused.to_string().contains("raise vm.max_map_count"),
            "{refused}"
        );
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
}
