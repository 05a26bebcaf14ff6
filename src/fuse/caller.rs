//! Finds out whether the threads that made requests have been killed.

use std::fs;
use std::io;

use rustix::process::{Pid, test_kill_process};

/// True if `/proc` belongs to the PID namespace of this process, so that callers can be found there.
pub fn are_visible() -> bool {
    fs::read_link("/proc/self").is_ok_and(|own| own.to_str() == Some(&std::process::id().to_string()))
}

/// True if a thread is about to be ended by a signal, or has ended.
pub fn is_killed(thread: u32) -> bool {
    match fs::read_to_string(format!("/proc/{thread}/status")) {
        Ok(status) => has_fatal_signal(&status),
        // Processes of other users may be hidden.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let pid = i32::try_from(thread).ok().and_then(Pid::from_raw);
            pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
        }
        Err(error) => error.raw_os_error() == Some(libc::ESRCH),
    }
}

/// Signals that do not end a process by default.
const HARMLESS: [i32; 8] = [
    libc::SIGCHLD,
    libc::SIGCONT,
    libc::SIGSTOP,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGURG,
    libc::SIGWINCH,
];

/// True if a signal is pending that ends the process, by the contents of `/proc/PID/status`. A signal that the program
/// handles does not count: it waits until the reply.
fn has_fatal_signal(status: &str) -> bool {
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(0, |set| u64::from_str_radix(set.trim(), 16).unwrap_or(0))
    };
    let bit = |signal: i32| 1u64 << (signal - 1);
    let harmless = HARMLESS.into_iter().map(bit).sum::<u64>();
    let pending = set("SigPnd:") | set("ShdPnd:");
    let is_ended = pending & bit(libc::SIGKILL) != 0;
    is_ended || pending & !(set("SigBlk:") | set("SigIgn:") | set("SigCgt:") | harmless) != 0
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_signals_that_end_a_program_count() {
        let status = |pending: &str, shared: &str, blocked: &str, ignored: &str, caught: &str| {
            has_fatal_signal(&format!(
                "Name:\tls\nSigPnd:\t{pending}\nShdPnd:\t{shared}\nSigBlk:\t{blocked}\nSigIgn:\t{ignored}\nSigCgt:\t{caught}\n"
            ))
        };
        assert!(!status("0", "0", "0", "0", "0"));
        // SIGKILL is 9, SIGINT 2, SIGQUIT 3, SIGCHLD 17.
        assert!(status("0000000000000100", "0", "0", "0", "0"));
        assert!(status("100", "0", "ffffffff", "ffffffff", "ffffffff"));
        assert!(status("0", "4", "0", "0", "0"));
        assert!(!status("0", "2", "0", "0", "2"));
        assert!(!status("0", "2", "2", "0", "0"));
        assert!(!status("0", "2", "0", "2", "0"));
        assert!(!status("10000", "10000", "0", "0", "0"));
        assert!(!has_fatal_signal(""));
    }

    #[test]
    fn threads_live_until_they_end() {
        let own = fs::read_link("/proc/self").unwrap();
        assert_eq!(
            are_visible(),
            own.as_os_str() == std::process::id().to_string().as_str()
        );
        assert!(!is_killed(
            rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs()
        ));
        assert!(!is_killed(1));
        let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(!is_killed(other.id()));
        other.kill().unwrap();
        other.wait().unwrap();
        // Higher than any process number: the number of a process that has ended may have been reused.
        assert!(is_killed(4_194_305));
    }
}
