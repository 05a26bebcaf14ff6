//! What fuzz targets and ordinary tests do with a database: open it from bytes, list it, decode it, and
//! compare the cost with bounds.
//!
//! An input consists of [framed](frame) files. A [sweep](sweep::sweep) reports failures by panicking, as
//! fuzzers expect. A crate that includes this module must also include `tests/common/pgn.rs` as `pgn`.

// Some crates that include this module do not use all of it.
#![allow(dead_code, missing_docs)]

pub mod choices;
pub mod frame;
pub mod meter;
pub mod movetext;
pub mod sweep;
