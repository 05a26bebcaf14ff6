//! How fuzz targets and ordinary tests use a database: they open it from bytes, list it, decode it, and compare the
//! cost with bounds.
//!
//! An input consists of [framed](frame) files. A [sweep](sweep::sweep) reports failures by panicking, as fuzzers
//! expect. A program that measures memory declares a [`meter::Counting`] as its allocator.

pub mod choices;
pub mod frame;
pub mod meter;
pub mod movetext;
pub mod sweep;
