//! The program `pgnfs`: see [`pgnfs::cli`].

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    pgnfs::cli::run(std::env::args_os().collect())
}
