//! Messages and the log: on standard error and, once that is detached, in the system log. Errors of writing
//! are ignored.

use std::env;
use std::fmt;
use std::io::{Write, stderr};
use std::os::unix::net::UnixDatagram;
use std::panic;
use std::path::Path;
use std::sync::OnceLock;

use env_filter::Filter;
use log::{Level, Log, Metadata, Record};

use crate::mount::is_detached;
use chessdb_library::library::{is_unprintable, on_one_line, shown};

/// The socket of syslog, which systemd's journal provides as well.
const SYSTEM_LOG: &str = "/dev/log";

/// The default level. fuser warns about every kind of request that the file system does not implement, so only
/// its warnings about replies are enabled.
const USUAL: &str = "warn,fuser=error,fuser::reply=warn";

/// Log target of fuser for replies that could not be sent.
const REPLIES: &str = "fuser::reply";

/// End of that message if the kernel does not wait for the reply: its reader was killed, or [`crate::fuse`] has
/// written it.
const NOT_WAITED_FOR: &str = "(os error 2)";

/// Starts the log, at the level of `RUST_LOG` or with warnings and errors. Panics go there, too.
pub fn start() {
    let wanted = env::var("RUST_LOG").unwrap_or_else(|_| USUAL.to_owned());
    let mut filter = env_filter::Builder::new();
    let refused = filter.try_parse(&wanted).err();
    if refused.is_some() {
        // The default filter is valid.
        let _ = filter.try_parse(USUAL);
    }
    let filter = filter.build();
    let most = filter.filter();
    if log::set_boxed_logger(Box::new(Everywhere { filter })).is_ok() {
        log::set_max_level(most);
    }
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    if let Some(error) = refused {
        log::warn!("RUST_LOG is not used: {error}");
    }
}

/// The mount point that lines in the system log begin with: all mounts write to one log.
static MOUNT: OnceLock<String> = OnceLock::new();

/// Sets the mount point that lines in the system log name.
pub fn name_mount(point: &Path) {
    // A process has one mount.
    let _ = MOUNT.set(shown(point));
}

/// Writes a message to standard error; in the background, sends it to the system log as an error.
pub fn say(message: fmt::Arguments<'_>) {
    match is_detached() {
        true => send(Level::Error, &message.to_string()),
        false => write(&plain(&message.to_string())),
    }
}

/// Writes a message to standard error. If that fails, the message is lost.
fn write(message: &str) {
    let _ = stderr().write_all(format!("pgnfs: {message}\n").as_bytes());
}

struct Everywhere {
    filter: Filter,
}

impl Log for Everywhere {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.filter.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.is_enabled(record) {
            return;
        }
        match is_detached() {
            true => send(record.level(), &text(record)),
            false => write(&text(record)),
        }
    }

    fn flush(&self) {}
}

impl Everywhere {
    /// Lowers a reply that the kernel does not wait for to level debug.
    fn is_enabled(&self, record: &Record<'_>) -> bool {
        let debug = Metadata::builder().target(REPLIES).level(Level::Debug).build();
        let is_usual = || record.args().to_string().ends_with(NOT_WAITED_FOR);
        self.filter.matches(record)
            && (record.target() != REPLIES || self.filter.enabled(&debug) || !is_usual())
    }
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
        // If the log does not accept the line at once, the line is lost.
        let _ = socket.set_nonblocking(true);
        let _ = socket.send_to(line.as_bytes(), SYSTEM_LOG);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

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
        for (log, has_all) in [(USUAL, false), ("debug", true)] {
            let everywhere = Everywhere {
                filter: env_filter::Builder::new().try_parse(log).unwrap().build(),
            };
            for ((level, target, text), is_usual) in &rows {
                let mut record = Record::builder();
                record.level(*level).target(target);
                let is_enabled = everywhere.is_enabled(&record.args(format_args!("{text}")).build());
                assert_eq!(is_enabled, *is_usual || has_all, "{log}: {text}");
            }
        }
    }
}
