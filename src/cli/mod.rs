//! The command line: arguments in, exit code out.

mod arguments;
mod cache;
mod check;
mod completion;
mod export;
mod find;
mod info;
mod json;
mod logging;
mod manual;
mod mount;
mod options;
mod output;
mod pages;
mod progress;
mod search;
mod status;
mod unknown;

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::mount as mounting;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{LeftOut, Library, on_one_line, shown};
use chessdb_library::mapped::limit_kept;
use chessdb_library::positions::IndexUse;
use options::{OptionError, Scope, Settings};

/// Why a command failed, as a message for the user.
type CommandError = Box<dyn Error>;

/// Exit code of a command that found problems.
const PROBLEMS: u8 = 1;

/// Exit code of a search that found nothing.
const FOUND_NONE: u8 = 1;

/// Exit codes for incorrect usage and for a failure.
struct Failed {
    usage: u8,
    work: u8,
}

const FAILED: Failed = Failed { usage: 2, work: 2 };

/// Exit codes of mount(8).
const MOUNT_FAILED: Failed = Failed { usage: 1, work: 32 };

/// Runs the command given by the arguments. Errors are printed to standard error as `pgnfs: message`.
///
/// The exit code is 0 for success, 1 if problems were found or a search found nothing, 2 for a failure; under
/// the name `mount.pgnfs` it is that of mount(8).
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    limit_kept();
    logging::start();
    let failed = if arguments::is_mount_helper(&arguments) {
        MOUNT_FAILED
    } else {
        FAILED
    };
    match arguments::parse(arguments) {
        Ok(matches) => dispatch(&matches).unwrap_or_else(|failure| {
            logging::say(format_args!("{failure}"));
            let code = if failure.is::<OptionError>() {
                failed.usage
            } else {
                failed.work
            };
            mounting::report_failure(code);
            ExitCode::from(code)
        }),
        Err(error) => explain(error, failed.usage),
    }
}

