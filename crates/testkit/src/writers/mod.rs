//! Writers of databases, from games read from PGN.
//!
//! They are small and follow the pages in `docs/formats/`. A game that a format cannot represent is refused with a
//! message, never changed.

pub mod brenner;
pub mod chess_assistant;
pub mod chessbase;
pub mod chessbase_2cbh;
pub mod chessbase_book;
pub mod chessbase_cbh;
pub mod jose;
pub mod parquet;
pub mod scid;
pub mod simplecdb;
pub mod source;
mod steps;

use std::error::Error;
use std::path::Path;

use source::SourceGame;

/// Writes games to files whose path is given without extension.
pub type Write = fn(&[SourceGame], &Path) -> Result<(), Box<dyn Error>>;

/// All formats that can be written.
pub const WRITERS: &[(&str, Write)] = &[
    ("chessbase", chessbase::write),
    ("chessbase-cbh", chessbase_cbh::write),
    ("chessbase-2cbh", chessbase_2cbh::write),
    ("chessbase-2cbv", chessbase_2cbh::write_archive),
    ("chessbase-book", chessbase_book::write),
    ("chessbase-book-flat", chessbase_book::write_flat),
    ("chess-assistant", chess_assistant::write),
    ("brenner", brenner::write),
    ("brenner-alternate", brenner::write_alternate),
    ("jose", jose::write),
    ("parquet", parquet::write),
    ("scid", scid::write),
    ("simplecdb", simplecdb::write),
];
