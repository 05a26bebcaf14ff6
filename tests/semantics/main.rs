//! `docs/semantics.md` on a real mount of the example games, with the tools that people use.
//!
//! Each test bears the number of the section that it holds.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../examples/make_database/simplecdb.rs"]
#[allow(dead_code)]
mod encode_simplecdb;
#[path = "../../examples/make_database/source.rs"]
#[allow(dead_code)]
mod source;

mod mounted;
mod readers;
mod tables;
mod tree;
