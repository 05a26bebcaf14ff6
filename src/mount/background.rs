//! Starting in the background without fork: the program starts itself again and waits for one byte.

use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use sd_notify::NotifyState;

use super::error::MountError;

/// Environment variable that marks the second process.
pub(super) const STAGE: &str = "PGNFS_STAGE";

/// The exit code of a Rust program that panics.
const PANICKED: i32 = 101;

/// True in the process that is to go to the background.
pub fn is_background() -> bool {
    env::var_os(STAGE).is_some_and(|stage| stage == "background")
}

/// Starts this program again with the same arguments, and returns when the mount there answers: the exit code to
/// end with. Where it does not come to that, the second process has said why.
///
/// # Errors
/// Where it cannot be started.
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
        // It may not end for long: a thread may hang in a system call.
        (Some(Ok(())), [code]) => return Ok(code),
        _ => {}
    }
    let status = child.wait().map_err(cannot)?;
    if let Some(signal) = status.signal() {
        return Err(MountError::Killed(signal));
    }
    if status.code() == Some(PANICKED) {
        return Err(MountError::Panicked);
    }
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(2))
}

/// What the background process reports when the mount answers; else it is its exit code.
const READY: u8 = b'+';

/// Reports to the process that waits for the mount that it failed, and the exit code.
pub fn report_failure(code: u8) {
    if is_background() && !is_detached() {
        let mut report = io::stdout();
        // If the report does not arrive, the other process notices the end of this one.
        let _ = report.write_all(&[code]).and_then(|()| report.flush());
        // A thread that hangs in a system call keeps this process alive, but no reader should wait for its output.
        let _ = let_go_of_terminal();
    }
}

/// Has standard input, output and error lead nowhere.
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

/// Reports that the mount is available: to systemd or, in the background process, to the first process, which then
/// returns, while this one leaves the terminal.
///
/// # Errors
/// If the first process is gone, which means that no process waits for this mount.
pub(super) fn report_ready() -> io::Result<()> {
    if !is_background() {
        // Nobody waits unless this is a service of systemd.
        if let Err(error) = sd_notify::notify(&[NotifyState::Ready]) {
            log::warn!("systemd cannot be notified that the mount is available: {error}");
        }
        return Ok(());
    }
    // Until here the two are one group, so that Ctrl-C ends both.
    rustix::process::setsid()?;
    env::set_current_dir("/")?;
    let mut report = io::stdout();
    report.write_all(&[READY])?;
    report.flush()?;
    let_go_of_terminal()?;
    detach();
    Ok(())
}
