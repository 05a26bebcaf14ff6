//! What is wrong with options.

use std::fmt;

use super::row::{Scope, ValidValues};
use chessdb_library::library::{abridged, on_one_line};

/// Maximum number of bytes of a value that an error shows.
const MOST_SHOWN: usize = 200;

/// What is wrong with an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// No command has an option of this name. The scope belongs to the command that was called.
    Unknown(String, Scope),
    /// The option belongs to other commands than the one that was called: name, commands.
    OnlyFor(&'static str, &'static str),
    /// The option lacks its value: name, placeholder of the value.
    NoValue(&'static str, &'static str),
    /// The option has a value but takes none.
    NeedlessValue(&'static str),
    /// `remount`, which would change the options of an existing mount.
    Remount,
    /// `nonempty`, an option of other FUSE file systems.
    NonEmpty,
    /// The value is invalid: name, value, description of valid values.
    BadValue(&'static str, String, ValidValues),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name, scope @ (Scope::Mount | Scope::Serve)) => {
                let (name, is_mount) = (on_one_line(name), *scope == Scope::Mount);
                let command = if is_mount { "mount" } else { "serve" };
                write!(
                    f,
                    "unknown option '{name}': see pgnfs {command} --help; a comma in a value of -o is written \\,"
                )
            }
            OptionError::Unknown(name, Scope::Games | Scope::Search) => write!(
                f,
                "unknown option '{}': see --help after the command; a comma in a value of -o is written \\,; to export \
                 to a file, use --output FILE",
                on_one_line(name)
            ),
            OptionError::OnlyFor(name, commands) => write!(f, "option '{name}' is only for {commands}"),
            OptionError::NoValue(name, value) => write!(f, "option '{name}' needs a value: {name}={value}"),
            OptionError::NeedlessValue(name) => write!(f, "option '{name}' takes no value"),
            OptionError::Remount => f.write_str(
                "the options of a mount cannot be changed: unmount it, and mount it again with other options",
            ),
            OptionError::NonEmpty => f.write_str(
                "there is no option 'nonempty', because a mount would hide what is in the folder: name an empty folder",
            ),
            OptionError::BadValue(name, value, wanted) => {
                write!(
                    f,
                    "option '{name}': '{}' is not {}",
                    abridged(value, MOST_SHOWN),
                    on_one_line(wanted)
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}
