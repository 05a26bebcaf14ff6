//! pgnfs mounts a folder of chess databases as a read-only file system in which every game is a `.pgn` file.
//!
//! Data flows in two directions only: `bytes -> formats -> game -> pgn` decodes, `formats -> library -> tree
//! -> fs -> fuse -> cli` serves. See `ARCHITECTURE.md` in the repository; `tests/layering.rs` checks the
//! `use` lines.

mod caller;
pub mod cancel;
pub mod cli;
pub mod duplicates;
pub mod fs;
pub mod fuse;
pub mod hung;
pub mod library;
pub mod mapped;
pub mod mount;
pub mod mounts;
pub mod overview;
mod parallel;
pub mod positions;
pub mod sections;
pub mod spelling;
pub mod status;
pub mod store;
pub mod table;
pub mod tree;
pub mod watch;
