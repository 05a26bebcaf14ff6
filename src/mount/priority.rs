//! Threads of low priority.

/// Sets the lowest priority for this thread and those that it starts.
pub(super) fn lower_priority() {
    const LAST: i32 = 19;
    // On Linux this call sets the priority of a single thread.
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), LAST) {
        log::debug!("a thread keeps its priority: {error}");
    }
}
