//! The program `pgnfs`: see [`pgnfs::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pgnfs::cli::run(std::env::args_os().collect())
}
