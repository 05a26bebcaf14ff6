//! The command line: arguments in, exit code out.

mod arguments;
mod cache;
mod check;
mod command;
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
#[cfg(feature = "serve")]
mod serve;
mod status;
mod unknown;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::mount as mounting;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryOptions, on_one_line, shown};
use chessdb_library::mapped::limit_kept;
use chessdb_library::positions::IndexUse;
use command::{CommandError, FOUND_NONE, PROBLEMS, counted, ended, games, left_out, path, warn_of_left_out};
use options::{OptionError, Scope, Settings};

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
/// The exit code is 0 for success, 1 if problems were found or a search found nothing, 2 for a failure; under the name
/// `mount.pgnfs` it is the exit code that mount(8) expects.
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
        Some(("mount", matches)) => mount::run(
            path(matches, "SOURCE"),
            path(matches, "MOUNTPOINT"),
            matches.get_flag("foreground"),
            &options::settings(matches, Scope::Mount, false)?,
        ),
        #[cfg(feature = "serve")]
        Some(("serve", matches)) => serve::run(matches),
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
            check::run(&library, &settings.formats, settings.serve.threads)
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
            matches.get_one::<PathBuf>("login").map(PathBuf::as_path),
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
    mount::run(
        path(matches, "SOURCE"),
        path(matches, "MOUNTPOINT"),
        false,
        &settings,
    )
}

/// Opens the source. Also returns the files kept between runs.
fn open(
    matches: &ArgMatches,
    scope: Scope,
    source: &Path,
) -> Result<(Library, Settings, Option<KeptFiles>), CommandError> {
    let settings = options::settings(matches, scope, false)?;
    let (bar, report) = progress::reading();
    let kept = cache::kept_files(&settings, settings.index == IndexUse::Yes);
    mounting::survive_long_files()?;
    let options = LibraryOptions {
        formats: settings.formats.clone(),
        selection: settings.selection.clone(),
        kept: kept.clone(),
        report: Some(report),
        ..LibraryOptions::default()
    };
    let library = options.open(source);
    bar.finish_and_clear();
    Ok((library?, settings, kept))
}

/// Where users find out why something was left out.
const BY_INFO: &str = "'pgnfs info' lists them with the reasons";

/// Prints help and version to standard output, and everything else as an error.
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

/// If the error is an unknown command or long option: a message that suggests the likely intended one.
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
            let word = word(ContextKind::InvalidArg)?;
            let Some(name) = word.strip_prefix("--") else {
                return Some(unknown::word(word));
            };
            let of_other_commands = options::option_of_other_commands(name).map(|error| error.to_string());
            let commands = arguments::pgnfs();
            unknown::option_of_commands(name, commands.get_subcommands())
                .or(of_other_commands)
                .or_else(|| unknown::option(name))
        }
        _ => None,
    }
}
