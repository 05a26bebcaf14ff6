//! What a piece of work costs: memory to the byte, and the processor's time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

/// The system's allocator, which counts what each thread has from it.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    // What another thread allocated may be freed here, so the count may go below zero.
    let live = LIVE.get().wrapping_add(bytes);
    LIVE.set(live);
    if (live.wrapping_sub(PEAK.get()) as isize) > 0 {
        PEAK.set(live);
    }
}

fn subtract(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub(bytes));
}

// Tests have no other way to count what is allocated, and it is the system's allocator that does the work.
#[allow(unsafe_code)]
// SAFETY: every call goes to the system's allocator as it came. The counters are plain numbers of the thread, which
// neither allocate nor end before the thread.
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
        // The old bytes are copied to the new place: for a moment there are both.
        add(new_size);
        subtract(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(place, layout, new_size) }
    }
}

/// What some work took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Most bytes that it had at a time, beyond those that were there before.
    pub memory: usize,
    /// Time of this thread on a processor.
    pub time: Duration,
}

/// Does some work and says what it took.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let live = LIVE.get();
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
