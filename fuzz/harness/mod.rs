//! What fuzz targets and ordinary tests do with a database from strangers: open it from bytes, list it, decode it,
//! and hold what that costs against bounds.
//!
//! An input is [framed](frame) files. A [sweep](sweep::sweep) fails by panicking, which is what fuzzers look for.
//! Whoever includes this has `tests/common/pgn.rs` beside it, as `pgn`.

// Not everybody who includes this uses all of it.
#![allow(dead_code, missing_docs)]

pub mod frame;
pub mod meter;
pub mod movetext;
pub mod sweep;
pub mod told;
