//! The command line: arguments in, exit code out.

mod arguments;
mod check;
mod export;
mod info;
mod logging;
mod mount;
mod options;
mod ordered;
mod progress;

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::ErrorKind;

use crate::library::Library;
use crate::mount as mounting;
use options::{Scope, Settings};

/// Why a command cannot do its work, in words for people.
type Failure = Box<dyn Error>;

/// Exit code of a command that found problems.
const PROBLEMS: u8 = 1;

/// Exit code of a command that cannot do its work.
const FAILED: u8 = 2;

/// Runs the command that the arguments name. Errors are on standard error, each as `pgnfs: message`.
///
/// The exit code is 0 where all is well, 1 where problems were found, 2 where something cannot be done.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    logging::start();
    match arguments::parse(arguments) {
        Ok(matches) => dispatch(&matches).unwrap_or_else(|failure| {
            logging::say(format_args!("{failure}"));
            ExitCode::from(FAILED)
        }),
        Err(error) => explain(&error),
    }
}

fn dispatch(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match matches.subcommand() {
        Some(("mount", matches)) => mount::run(&mount::Request {
            source: path(matches, "SOURCE"),
            point: path(matches, "MOUNTPOINT"),
            foreground: matches.get_flag("foreground"),
            settings: options::settings(matches, Scope::Mount, false)?,
        }),
        Some(("unmount", matches)) => {
            mounting::unmount(path(matches, "MOUNTPOINT"))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(("export", matches)) => {
            let (library, settings) = open(matches)?;
            let database = matches.get_one("DATABASE").map(String::as_str);
            warn_of_left_out(&library);
            export::run(&library, database, settings.serve.threads)
        }
        Some(("check", matches)) => {
            let (library, settings) = open(matches)?;
            check::run(&library, settings.serve.threads)
        }
        Some(("info", matches)) => {
            let (library, _) = open(matches)?;
            info::run(&library, matches.get_flag("json"))
        }
        Some((mounting::GUARDIAN, matches)) => {
            mounting::guard(path(matches, "MOUNTPOINT"))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => mount_as_helper(matches),
    }
}

/// Does what mount(8) asks of its helper.
fn mount_as_helper(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let settings = options::settings(matches, Scope::Mount, matches.get_flag("sloppy"))?;
    if matches.get_flag("fake") {
        return Ok(ExitCode::SUCCESS);
    }
    mount::run(&mount::Request {
        source: path(matches, "SOURCE"),
        point: path(matches, "MOUNTPOINT"),
        foreground: false,
        settings,
    })
}

fn open(matches: &ArgMatches) -> Result<(Library, Settings), Failure> {
    let settings = options::settings(matches, Scope::Games, false)?;
    let library = Library::open(path(matches, "SOURCE"), &settings.formats)?;
    Ok((library, settings))
}

/// For commands that do not list it themselves.
fn warn_of_left_out(library: &Library) {
    for left_out in library.left_out() {
        log::warn!("{}: left out: {}", left_out.path, left_out.reason);
    }
}

/// A path that the arguments cannot lack.
fn path<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one(name).map_or(Path::new(""), |path: &PathBuf| path)
}

/// `1 game`, `2 games`.
fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Help and version go to standard output, all else is an error.
fn explain(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe has seen enough.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            logging::say(format_args!("name a command\n\n{}", text.trim_end()));
        }
        _ => {
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            logging::say(format_args!("{}", text.trim_end()));
        }
    }
    ExitCode::from(FAILED)
}
