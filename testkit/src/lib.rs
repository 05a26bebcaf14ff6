//! What tests, benches and fuzz targets share: requirements of tests, sample data, writers of databases, an
//! independent reader of PGN, bounds of time and memory, databases in memory, and sources that hang.

// The package is not published, and names and tests say what its items do.
#![allow(missing_docs)]

pub mod fake;
pub mod hanging;
pub mod harness;
pub mod inputs;
pub mod kept;
mod needs;
pub mod pgn;
pub mod samples;
pub mod stuck;
pub mod writers;

pub use needs::{has, is_root, missing, python, samples_folder};
