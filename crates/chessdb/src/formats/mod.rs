//! The list of formats.
//!
//! A new format is a folder here, a row in [`FORMATS`], a page in `docs/formats/` and a folder of test data. Code that
//! all formats share is in `database`. No format uses this list.

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
mod jose;
#[cfg(feature = "parquet")]
mod parquet_file;
mod pgn_common;
mod pgn_file;
mod scid;
mod simplecdb;

use std::path::Path;

pub use crate::database::{ByContent, Format, NamedDatabase, Opened, SmallFiles};
use crate::files::Candidate;
pub use pgn_common::nag_of_sign;
pub use pgn_file::is_converted;

/// All formats, in the order in which opening tries them.
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
    #[cfg(feature = "parquet")]
    parquet_file::FORMAT,
    pgn_file::FORMAT,
];

/// The main files of databases of all formats, as people name them.
pub const MAIN_FILES: &str = ".pgn .cbh .2cbh .cbf .si3 .si4 .si5 .cdp .dci .dcg .brn .fbk .parquet, archives (.zip .cbv .2cbv .cbz .jose) \
                              and folders of jose";

/// The databases that a file may be, judged by its content. This is for a file that the user names and whose name no
/// format accepts; when a folder is searched, such guesses would surprise users.
pub fn by_content(path: &Path, bytes: &[u8]) -> Vec<(&'static Format, Candidate)> {
    let accepts = |(format, _): &(&'static Format, Candidate)| {
        let hook = format.by_content.as_ref();
        hook.is_some_and(|hook| (hook.accepts)(bytes))
    };
    recognisable(path).into_iter().filter(accepts).collect()
}

/// The databases that a file could be according to the formats that recognise files by their content. The content is
/// not tested.
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
