//! Which signals end the program, and which have no effect on a mount.

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU, SIGXFSZ,
};
use signal_hook::flag;

/// The signals that unmount.
pub(super) const UNMOUNTING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Signals that would end the process although it does not use them. The standard library ignores SIGPIPE.
const IGNORED: [i32; 7] = [SIGALRM, SIGIO, SIGPROF, libc::SIGPWR, SIGUSR1, SIGUSR2, SIGVTALRM];

/// Other signals that end a program. Signals for faults of the program cannot be caught, and SIGXFSZ is
/// [survived](survive_long_files).
const ABORTING: [i32; 5] = [SIGQUIT, SIGTRAP, SIGABRT, SIGXCPU, libc::SIGSTKFLT];

/// The real-time signals. The C library reserves the first ones for itself; how many depends on the library.
fn real_time() -> RangeInclusive<i32> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}

/// The signals that end a program which does not catch them.
pub fn ending_signals() -> impl Iterator<Item = i32> {
    let named = UNMOUNTING.into_iter().chain(IGNORED).chain(ABORTING);
    named.chain(real_time())
}

/// Ignores signals that a mount does not use, real-time signals included. The other signals unmount, stop the process,
/// or report a fault in it.
///
/// # Errors
/// If a signal cannot be caught.
pub fn ignore_others() -> io::Result<()> {
    // A handler that does nothing, because an ignored signal would also be ignored by programs that this one starts.
    IGNORED.into_iter().chain(real_time()).try_for_each(ignore)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::consts::{
        SIGBUS, SIGCHLD, SIGCONT, SIGFPE, SIGILL, SIGKILL, SIGPIPE, SIGSEGV, SIGSTOP, SIGSYS, SIGTSTP,
        SIGTTIN, SIGTTOU, SIGURG, SIGWINCH,
    };

    #[test]
    fn each_signal_is_known() {
        let mut known: Vec<i32> = ending_signals().collect();
        // Signals that stop and continue, and signals that are ignored by default.
        known.extend([
            SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH,
        ]);
        // Signals of faults, and a signal that cannot be caught.
        known.extend([SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGKILL]);
        // Signals that are turned into errors.
        known.extend([SIGPIPE, SIGXFSZ]);
        // The C library reserves the first real-time signals for itself.
        known.extend(32..libc::SIGRTMIN());
        known.sort_unstable();
        assert_eq!(known, (1..=libc::SIGRTMAX()).collect::<Vec<_>>());
    }
}
