//! The options, which can be written `--name=value` or `-o name=value`.

mod error;
mod for_games;
mod for_mount;
mod for_search;
mod for_serving;
mod generic;
mod read;
mod settings;
mod values;

use error::ValidValues;

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
pub use settings::{CacheFolder, Settings};

/// The commands that have an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All commands that read games.
    Games,
    /// `find` and `export`, which search for players.
    Search,
    /// `serve`, which also serves the tree of files.
    Serve,
    /// `mount`, which also has options about owners and the kernel.
    Mount,
}

/// The headings of options.
const READ: &str = "What to read";
const SHOW: &str = "What to show";
const CACHE: &str = "Cache";
const SPEED: &str = "Speed";
const OWNERS: &str = "Owners and permissions";

/// An option.
struct OptionRow {
    name: &'static str,
    /// The heading in the help.
    heading: &'static str,
    /// A few words for `-h`; empty for an option that only `--help` shows.
    short: &'static str,
    /// The placeholder for the value in the help; empty if the option takes none.
    value: &'static str,
    /// Empty for an option that only tests need: it works only in `-o` lists, and no page shows it.
    help: &'static str,
    /// True if the option may be repeated, and every value counts.
    repeats: bool,
    /// Sets the value, or returns a description of valid ones.
    set: fn(&mut Settings, &str) -> Result<(), ValidValues>,
}

/// The options in a scope, including hidden ones.
fn rows(scope: Scope) -> impl Iterator<Item = &'static OptionRow> {
    let sets = [
        for_games::ROWS,
        for_search::ROWS,
        for_serving::ROWS,
        for_mount::ROWS,
    ];
    let number = match scope {
        Scope::Games => 1,
        Scope::Search => 2,
        Scope::Serve => 3,
        Scope::Mount => 4,
    };
    sets.into_iter().take(number).flatten()
}

impl OptionRow {
    fn is_shown(&self) -> bool {
        !self.help.is_empty()
    }
}

#[cfg(test)]
mod tests;
