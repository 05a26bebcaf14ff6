//! Messages and the log. They go to standard error or, once that is detached, to the system log. Errors when writing
//! them are ignored.

use std::env;
use std::fmt;
use std::io::{self, Write, stderr};
use std::os::unix::net::UnixDatagram;
use std::panic;
use std::path::Path;
use std::sync::OnceLock;

use log::{Level, Record};

use crate::mount::is_detached;
use chessdb_library::library::{is_unprintable, on_one_line, shown};

/// The socket of syslog, which systemd's journal provides as well.
const SYSTEM_LOG: &str = "/dev/log";

/// The default level. fuser warns about every kind of request that the file system does not implement, so only
/// its warnings about replies are enabled.
const USUAL: &str = "warn,fuser=error,fuser::reply=warn";

/// Log target of fuser for replies that could not be sent.
const REPLIES: &str = "fuser::reply";

/// The end of that message if the kernel no longer waits for the reply, because the program that asked was killed or
/// [`crate::fuse`] has already written the reply.
const NOT_WAITED_FOR: &str = "(os error 2)";

/// Starts the log at the level of `RUST_LOG`, by default with warnings and errors. It also gets panics.
pub fn start() {
    let wanted = env::var("RUST_LOG").unwrap_or_else(|_| USUAL.to_owned());
    let refused = env_filter::Builder::new().try_parse(&wanted).err();
    let filter = if refused.is_some() { USUAL } else { &wanted };
    // Fails only if the log has been started already.
    let _ = builder(filter).format(write_record).try_init();
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    if let Some(error) = refused {
        log::warn!("RUST_LOG is not used: {error}");
    }
}

/// The libraries that a filter for `pgnfs` includes.
const LIBRARIES: [&str; 2] = ["chessdb_library", "pgnfs_server"];

/// A log with a valid filter, in which `pgnfs` includes [`LIBRARIES`].
fn builder(filter: &str) -> env_logger::Builder {
    let directives = filter.split('/').next().unwrap_or_default().split(',');
    let ours = directives.filter_map(|directive| directive.trim().strip_prefix("pgnfs"));
    let of_libraries = |rest| LIBRARIES.map(|library| format!("{library}{rest},"));
    let libraries: String = ours.flat_map(of_libraries).collect();
    let mut builder = env_logger::Builder::new();
    // If a target has two directives, the second one counts.
    builder.parse_filters(&(libraries + filter));
    builder
}

/// The mount point. Lines in the system log start with it, because all mounts write to the same log.
static MOUNT: OnceLock<String> = OnceLock::new();

/// Sets the mount point that lines in the system log name.
pub fn name_mount(point: &Path) {
    // A process has one mount.
    let _ = MOUNT.set(shown(point));
}

/// Writes a message to standard error; in the background, sends it to the system log as an error.
pub fn say(message: fmt::Arguments<'_>) {
    if is_detached() {
        send(Level::Error, &message.to_string());
    } else {
        write(&plain(&message.to_string()));
    }
}

/// Writes a message to standard error. If that fails, the message is lost.
fn write(message: &str) {
    let _ = stderr().write_all(format!("pgnfs: {message}\n").as_bytes());
}

fn write_record(out: &mut env_logger::fmt::Formatter, record: &Record<'_>) -> io::Result<()> {
    if is_not_waited_for(record) && !log::log_enabled!(target: REPLIES, Level::Debug) {
        return Ok(());
    }
    if is_detached() {
        send(record.level(), &text(record));
        return Ok(());
    }
    writeln!(out, "pgnfs: {}", text(record))
}

/// True for the message about a reply that the kernel no longer waits for. It is logged at level debug.
fn is_not_waited_for(record: &Record<'_>) -> bool {
    record.target() == REPLIES && record.args().to_string().ends_with(NOT_WAITED_FOR)
}

/// Replaces characters that a terminal would interpret, except line feeds.
fn plain(text: &str) -> String {
    text.replace(|c: char| c != '\n' && is_unprintable(c), " ")
}

fn text(record: &Record<'_>) -> String {
    let text = match record.level() {
        Level::Error | Level::Warn => record.args().to_string(),
        level => format!("{level} {}: {}", record.target(), record.args()),
    };
    on_one_line(&text).into_owned()
}

/// Sends a line to the system log.
fn send(level: Level, text: &str) {
    let severity = match level {
        Level::Error => 3,
        Level::Warn => 4,
        Level::Info => 6,
        Level::Debug | Level::Trace => 7,
    };
    const DAEMON: u8 = 3 << 3;
    let mount = MOUNT.get().map(|point| format!("{point}: ")).unwrap_or_default();
    let line = format!(
        "<{}>pgnfs[{}]: {mount}{}",
        DAEMON | severity,
        std::process::id(),
        on_one_line(text)
    );
    if let Ok(socket) = UnixDatagram::unbound() {
        // If the log does not accept the line at once, the line is dropped.
        let _ = socket.set_nonblocking(true);
        let _ = socket.send_to(line.as_bytes(), SYSTEM_LOG);
    }
}

#[cfg(test)]
mod tests {
    use log::{Log, Metadata};

    use super::*;

    #[test]
    fn replies_that_fail_are_logged_unless_the_kernel_does_not_wait_for_them() {
        let failed = |errno| {
            let error = io::Error::from_raw_os_error(errno);
            (
                Level::Error,
                REPLIES,
                format!("Failed to send FUSE reply: {error}"),
            )
        };
        let forgotten = "Reply not sent for operation 2, replying with I/O error";
        let rows = [
            (failed(libc::ENOENT), false),
            (failed(libc::EINVAL), true),
            ((Level::Warn, REPLIES, forgotten.to_owned()), true),
            (
                (Level::Warn, "fuser", "[Not Implemented] bmap()".to_owned()),
                false,
            ),
            ((Level::Warn, "pgnfs::fs", "no thread".to_owned()), true),
            ((Level::Debug, "pgnfs::fs", "a thread".to_owned()), false),
        ];
        let usual = builder(USUAL).build();
        for ((level, target, text), is_usual) in rows {
            let mut record = Record::builder();
            record.level(level).target(target);
            let args = format_args!("{text}");
            let record = record.args(args).build();
            let is_shown = usual.matches(&record) && !is_not_waited_for(&record);
            assert_eq!(is_shown, is_usual, "{text}");
        }
    }

    #[test]
    fn a_filter_for_pgnfs_holds_for_its_library() {
        let rows = [
            ("pgnfs=trace", "chessdb_library::kept", Level::Trace, true),
            ("pgnfs", "chessdb_library::kept", Level::Trace, true),
            ("pgnfs::fs=trace", "pgnfs_server::fs", Level::Trace, true),
            (
                "warn, pgnfs::library=info",
                "chessdb_library::library",
                Level::Info,
                true,
            ),
            (
                "warn,pgnfs::library=info",
                "chessdb_library::kept",
                Level::Info,
                false,
            ),
            (
                "pgnfs=trace,chessdb_library=warn",
                "pgnfs::fs",
                Level::Trace,
                true,
            ),
            (
                "pgnfs=trace,chessdb_library=warn",
                "chessdb_library::kept",
                Level::Info,
                false,
            ),
            ("fuser=trace", "chessdb_library::kept", Level::Warn, false),
        ];
        for (filter, target, level, is_shown) in rows {
            let metadata = Metadata::builder().level(level).target(target).build();
            let logger = builder(filter).build();
            assert_eq!(logger.enabled(&metadata), is_shown, "{filter}: {target}");
        }
    }
}
