//! The handler of SIGBUS: bytes of a map that its file no longer has are read as zeros.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

use super::slots::{Slots, Taken};

const SLOTS_OF_A_BLOCK: usize = 256;

/// Pages that are replaced one by one in all maps together. Beyond them a fault makes all of its map zeros at once:
/// each page that was replaced by itself may cost the process two of the maps that it can have, and where these are
/// used up the kernel replaces nothing any more.
const MOST_PAGES: usize = 4096;

/// Faults in all maps that exist.
static FAULTS: AtomicUsize = AtomicUsize::new(0);

/// A map that the handler protects. It must be dropped before the map is.
#[derive(Debug)]
pub(super) struct Guarded(Taken<'static, SLOTS_OF_A_BLOCK>);

impl Guarded {
    /// Puts a map under the protection of the handler.
    pub(super) fn new(map: &memmap2::Mmap) -> Guarded {
        let slots = SLOTS.get_or_init(Slots::new);
        install_handler();
        let start = map.as_ptr() as usize;
        Guarded(slots.take(start..start + map.len()))
    }

    /// True if bytes were read that the file no longer had.
    pub(super) fn is_lost(&self) -> bool {
        self.0.faults() > 0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        FAULTS.fetch_sub(self.0.faults(), Ordering::Relaxed);
    }
}

static SLOTS: OnceLock<Slots<SLOTS_OF_A_BLOCK>> = OnceLock::new();

/// What handled SIGBUS before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

#[allow(unsafe_code)]
fn install_handler() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: both structures are plain data for which zeros are good; the handler does only what a handler
        // may: it reads and counts in atomics, maps pages, sets an action and raises a signal.
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

/// Puts zeros where the bytes of one of our maps are gone. Any other signal is left to the handler before this one.
#[allow(unsafe_code)]
extern "C" fn on_bus_error(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a good `info` to a handler with SA_SIGINFO.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // Only these are faults of a thread at the address that it reads.
    if matches!(code, libc::BUS_ADRERR | libc::BUS_MCEERR_AR)
        && let Some((slot, map)) = SLOTS.get().and_then(|slots| slots.find(address))
    {
        // Counted first: a thread that reads the zeros without a fault of its own must see that the map is lost.
        slot.count_fault();
        let faults = FAULTS.fetch_add(1, Ordering::Relaxed);
        if (faults < MOST_PAGES && put_zeros(page_of(address))) || put_zeros(map) {
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: the action is the one that was there. A fault happens again under it; a signal that was sent must
        // be sent again, which is delivered when this handler returns.
        unsafe {
            libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut());
            if code <= 0 {
                libc::raise(libc::SIGBUS);
            }
        }
    }
}

/// The page that has an address.
#[allow(unsafe_code)]
pub(super) fn page_of(address: usize) -> Range<usize> {
    // SAFETY: asking for the size of a page has no side effects.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let start = address & !(size - 1);
    start..start + size
}

/// Has the pages of a map that begin after `start` read as zeros, whatever the file has there.
pub(super) fn blank(map: &memmap2::Mmap, start: usize) {
    let addresses = map.as_ptr() as usize..map.as_ptr() as usize + map.len();
    let page = page_of(addresses.start).len();
    if start < map.len() {
        let first = (addresses.start + start).next_multiple_of(page);
        // Where the kernel refuses, the file is read, which has zeros there.
        let _ = first < addresses.end && put_zeros(first..addresses.end);
    }
}

/// Maps zeros to a page of the map in which this thread has faulted, or to all its pages. False if the kernel
/// refuses.
#[allow(unsafe_code)]
fn put_zeros(pages: Range<usize>) -> bool {
    // SAFETY: the thread that faulted runs this, and it was reading through a reference into a `Mapped`. That cannot be
    // dropped before this returns, so its addresses cannot be unmapped and given to another map. Its slot names it
    // all that time: it was entered before the reference existed and is cleared by the drop only. Any other slot
    // names a map that exists beside it and so has other addresses, and the addresses of a slot are taken as one
    // value. So `Slots::find` gave the map that faulted, and no one else's pages are replaced. The last page belongs
    // to the map as a whole. Nothing is written to the map, and its readers expect that its bytes change.
    // `blank` has a reference to the map all the time.
    let mapped = unsafe {
        libc::mmap(
            pages.start as *mut libc::c_void,
            pages.end - pages.start,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    mapped != libc::MAP_FAILED
}
