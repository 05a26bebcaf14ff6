//! Completions: the words that a shell offers while a command is typed. The shell asks the program for them.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate, complete};

use super::{arguments, options};
use chessdb_library::mounts::Mounts;
use chessdb_library::query::fields;

/// The script that makes each shell call the program.
pub const SCRIPTS: [(&str, &str); 3] = [
    ("bash", include_str!("completion/pgnfs.bash")),
    ("zsh", include_str!("completion/pgnfs.zsh")),
    ("fish", include_str!("completion/pgnfs.fish")),
];

/// Writes the completions of the last word: a line for each candidate, with a tab and its description. Writes none for
/// a path, which shells complete themselves.
///
/// # Errors
/// If they cannot be written.
pub fn write(words: Vec<OsString>, out: &mut impl Write) -> io::Result<()> {
    let Some(last) = words.len().checked_sub(1) else {
        return Ok(());
    };
    let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
    // While the word is still empty, the user more likely wants a path or a mount than an option.
    let has_options = is_option(&words[last]);
    for candidate in complete(&mut completed(), words, last, None)? {
        let word = candidate.get_value();
        if is_option(word) && !has_options {
            continue;
        }
        out.write_all(word.as_encoded_bytes())?;
        let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "\t{}", help.lines().next().unwrap_or_default())?;
    }
    out.flush()
}

/// The commands with the words that arguments accept. Only completions use these: for an invalid value, the program's
/// own message says more than clap's list of words.
fn completed() -> Command {
    arguments::pgnfs().mut_subcommands(|command| {
        let is_of_mount = matches!(command.get_name(), "unmount" | "status");
        command.mut_args(
            |arg| match (options::choices(arg.get_id().as_str()), arg.get_id().as_str()) {
                ([], "MOUNTPOINT") if is_of_mount => arg.add(ArgValueCandidates::new(mounts)),
                ([], "where" | "QUERY") => arg.add(ArgValueCandidates::new(beginnings)),
                ([], _) => arg,
                (choices, _) => arg.value_parser(PossibleValuesParser::new(choices)),
            },
        )
    })
}

/// The mounts of all users. The command explains why it refuses another user's mount.
fn mounts() -> Vec<CompletionCandidate> {
    let mounts = Mounts::read().unwrap_or_default();
    mounts.of_this_program().map(CompletionCandidate::new).collect()
}

/// Starts of queries, such as `player:`.
fn beginnings() -> Vec<CompletionCandidate> {
    let beginnings = fields().map(|(name, about)| {
        let beginning = CompletionCandidate::new(format!("{name}:"));
        beginning.help(Some(about.into()))
    });
    beginnings.collect()
}
