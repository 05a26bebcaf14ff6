//! Words for people: on standard error and, once nobody sees that any more, in the log of the system. Nothing here
//! minds when nobody can hear them.

use std::fmt;
use std::io::Write;
use std::os::unix::net::UnixDatagram;
use std::panic;

use env_logger::{Env, Logger, WriteStyle};
use log::{Level, Log, Metadata, Record};

use crate::library::{is_unprintable, on_one_line};
use crate::mount::is_detached;

/// Where syslog listens, and the journal of systemd, too.
const SYSTEM_LOG: &str = "/dev/log";

/// Starts the log: warnings and errors, or what `RUST_LOG` says. Panics go there, too.
pub fn start() {
    // fuser reports every reader that was killed while it waited.
    let terminal = env_logger::Builder::from_env(Env::default().default_filter_or("warn,fuser=off"))
        .write_style(WriteStyle::Never)
        .format(|line, record| writeln!(line, "pgnfs: {}", text(record)))
        .build();
    let most = terminal.filter();
    if log::set_boxed_logger(Box::new(Everywhere { terminal })).is_ok() {
        log::set_max_level(most);
    }
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
}

/// Writes to standard error, mostly a line; in the background, an error to the log.
pub fn say(message: fmt::Arguments<'_>) {
    match is_detached() {
        true => send(Level::Error, &message.to_string()),
        false => {
            let _ = writeln!(std::io::stderr(), "pgnfs: {}", plain(&message.to_string()));
        }
    }
}

struct Everywhere {
    terminal: Logger,
}

impl Log for Everywhere {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.terminal.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        match is_detached() {
            true if self.terminal.matches(record) => send(record.level(), &text(record)),
            true => {}
            false => self.terminal.log(record),
        }
    }

    fn flush(&self) {}
}

/// A text that commands no terminal, whatever names are in it.
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

/// Sends a line to the log of the system.
fn send(level: Level, text: &str) {
    let severity = match level {
        Level::Error => 3,
        Level::Warn => 4,
        Level::Info => 6,
        Level::Debug | Level::Trace => 7,
    };
    const DAEMON: u8 = 3 << 3;
    let line = format!(
        "<{}>pgnfs[{}]: {}",
        DAEMON | severity,
        std::process::id(),
        on_one_line(text)
    );
    if let Ok(socket) = UnixDatagram::unbound() {
        // A log that is full is not waited for.
        let _ = socket.set_nonblocking(true);
        let _ = socket.send_to(line.as_bytes(), SYSTEM_LOG);
    }
}
