//! Every format behind one trait, and the only list of formats.
//!
//! A new format is a folder here, a row in [`FORMATS`], a page in `docs/formats/` and a folder of test data.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod database;
mod files;
pub mod jose;
pub mod simplecdb;

pub use database::{Database, Decoded, Folder, Info, Keys, Member, Problem, TextId};
pub use files::{Bytes, Candidate, Directory, Files, SourceFile, by_stem};

/// What the user may say about how games are read. The default leaves every choice to the format's own rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Code page of the texts, by a label of the WHATWG encoding standard.
    pub encoding: Option<String>,
    /// Forces one of a format's readings, by the name that `info.txt` shows.
    pub reading: Option<String>,
    /// Corrects dates where a known bug of the writer shows in them.
    pub fix_dates: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            encoding: None,
            reading: None,
            fix_dates: true,
        }
    }
}

/// A kind of database.
pub struct Format {
    /// Short name, as `info` shows it: `simplecdb`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// The databases of this format among the files of one directory, by names alone.
    pub find: fn(&Directory) -> Vec<Candidate>,
    /// Opens a database from its files, reading headers only.
    pub open: fn(Files, &Options) -> Opened,
}

/// A database, or why the files are none.
pub type Opened = Result<Box<dyn Database>, NotADatabase>;

/// All formats, in the order in which they are tried.
pub static FORMATS: &[Format] = &[simplecdb::FORMAT, jose::FORMAT];

/// The files turned out to be no database of the format: the reason, in lower case, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotADatabase(pub String);

impl std::fmt::Display for NotADatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotADatabase {}
