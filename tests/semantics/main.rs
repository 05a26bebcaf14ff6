//! `docs/semantics.md` on real mounts, with the tools that people use.
//!
//! A test that holds a section bears its number. The programs of `docs/readers.md` have a module each.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../examples/make_database/simplecdb.rs"]
#[allow(dead_code)]
mod encode_simplecdb;
#[path = "../../examples/make_database/source.rs"]
#[allow(dead_code)]
mod source;

mod chess_js;
mod mounted;
mod readers;
mod samba;
mod scid;
mod tables;
mod tree;
