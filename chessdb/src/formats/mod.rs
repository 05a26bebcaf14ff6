//! Every format behind one trait, and the only list of formats.
//!
//! A new format is a folder here, a row in [`FORMATS`], a page in `docs/formats/` and a folder of test data.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod brenner;
mod chess_assistant;
mod chessbase;
mod chessbase_2cbh;
mod chessbase_cbh;
mod chessbase_common;
mod database;
mod files;
mod jose;
mod pgn_file;
mod rows;
mod scid;
mod several;
mod simplecdb;

use std::path::Path;

use crate::packed::PackedError;
pub use crate::problem::{Problem, ProblemKind, Remedy};
pub use database::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, Part, TextId};
pub use files::{Bytes, Candidate, Files, Kept, Progress, SourceFile, SourceFolder, by_stem};

/// The user's options for reading games. By default every format applies its own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Code page of the texts, by a label of the WHATWG encoding standard.
    pub encoding: Option<String>,
    /// Forces one of a format's readings, by the name in [`Info::rows`]. Formats without such a reading
    /// ignore it, because a folder may contain several formats.
    pub reading: Option<String>,
    /// Corrects dates that show a known bug of the writer.
    pub fix_dates: bool,
    /// Passwords of encrypted archives, of which each is tried.
    pub passwords: Passwords,
    /// How games of PGN files are shown.
    pub pgn: PgnForm,
}

/// How games of PGN files are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PgnForm {
    /// As they are written, but in UTF-8 with line feeds, and with one empty line at the end.
    #[default]
    Cleaned,
    /// Read and written again, as the games of all other formats.
    Export,
    /// Byte for byte.
    Verbatim,
}

/// Passwords, in the bytes that their programs use. Nothing shows them but [`Passwords::iter`].
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Passwords(Vec<Vec<u8>>);

impl Passwords {
    /// One password a line.
    pub fn of_lines(text: &str) -> Passwords {
        let lines = text.lines().filter(|line| !line.is_empty());
        let bytes = lines.map(|line| encoding_rs::WINDOWS_1252.encode(line).0.into_owned());
        Passwords(bytes.collect())
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The passwords.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

impl std::fmt::Debug for Passwords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passwords", self.0.len())
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            encoding: None,
            reading: None,
            fix_dates: true,
            passwords: Passwords::default(),
            pgn: PgnForm::default(),
        }
    }
}

/// A kind of database.
pub struct Format {
    /// Short name, as `info` shows it: `simplecdb`.
    pub name: &'static str,
    /// Full name, for display.
    pub title: &'static str,
    /// The databases of this format among the files of one directory, by names alone.
    pub find: fn(&SourceFolder) -> Vec<Candidate>,
    /// How to recognize a file by its content; none if only names are used.
    pub by_content: Option<ByContent>,
    /// How many small files of a folder are one database; none if every file is one.
    pub small_files: Option<SmallFiles>,
    /// Names of its readings, as the option `reading` takes them; empty if it has one only.
    pub readings: fn() -> Vec<String>,
    /// Opens a database from its files, reading headers only.
    pub open: fn(Files, &Options) -> Opened,
}

/// How a format recognises a file by its bytes alone.
pub struct ByContent {
    /// What the format calls such a file.
    pub kind: &'static str,
    /// True for bytes that are certainly a database of the format.
    pub accepts: fn(&[u8]) -> bool,
}

/// How a format reads many small files of one folder as one database.
pub struct SmallFiles {
    /// Kind of the files.
    pub kind: &'static str,
    /// Name of the database.
    pub name: &'static str,
    /// Size in bytes up to which a file is small.
    pub most_bytes: u64,
    /// Number of small files up to which each is a database.
    pub most_files: usize,
    /// False if each is a database with these options, however many there are.
    pub are_joined: fn(&Options) -> bool,
}

/// A database, or those of an archive of several, or why the files are no database.
pub type Opened = Result<Vec<Part>, NotADatabase>;

/// All formats, in the order in which they are tried.
#[rustfmt::skip]
pub static FORMATS: &[Format] = &[
    simplecdb::FORMAT,
    chessbase::FORMAT,
    chessbase::book::FORMAT,
    chessbase_cbh::FORMAT,
    chessbase_2cbh::FORMAT,
    chess_assistant::FORMAT,
    jose::FORMAT,
    brenner::FORMAT,
    scid::FORMAT,
    pgn_file::FORMAT,
];

/// The main files of databases of all formats, as people name them.
pub const MAIN_FILES: &str = ".pgn .cbh .2cbh .cbf .si3 .si4 .si5 .cdp .dci .dcg .brn .fbk, archives (.zip .cbv .2cbv .cbz .jose) \
                              and folders of jose";

/// The databases that a file may be by its content, whatever its name. This is for a file that the user names and that
/// no format accepts by its name; in a scan, such guesses would be surprising.
pub fn by_content(path: &Path, bytes: &[u8]) -> Vec<(&'static Format, Candidate)> {
    let accepts = |(format, _): &(&'static Format, Candidate)| {
        let hook = format.by_content.as_ref();
        hook.is_some_and(|hook| (hook.accepts)(bytes))
    };
    recognisable(path).into_iter().filter(accepts).collect()
}

/// The databases that a file would be if all formats accepted its content that recognise databases by it.
pub fn recognisable(path: &Path) -> Vec<(&'static Format, Candidate)> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let found = FORMATS.iter().filter_map(|format| {
        let hook = format.by_content.as_ref()?;
        let candidate = Candidate {
            name: name.to_owned(),
            files: vec![(hook.kind.to_owned(), path.to_owned())],
            warnings: Vec::new(),
        };
        Some((format, candidate))
    });
    found.collect()
}

/// The files are not a database of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotADatabase {
    /// The reason, in lower case, without a full stop.
    pub reason: String,
    /// What a user can do about it.
    pub remedy: Option<Remedy>,
}

impl NotADatabase {
    /// A reason about which a user can do nothing.
    pub fn new(reason: impl Into<String>) -> NotADatabase {
        NotADatabase {
            reason: reason.into(),
            remedy: None,
        }
    }

    /// The reason with what a user can do about it.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<Option<Remedy>>) -> NotADatabase {
        NotADatabase {
            remedy: remedy.into(),
            ..self
        }
    }
}

impl FromIterator<NotADatabase> for NotADatabase {
    /// Several reasons as one.
    fn from_iter<I: IntoIterator<Item = NotADatabase>>(errors: I) -> NotADatabase {
        let errors: Vec<NotADatabase> = errors.into_iter().collect();
        let reasons: Vec<&str> = errors.iter().map(|error| &*error.reason).collect();
        let remedy = errors.iter().find_map(|error| error.remedy);
        NotADatabase::new(reasons.join("; ")).with_remedy(remedy)
    }
}

impl From<PackedError> for NotADatabase {
    fn from(error: PackedError) -> NotADatabase {
        NotADatabase::new(error.to_string()).with_remedy(error.remedy())
    }
}

impl std::fmt::Display for NotADatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotADatabase {}
