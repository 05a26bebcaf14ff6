//! Starting in the background without fork: the program starts itself again and waits for a byte from the new
//! process.

use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use sd_notify::NotifyState;

use super::error::MountError;

/// Environment variable that marks the second process.
pub(super) const STAGE: &str = "PGNFS_STAGE";

/// Exit code of a Rust program that panics.
const PANICKED: i32 = 101;

/// True in the background process.
pub fn is_background() -> bool {
    env::var_os(STAGE).is_some_and(|stage| stage == "background")
}

/// Starts this program again with the same arguments, and returns the exit code when the new mount answers or
/// has failed. In case of failure the background process has printed the reason.
///
/// # Errors
/// If the process cannot be started or is killed.
pub fn start_in_background() -> Result<u8, MountError> {
    let cannot = MountError::system("cannot start the background process");
    let mut arguments = env::args_os();
    let mut child = Command::new("/proc/self/exe")
        .arg0(arguments.next().unwrap_or_default())
        .args(arguments)
        .env(STAGE, "background")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(&cannot)?;
    let mut report = [0];
    let reported = child.stdout.take().map(|mut pipe| pipe.read_exact(&mut report));
    match (reported, report) {
        (Some(Ok(())), [READY]) => return Ok(0),
        // The background process may continue for a long time, because one of its threads may hang in a
        // system call.
        (Some(Ok(())), [code]) => return Ok(code),
        _ => {}
    }
    ended_without_report(child.wait().map_err(cannot)?)
}

/// The exit code if the background process ended and reported nothing.
fn ended_without_report(status: ExitStatus) -> Result<u8, MountError> {
    if let Some(signal) = status.signal() {
        return Err(MountError::Killed(signal));
    }
    match status.code() {
        Some(PANICKED) => Err(MountError::Panicked),
        code => Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2)),
    }
}

/// Reported by the background process when the mount is available. Any other byte is an exit code.
const READY: u8 = b'+';

/// Reports a failure with its exit code to the process that started this one.
pub fn report_failure(code: u8) {
    if is_background() && !is_detached() {
        let mut report = io::stdout();
        // If the report does not arrive, the other process notices the end of this one.
        let _ = report.write_all(&[code]).and_then(|()| report.flush());
        // A thread that hangs in a system call keeps this process alive, and programs that read its output must not
        // wait for it.
        let _ = let_go_of_terminal();
    }
}

/// Redirects standard input, output and error to `/dev/null`.
fn let_go_of_terminal() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// True if standard error is no longer visible.
pub fn is_detached() -> bool {
    DETACHED.load(Ordering::Relaxed)
}

static DETACHED: AtomicBool = AtomicBool::new(false);

/// Marks standard error as no longer visible.
pub(super) fn detach() {
    DETACHED.store(true, Ordering::Relaxed);
}

/// Reports that the mount is available. In the foreground, it is reported to systemd; in the background, to the first
/// process, which then returns, while this process leaves the terminal.
///
/// # Errors
/// If the first process has ended, so that no process waits for this mount.
pub(super) fn report_ready() -> io::Result<()> {
    if !is_background() {
        // Does nothing unless systemd started this process.
        if let Err(error) = sd_notify::notify(&[NotifyState::Ready]) {
            log::warn!("systemd cannot be notified that the mount is available: {error}");
        }
        return Ok(());
    }
    // Until here both processes are in one process group, so that Ctrl-C ends both.
    rustix::process::setsid()?;
    env::set_current_dir("/")?;
    let mut report = io::stdout();
    report.write_all(&[READY])?;
    report.flush()?;
    let_go_of_terminal()?;
    detach();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_process_that_reports_nothing_is_explained() {
        let ended = |status| ended_without_report(ExitStatus::from_raw(status));
        let exited = |code: i32| ended(code << 8);
        for code in [0, 1, 2, 100, 102, 255] {
            assert_eq!(
                exited(code).map_err(|error| error.to_string()),
                Ok(code as u8),
                "{code}"
            );
        }
        assert!(matches!(exited(101), Err(MountError::Panicked)));
        assert!(matches!(ended(9), Err(MountError::Killed(9))));
    }
}
