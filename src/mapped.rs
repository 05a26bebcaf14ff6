//! Memory maps of source files: the only place of `unsafe` code.

mod holes;
mod identity;

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{LazyLock, Once, OnceLock};

pub use identity::Identity;

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
        Ok(Mapped {
            guard: map.as_ref().map(Guarded::new),
            map,
            gaps,
            file,
            _ticket: ticket,
            is_changed: AtomicBool::new(false),
        })
    }

    /// Holes of the file, in their order, that are so long that what scans the bytes has to pass over them: they are
    /// zeros that cost nothing on disk. Of one at the end of the file, which may be far behind the end of the map,
    /// only the beginning is mapped.
    pub fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    /// What the file was when it was mapped.
    pub fn identity(&self) -> Identity {
        self.file.identity
    }

    /// True while the file has the contents that it had when it was mapped: what was read until now is what was
    /// there then. Once false, this remains so.
    ///
    /// Writing changes the file's times before its bytes, so asking after reading tells.
    pub fn is_intact(&self) -> bool {
        // What was read before is read before the times are.
        fence(Ordering::Acquire);
        let is_changed = self.is_lost() || !self.file.is_unchanged();
        if is_changed {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        !is_changed
    }

    /// True when bytes were read that the file no longer has: they were zeros; or when [`Mapped::is_intact`] was false.
    /// Costs no system call, so a loop over the bytes can ask often and stop early.
    pub fn is_lost(&self) -> bool {
        let is_cut = |guard: &Guarded| guard.slot.lost.load(Ordering::Acquire);
        self.is_changed.load(Ordering::Relaxed) || self.guard.as_ref().is_some_and(is_cut)
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
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
    // SAFETY: the map is private to this process and never written. Should somebody change the file, its bytes
    // change under us: decoders read every byte through checked accesses and trust no value that they read
    // twice, so changed contents give other text and no memory error.
    unsafe { options.map(file) }
}

const SLOTS_OF_A_BLOCK: usize = 256;

/// A map that the handler of SIGBUS looks after.
#[derive(Debug)]
struct Slot {
    taken: AtomicBool,
    /// First address; 0 while the slot means no map.
    base: AtomicUsize,
    len: AtomicUsize,
    lost: AtomicBool,
}

impl Slot {
    const fn new() -> Slot {
        Slot {
            taken: AtomicBool::new(false),
            base: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
        }
    }
}

/// Slots are never freed, so that the handler may walk them at any time.
#[derive(Debug)]
struct Slots {
    /// How many are taken, or about to be.
    taken: AtomicUsize,
    slots: [Slot; SLOTS_OF_A_BLOCK],
    next: OnceLock<Box<Slots>>,
}

impl Slots {
    const fn new() -> Slots {
        Slots {
            taken: AtomicUsize::new(0),
            slots: [const { Slot::new() }; SLOTS_OF_A_BLOCK],
            next: OnceLock::new(),
        }
    }
}

static SLOTS: Slots = Slots::new();

/// A slot as long as its map is there.
#[derive(Debug)]
struct Guarded {
    block: &'static Slots,
    slot: &'static Slot,
}

impl Guarded {
    /// Puts a map under the protection of the handler.
    fn new(map: &memmap2::Mmap) -> Guarded {
        install_handler();
        let mut block = &SLOTS;
        loop {
            // Whoever is counted in finds a slot in this block.
            if block.taken.fetch_add(1, Ordering::AcqRel) < SLOTS_OF_A_BLOCK {
                let mut slots = block.slots.iter().cycle();
                if let Some(slot) = slots.find(|slot| !slot.taken.swap(true, Ordering::AcqRel)) {
                    slot.lost.store(false, Ordering::Release);
                    slot.len.store(map.len(), Ordering::Release);
                    slot.base.store(map.as_ptr() as usize, Ordering::Release);
                    return Guarded { block, slot };
                }
            }
            block.taken.fetch_sub(1, Ordering::AcqRel);
            block = block.next.get_or_init(|| Box::new(Slots::new()));
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.slot.base.store(0, Ordering::Release);
        self.slot.taken.store(false, Ordering::Release);
        self.block.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What handled SIGBUS before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

#[allow(unsafe_code)]
fn install_handler() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: both structures are plain data for which zeros are good; the handler does only what a handler
        // may: it reads atomics, maps pages and sets an action.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_bus_error as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) == 0 {
                let _ = BEFORE.set(before);
                libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

/// Puts zeros where the bytes of one of our maps are gone; any other fault goes to whom it belongs.
#[allow(unsafe_code)]
extern "C" fn on_bus_error(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a good `info` to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let mut slots = Some(&SLOTS);
    while let Some(here) = slots {
        for slot in &here.slots {
            let (base, len) = (
                slot.base.load(Ordering::Acquire),
                slot.len.load(Ordering::Acquire),
            );
            if base != 0 && (base..base + len).contains(&address) && fill_with_zeros(address, base + len) {
                slot.lost.store(true, Ordering::Release);
                return;
            }
        }
        slots = here.next.get().map(|next| &**next);
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: the action is the one that was there; the fault happens again under it.
        unsafe { libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut()) };
    }
}

/// Maps zeros from the page of `address` to `end`. False where the kernel refuses.
#[allow(unsafe_code)]
fn fill_with_zeros(address: usize, end: usize) -> bool {
    // SAFETY: asking for the size of a page has no side effects.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let start = address & !(page - 1);
    // SAFETY: the range lies in a map of ours, which stays mapped as long as its slot names it; its last page
    // belongs to it as a whole. Nothing is written to it, so replacing its bytes by zeros breaks no reference
    // that did not have to expect other bytes already.
    let mapped = unsafe {
        libc::mmap(
            start as *mut libc::c_void,
            end - start,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    mapped != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
