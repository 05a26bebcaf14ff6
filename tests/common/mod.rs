//! What several test crates share: sample data by path, PGN read back by an independent reader, programs.

#![allow(dead_code, missing_docs)]

pub mod hanging;
pub mod pgn;
pub mod programs;
pub mod samples;