fn dispatch(matches: &ArgMatches) -> Result<ExitCode, CommandError> {
    match matches.subcommand() {
        Some(("mount", matches)) => mount::run(&mount::MountRequest {
            source: path(matches, "SOURCE"),
            point: path(matches, "MOUNTPOINT"),
            foreground: matches.get_flag("foreground"),
            settings: options::settings(matches, Scope::Mount, false)?,
        }),
        Some(("unmount", matches)) => {
            let point = path(matches, "MOUNTPOINT");
            if mounting::unmount(point)? && !matches.get_flag("lazy") {
                logging::say(format_args!(
                    "{} is unmounted, but files in it are open: its program ends when they are closed",
                    shown(point)
                ));
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(("export", matches)) => {
            let request = export::Request::read(matches)?;
            let (library, settings, kept) = open(matches, Scope::Search, path(matches, "SOURCE"))?;
            warn_of_left_out(&library, |path| request.may_concern(path), BY_INFO);
            export::run(&library, request, &settings, kept)
        }
        Some(("find", matches)) => {
            let question = find::Question::read(matches)?;
            let (library, settings, kept) = open(matches, Scope::Search, question.source())?;
            warn_of_left_out(&library, |path| question.may_concern(path), BY_INFO);
            find::run(&library, &question, &settings, kept)
        }
        Some(("check", matches)) => {
            let (library, settings, _) = open(matches, Scope::Games, path(matches, "SOURCE"))?;
            check::run(&library, settings.serve.threads)
        }
        Some(("info", matches)) => {
            let (library, ..) = open(matches, Scope::Games, path(matches, "SOURCE"))?;
            let form = if matches.get_flag("json") {
                info::InfoForm::Json
            } else if matches.get_flag("long") {
                info::InfoForm::Long
            } else {
                info::InfoForm::Short
            };
            info::run(&library, form)
        }
        Some(("status", matches)) => status::run(
            path(matches, "MOUNTPOINT"),
            matches.get_flag("json"),
            matches.get_flag("wait"),
        ),
        Some((arguments::GENERATE, matches)) => {
            let kind = matches.get_one("KIND").map_or("", String::as_str);
            ended(manual::write(kind, &mut io::stdout()), "standard output")
        }
        Some((arguments::COMPLETE, matches)) => {
            let words = matches.get_many("WORDS").into_iter().flatten().cloned();
            ended(
                completion::write(words.collect(), &mut io::stdout()),
                "standard output",
            )
        }
        Some((mounting::GUARDIAN, matches)) => {
            mounting::guard(path(matches, "MOUNTPOINT"))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => mount_as_helper(matches),
    }
}

/// Mounts as the helper of mount(8).
fn mount_as_helper(matches: &ArgMatches) -> Result<ExitCode, CommandError> {
    if options::is_idle_remount(matches) {
        mounting::find(path(matches, "MOUNTPOINT"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = options::settings(matches, Scope::Mount, matches.get_flag("sloppy"))?;
    if matches.get_flag("fake") {
        return Ok(ExitCode::SUCCESS);
    }
    mount::run(&mount::MountRequest {
        source: path(matches, "SOURCE"),
        point: path(matches, "MOUNTPOINT"),
        foreground: false,
        settings,
    })
}

/// Opens the source. Also returns what is kept between runs.
fn open(
    matches: &ArgMatches,
    scope: Scope,
    source: &Path,
) -> Result<(Library, Settings, Option<KeptFiles>), CommandError> {
    let settings = options::settings(matches, scope, false)?;
    let (bar, report) = progress::reading();
    let kept = cache::kept_files(&settings, settings.index == IndexUse::Yes);
    mounting::survive_long_files()?;
    let library = Library::open_reporting(
        source,
        &settings.formats,
        &settings.selection,
        report,
        kept.clone(),
    );
    bar.finish_and_clear();
    Ok((library?, settings, kept))
}

/// What was left out, without files that probably have nothing to do with chess: only `info` lists those.
fn left_out(library: &Library) -> impl Iterator<Item = &LeftOut> {
    let all = library.left_out().iter();
    all.filter(|left_out| !left_out.is_doubtful)
}

/// Where the reasons are for which something was left out.
const BY_INFO: &str = "'pgnfs info' lists them with the reasons";

/// Logs a line about what was left out and was asked for. `listed` says where all of it is listed.
fn warn_of_left_out(library: &Library, is_asked: impl Fn(&str) -> bool, listed: &str) {
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
fn path<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one(name).map_or(Path::new(""), |path: &PathBuf| path)
}

/// The result of a command that has written its output. A closed pipe is not a failure, because its reader
/// needs no more.
fn ended(written: io::Result<()>, place: impl Display) -> Result<ExitCode, CommandError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("{place} cannot be written: {error}").into())
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Number of games in all databases.
fn games(library: &Library) -> u64 {
    let databases = library.databases().iter();
    databases.map(|entry| u64::from(entry.database.len())).sum()
}

/// `1 game`, `2 games`.
fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Prints help and version to standard output, anything else as an error.
fn explain(error: clap::Error, failed: u8) -> ExitCode {
    let error = with_words_on_one_line(error);
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe is not a failure.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            logging::say(format_args!("name a command\n\n{}", text.trim_end()));
        }
        _ => {
            let text = unknown(&error).unwrap_or_else(|| {
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                text.trim_end().to_owned()
            });
            logging::say(format_args!("{text}"));
        }
    }
    ExitCode::from(failed)
}

/// Removes line feeds from the error's quotations of the command line.
fn with_words_on_one_line(mut error: clap::Error) -> clap::Error {
    let context = error.context().map(|(kind, value)| {
        let value = match value {
            ContextValue::String(word) => ContextValue::String(on_one_line(word).into_owned()),
            ContextValue::StyledStrs(tips) => {
                let tips = tips.iter().map(|tip| on_one_line(&tip.to_string()).into_owned());
                ContextValue::StyledStrs(tips.map(StyledStr::from).collect())
            }
            value => value.clone(),
        };
        (kind, value)
    });
    for (kind, value) in context.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

/// What was probably meant by an unknown command or a long option, if that is the error.
fn unknown(error: &clap::Error) -> Option<String> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let commands = arguments::pgnfs();
            let names = commands.get_subcommands().map(clap::Command::get_name);
            Some(unknown::command(word(ContextKind::InvalidSubcommand)?, names))
        }
        ErrorKind::UnknownArgument => {
            let name = word(ContextKind::InvalidArg)?.strip_prefix("--")?;
            let of_others = options::of_others(name).map(|error| error.to_string());
            of_others.or_else(|| unknown::option(name))
        }
        _ => None,
    }
}
