//! pgnfs mounts a folder of chess databases as a read-only file system in which every game is a `.pgn` file.
//!
//! Data flows in two directions only: `bytes -> formats -> game -> pgn` decodes, `formats -> library -> tree
//! -> fs -> server -> fuse -> cli` serves. See `ARCHITECTURE.md` in the repository; `tests/repository/layering.rs` checks the
//! `use` lines.

mod caller;
pub mod cli;
pub mod fs;
pub mod fuse;
pub mod mount;
pub mod overview;
pub mod server;
pub mod status;
pub mod tree;
pub mod watch;
