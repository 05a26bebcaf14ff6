//! What tests, benches and fuzz targets share: requirements of tests, sample data, writers of databases, an
//! independent reader of PGN, bounds of time and memory, and a file system that hangs.

// The package is not published, and names and tests say what its items do.
#![allow(missing_docs)]

pub mod hanging;
pub mod harness;
pub mod inputs;
pub mod kept;
mod needs;
pub mod pgn;
pub mod samples;
pub mod writers;

pub use needs::{has, is_root, missing, python, samples_folder};
