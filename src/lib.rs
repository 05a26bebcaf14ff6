//! pgnfs mounts a folder of chess databases as a read-only file system in which every game is a `.pgn` file.
//!
//! The code has two directions and no others:
//! `bytes -> formats -> game -> pgn` decodes, `formats -> library -> tree -> fs -> fuse -> cli` serves.
//! `ARCHITECTURE.md` in the repository draws the map; `tests/layering.rs` holds the `use` lines to it.

pub mod cli;
pub mod fs;
pub mod fuse;
pub mod hung;
pub mod library;
pub mod mapped;
pub mod mount;
pub mod mounts;
pub mod status;
pub mod store;
pub mod tree;
pub mod watch;
