//! pgnfs mounts a folder of chess databases as a read-only file system in which every game is a `.pgn` file.
//!
//! This is the front end for FUSE and the command line; [`pgnfs_server`] has the tree of files. See `ARCHITECTURE.md` in
//! the repository; `tests/repository/layering.rs` checks the `use` lines.

pub mod cli;
pub mod fuse;
pub mod mount;
mod secret;
#[cfg(feature = "serve")]
pub mod serve;
pub mod status;
