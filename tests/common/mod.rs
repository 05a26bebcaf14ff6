//! Code that several test crates share: requirements of tests, sample data, and reading PGN back by an
//! independent reader.

#![allow(dead_code, missing_docs, unused_imports, unused_macros)]

pub mod hanging;
mod needs;
pub mod pgn;
pub mod samples;

pub(crate) use needs::{has, is_root, missing, needs, python, samples_folder};
