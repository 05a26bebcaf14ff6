//! Words for people on standard error. Nothing here minds when nobody can hear them.

use std::fmt;
use std::io::Write;
use std::panic;

use env_logger::{Env, WriteStyle};
use log::Level;

use crate::library::on_one_line;

/// Starts the log: warnings and errors, or what `RUST_LOG` says. Panics go there, too.
pub fn start() {
    // fuser reports every reader that was killed while it waited.
    let _ = env_logger::Builder::from_env(Env::default().default_filter_or("warn,fuser=off"))
        .write_style(WriteStyle::Never)
        .format(|line, record| match record.level() {
            Level::Error | Level::Warn => {
                writeln!(line, "pgnfs: {}", on_one_line(&record.args().to_string()))
            }
            level => writeln!(line, "pgnfs: {level} {}: {}", record.target(), record.args()),
        })
        .try_init();
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
}

/// Writes a line to standard error.
pub fn say(message: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "pgnfs: {message}");
}
