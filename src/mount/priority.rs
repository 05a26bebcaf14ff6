//! Threads of low priority.

/// Lets all other programs and threads go first. Threads that this one starts inherit it.
pub(super) fn give_way() {
    const LAST: i32 = 19;
    // Linux counts priorities by thread, whatever the name of the call says.
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), LAST) {
        log::debug!("a thread keeps its priority: {error}");
    }
}
