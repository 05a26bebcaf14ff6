//! The file system without FUSE: look-up, attributes, listing and reading.
//!
//! [`crate::tree`] provides inode numbers, names and directories, and the databases of a [`Library`] provide
//! the bytes. This module adds sizes, the cache of decoded games, and files that consist of many games.

mod branch;
mod branch_node;
mod branch_texts;
mod cache;
mod database;
mod describe;
mod detached;
mod directory;
mod failure;
mod files;
mod folder;
mod gather;
mod info;
mod join;
mod live;
mod node;
mod outdated;
mod part;
mod pass;
mod references;
mod refused;
mod registry;
mod remote;
mod searches;
mod size_file;
mod sizes;
mod state;
mod status;
mod table;
mod table_sizes;
mod texts;
mod times;
mod types;

// Two files take these from here, so that tests can put others in their place.
use std::sync::{self, atomic};

pub use crate::tree::SearchRefusal;
pub use chessdb_library::positions::IndexState;
pub use directory::Entry;
pub use failure::Failure;
pub use live::CurrentState;
pub use node::{Node, OpenNode};
pub use pass::PassOptions;
pub use refused::RefusedName;
pub use remote::RunOn;
pub use state::ChessFs;
pub use status::{CacheStatus, DatabaseStatus, OpeningStatus, PassState, Status};
pub use times::utc;
pub use types::{
    Attributes, Chunk, FsError, Inode, Kind, Layout, NAME_MAX, Outdated, ServeOptions, Statistics,
};
