//! The meaning of an option.

use std::borrow::Cow;

use super::settings::Settings;

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
pub(super) const READ: &str = "What to read";
pub(super) const SHOW: &str = "What to show";
pub(super) const CACHE: &str = "Cache";
pub(super) const SPEED: &str = "Speed";
pub(super) const OWNERS: &str = "Owners and permissions";

/// An option.
pub(super) struct OptionRow {
    pub(super) name: &'static str,
    /// The heading in the help.
    pub(super) heading: &'static str,
    /// A few words for `-h`; empty for an option that only `--help` shows.
    pub(super) short: &'static str,
    /// The placeholder for the value in the help; empty if the option takes none.
    pub(super) value: &'static str,
    /// Empty for an option that only tests need: it works only in `-o` lists, and no page shows it.
    pub(super) help: &'static str,
    /// True if the option may be repeated, and every value counts.
    pub(super) repeats: bool,
    /// Sets the value, or returns a description of valid ones.
    pub(super) set: fn(&mut Settings, &str) -> Result<(), ValidValues>,
}

impl OptionRow {
    /// False for an option that only tests need.
    pub(super) fn is_shown(&self) -> bool {
        !self.help.is_empty()
    }
}

/// Description of valid values, in words that follow "is not".
pub type ValidValues = Cow<'static, str>;
