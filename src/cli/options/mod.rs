//! The options, which can be written `--name=value` or `-o name=value`.

mod error;
mod for_games;
mod for_mount;
mod for_search;
mod for_serving;
mod generic;
mod read;
mod row;
mod settings;
mod values;

/// The words that an option accepts, if these are few.
pub fn choices(name: &str) -> &'static [&'static str] {
    let row = CHOICES.iter().find(|(option, _)| *option == name);
    row.map_or(&[], |(_, words)| words)
}

/// The only option that accepts this word as a value; `None` if several do.
pub fn option_accepting(word: &str) -> Option<&'static str> {
    let of_spelling = SPELLINGS.contains(&word).then_some("spelling");
    let mut options = CHOICES.iter().filter(|(_, words)| words.contains(&word));
    let option = options.next().map(|(option, _)| *option).or(of_spelling)?;
    options.next().is_none().then_some(option)
}

/// The words that `spelling` accepts instead of a file.
const SPELLINGS: [&str; 2] = ["stored", "fold"];

/// The words that options accept.
const CHOICES: [(&str, &[&str]); 6] = [
    ("fix-dates", &["yes", "no"]),
    ("pgn", &["cleaned", "export", "verbatim"]),
    ("eco", &["tag", "moves"]),
    ("mtime", &["played", "source"]),
    ("index", &["auto", "yes", "no"]),
    ("watch", &["auto", "inotify", "poll", "off"]),
];

pub use error::OptionError;
pub use generic::is_generic;
pub use read::{arguments, is_idle_remount, list_argument, option_of_other_commands, settings};
pub use row::Scope;
pub use settings::{CacheFolder, Settings};

#[cfg(test)]
mod tests;
