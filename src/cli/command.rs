//! Shared by commands: errors, exit codes and messages.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;

use chessdb_library::library::{LeftOut, Library};

/// Why a command failed, as a message for the user.
pub(super) type CommandError = Box<dyn Error>;

/// Exit code of a command that found problems.
pub(super) const PROBLEMS: u8 = 1;

/// Exit code of a search that found nothing.
pub(super) const FOUND_NONE: u8 = 1;

/// What was left out, without files that probably have nothing to do with chess: only `info` lists them.
pub(super) fn left_out(library: &Library) -> impl Iterator<Item = &LeftOut> {
    let all = library.left_out().iter();
    all.filter(|left_out| !left_out.is_doubtful)
}

/// Warns of files that were left out, if `is_asked` is true for their paths. `listed` says where all of them are
/// listed.
pub(super) fn warn_of_left_out(library: &Library, is_asked: impl Fn(&str) -> bool, listed: &str) {
    let mut all = left_out(library).filter(|one| is_asked(&one.path));
    let Some(one) = all.next() else {
        return;
    };
    match all.count() {
        0 => log::warn!("{}: left out: {}", one.path, one.reason),
        others => log::warn!(
            "{} and {} were left out: {listed}",
            one.path,
            counted(others as u64, "other")
        ),
    }
}

/// A required path.
pub(super) fn path<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one(name).map_or(Path::new(""), |path: &PathBuf| path)
}

/// The result of a command that has written its output. A closed pipe is not a failure, because its reader has read
/// enough.
pub(super) fn ended(written: io::Result<()>, place: impl Display) -> Result<ExitCode, CommandError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("{place} cannot be written: {error}").into())
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Number of games in all databases.
pub(super) fn games(library: &Library) -> u64 {
    let databases = library.databases().iter();
    databases.map(|entry| u64::from(entry.database.len())).sum()
}

/// `1 game`, `2 games`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
