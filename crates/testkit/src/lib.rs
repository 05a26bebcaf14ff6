//! What tests, benches and fuzz targets share: requirements of tests, sample data, writers of databases, an
//! independent reader of PGN, bounds of time and memory, how long to wait, databases in memory, sources that hang, and files
//! that a process has open.

// The package is not published, and names and tests say what its items do.
#![allow(missing_docs)]

pub mod fake;
pub mod hanging;
pub mod harness;
pub mod inputs;
pub mod kept;
pub mod mounts;
mod needs;
pub mod open_files;
pub mod patience;
pub mod pgn;
mod random;
pub mod samples;
pub mod stuck;
pub mod writers;

pub use needs::{cases, has, is_root, may_mount, missing, python, samples_folder};
pub use random::Random;
