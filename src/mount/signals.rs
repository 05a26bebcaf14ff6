//! Which signals mean something to a mount.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXFSZ,
};
use signal_hook::flag;

/// The signals that unmount.
pub(super) const UNMOUNTING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Signals that would end the process and mean nothing to it. The standard library ignores SIGPIPE.
const IGNORED: [i32; 7] = [SIGALRM, SIGIO, SIGPROF, libc::SIGPWR, SIGUSR1, SIGUSR2, SIGVTALRM];

/// Ignores signals that mean nothing to a mount, real-time signals included. What is left are signals that unmount,
/// stop the process, or report a fault of it.
///
/// # Errors
/// If a signal cannot be caught.
pub fn ignore_others() -> io::Result<()> {
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    // A handler that does nothing, because programs that are started would inherit an ignored signal.
    IGNORED.into_iter().chain(real_time).try_for_each(ignore)?;
    survive_long_files()
}

/// Makes a kept file that exceeds the limit of file sizes (RLIMIT_FSIZE) cause a write error instead of ending the
/// process.
///
/// # Errors
/// If the signal cannot be caught.
pub fn survive_long_files() -> io::Result<()> {
    ignore(SIGXFSZ)
}

fn ignore(signal: i32) -> io::Result<()> {
    flag::register(signal, Arc::default()).map(drop)
}
