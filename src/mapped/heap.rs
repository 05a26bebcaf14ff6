//! Memory that was freed, but that the allocator has not given back to the kernel.

/// Gives freed memory back to the kernel. The allocator of glibc keeps what many small blocks took, which is worth a call
/// after work that needed millions of them.
#[allow(unsafe_code)]
pub fn give_back() {
    // SAFETY: the function has no preconditions, and any thread may call it at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}
