//! What is wrong with options.

use std::borrow::Cow;
use std::fmt;

use super::Scope;
use crate::library::on_one_line;

/// What is wrong with an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// None of the commands of this scope knows it, and it is no other's.
    Unknown(String, Scope),
    /// It belongs to another command.
    MountOnly(&'static str),
    /// It lacks its value: name, what stands for the value.
    NoValue(&'static str, &'static str),
    /// It has a value and takes none.
    NeedlessValue(&'static str),
    /// An existing mount should get other options.
    Remount,
    /// Its value is none: name, value, what it should be.
    BadValue(&'static str, String, Wanted),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name, Scope::Mount) => {
                let name = on_one_line(name);
                write!(f, "unknown option '{name}': pgnfs mount --help shows all")
            }
            OptionError::Unknown(name, Scope::Games) => write!(
                f,
                "unknown option '{}': pgnfs export --help shows all; what writes to a file is --output FILE",
                on_one_line(name)
            ),
            OptionError::MountOnly(name) => write!(f, "option '{name}' is for mount alone"),
            OptionError::NoValue(name, value) => write!(f, "option '{name}' needs a value: {name}={value}"),
            OptionError::NeedlessValue(name) => write!(f, "option '{name}' takes no value"),
            OptionError::Remount => f.write_str(
                "a mount keeps the options that it has: unmount it, and mount it again with others",
            ),
            OptionError::BadValue(name, value, wanted) => {
                write!(
                    f,
                    "option '{name}': '{}' is not {}",
                    on_one_line(value),
                    on_one_line(wanted)
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// What a value should have been, as it follows "is not".
pub type Wanted = Cow<'static, str>;
