//! What several test crates share: sample data by path, and PGN read back by an independent reader.

#![allow(dead_code, missing_docs)]

pub mod pgn;
pub mod samples;
