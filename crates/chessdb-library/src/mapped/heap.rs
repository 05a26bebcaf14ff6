//! Memory that was freed, but that the allocator has not given back to the kernel.

/// Returns freed memory to the kernel. The allocator of glibc keeps the memory of small blocks, so this is worth a
/// call after work that needed millions of them.
#[allow(unsafe_code)]
pub fn give_back() {
    // SAFETY: the function has no preconditions, and any thread may call it at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Makes the allocator return the memory of large blocks to the system once they are freed, in every thread. By
/// default, each large block that is freed raises the thresholds for that, up to 32 and 64 MiB, so the allocator would
/// keep that much for each thread that once sorted games, even after the thread ended.
#[allow(unsafe_code)]
pub fn limit_kept() {
    /// Blocks of at least this many bytes get their own pages, such as the unpacked slices of a compressed file.
    /// Buffers of requests are smaller.
    #[cfg(target_env = "gnu")]
    const OWN_PAGES: libc::c_int = 1 << 20;
    /// Number of free bytes at the end of a heap above which they are returned to the kernel.
    #[cfg(target_env = "gnu")]
    const FREE: libc::c_int = 8 << 20;
    // SAFETY: the function only stores numbers, and is called before there are other threads.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE);
    }
}
