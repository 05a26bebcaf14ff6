//! Databases made of arbitrary bytes: valid containers with arbitrary contents, for fuzz targets and `crates/chessdb/tests/decoders/choices.rs`.

pub mod chess_assistant;
pub mod chessbase_2cbh;
mod edits;
mod games;
pub mod jose;
mod jose_rows;
