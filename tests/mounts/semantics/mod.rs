//! `docs/semantics.md` on real mounts, with common tools.
//!
//! A test of a section has its number in its name; what the sections leave out is in the sections of the same names in
//! `docs/tree.md`. Each program in `docs/readers.md` has a module.

use testkit::writers::simplecdb as encode_simplecdb;
use testkit::writers::source;

mod chess_js;
mod duplicates;
mod mounted;
mod openings;
mod pages;
mod readers;
mod samba;
mod scid;
mod tables;
mod tree;
