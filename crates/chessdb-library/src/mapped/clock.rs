//! A clock that costs little to read.

/// A number that changes every few milliseconds.
#[allow(unsafe_code)]
pub fn ticks() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `time` alone. Every kernel since 2.6.32 has this clock; otherwise the call leaves
    // `time` as it is.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    (time.tv_sec as u64) << 30 | time.tv_nsec as u64
}
