//! `docs/semantics.md` on real mounts, with common tools.
//!
//! A test of a section has its number in its name. Each program in `docs/readers.md` has a module.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../examples/make_database/simplecdb.rs"]
#[allow(dead_code)]
mod encode_simplecdb;
#[path = "../../examples/make_database/source.rs"]
#[allow(dead_code)]
mod source;

mod chess_js;
mod duplicates;
mod mounted;
mod openings;
mod readers;
mod samba;
mod scid;
mod tables;
mod tree;
