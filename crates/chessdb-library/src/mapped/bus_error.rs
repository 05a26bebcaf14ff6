//! The handler of SIGBUS. Bytes of a map that its file no longer has read as zeros.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

use super::slots::{Slots, Taken};

const SLOTS_OF_A_BLOCK: usize = 256;

/// Maximum number of pages that are replaced individually, in all maps together. After that, a fault replaces
/// the whole map by zeros. Each page replaced individually may cost two of the maps that the process can
/// have, and when these are used up, the kernel refuses to replace anything.
const MOST_PAGES: usize = 4096;

/// Number of faults in all existing maps.
static FAULTS: AtomicUsize = AtomicUsize::new(0);

/// A map that the handler protects. Must be dropped before the map.
#[derive(Debug)]
pub(super) struct Guarded(Taken<'static, SLOTS_OF_A_BLOCK>);

impl Guarded {
    /// Protects a map.
    pub(super) fn new(map: &memmap2::Mmap) -> Guarded {
        let slots = SLOTS.get_or_init(Slots::new);
        install_handler();
        let start = map.as_ptr() as usize;
        Guarded(slots.take(start..start + map.len()))
    }

    /// True if bytes beyond the end of the file were read.
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

/// The previous action for SIGBUS.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

#[allow(unsafe_code)]
fn install_handler() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: both structures are plain data for which zeros are valid. The handler does only what a signal
        // handler may do: it reads and updates atomics, maps pages, sets an action and raises a signal.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_bus_error as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) == 0 {
                // Stored before our handler is installed, because it may run at once. This is why `sigaction` is
                // called twice.
                let _ = BEFORE.set(before);
                libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

/// Maps zeros in place of missing pages of a [`Mapped`](super::Mapped). Any other signal is passed to the previous
/// handler.
#[allow(unsafe_code)]
extern "C" fn on_bus_error(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid `info` to a handler with SA_SIGINFO.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // Only with these codes did the thread itself fault at the address.
    if matches!(code, libc::BUS_ADRERR | libc::BUS_MCEERR_AR)
        && let Some((slot, map)) = SLOTS.get().and_then(|slots| slots.find(address))
    {
        // Counted before mapping: another thread may read the zeros without a fault of its own, and must see that the
        // map is lost.
        slot.count_fault();
        let faults = FAULTS.fetch_add(1, Ordering::Relaxed);
        if (faults < MOST_PAGES && put_zeros(page_of(address))) || put_zeros(map) {
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: the action is the previous one. After it is restored, a fault occurs again and invokes it.
        // A signal that was sent is raised again and is delivered when this handler returns.
        unsafe {
            libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut());
            if code <= 0 {
                libc::raise(libc::SIGBUS);
            }
        }
    }
}

/// The page that contains an address.
#[allow(unsafe_code)]
pub(super) fn page_of(address: usize) -> Range<usize> {
    // SAFETY: querying the page size has no side effects.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let start = address & !(size - 1);
    start..start + size
}

/// Replaces the pages of a map from `start` on by zeros, whatever the file contains.
pub(super) fn blank(map: &memmap2::Mmap, start: usize) {
    let addresses = map.as_ptr() as usize..map.as_ptr() as usize + map.len();
    let page = page_of(addresses.start).len();
    if start < map.len() {
        let first = (addresses.start + start).next_multiple_of(page);
        // If the kernel refuses, the file is read, which has zeros there.
        let _ = first < addresses.end && put_zeros(first..addresses.end);
    }
}

/// Maps zeros over a page of the map in which this thread faulted, or over all its pages. Returns false if
/// the kernel refuses.
#[allow(unsafe_code)]
fn put_zeros(pages: Range<usize>) -> bool {
    // SAFETY: the faulting thread runs this and was reading through a reference into a `Mapped`. The `Mapped`
    // cannot be dropped before this returns, so its addresses cannot be unmapped and reused by another map.
    // Its slot has held these addresses all the time: they were entered before the reference existed and are
    // only removed on drop. Any other slot belongs to another existing map with different addresses, and the
    // addresses of a slot are read as one value. So `Slots::find` returned the map that faulted, and no other
    // pages are replaced. The last page belongs to the map as a whole. The map is never written, and its
    // readers expect changing bytes. `blank` holds a reference to the map throughout.
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
