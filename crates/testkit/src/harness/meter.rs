//! The cost of some work: memory in bytes, and CPU time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint;
use std::time::Duration;

/// The system's allocator with counters for each thread.
///
/// ```
/// #[global_allocator]
/// static COUNTING: testkit::harness::meter::Counting = testkit::harness::meter::Counting;
/// ```
pub struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    // This thread may free memory of another thread, so the count may be negative.
    let live = LIVE.get().wrapping_add(bytes);
    LIVE.set(live);
    if (live.wrapping_sub(PEAK.get()) as isize) > 0 {
        PEAK.set(live);
    }
}

fn subtract(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub(bytes));
}

// There is no other way to count allocations in tests, and the system's allocator does the work.
#[allow(unsafe_code)]
// SAFETY: every call is passed to the system's allocator unchanged. The counters are plain numbers of the
// thread, which neither allocate nor are destroyed before the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        subtract(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // While the bytes are copied, both blocks exist.
        add(new_size);
        subtract(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(place, layout, new_size) }
    }
}

/// The cost of some work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Maximum number of bytes in use, beyond those in use before.
    pub memory: usize,
    /// CPU time of this thread.
    pub time: Duration,
}

/// Does some work and measures its cost.
///
/// # Panics
/// If the program has another allocator than [`Counting`].
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let live = LIVE.get();
    let block = hint::black_box(Box::new([0; 16]));
    assert_ne!(LIVE.get(), live, "the program does not count its memory");
    drop(block);
    PEAK.set(live);
    let started = thread_time();
    let done = work();
    let time = thread_time().saturating_sub(started);
    let memory = PEAK.get().wrapping_sub(live);
    (done, Cost { memory, time })
}

fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
