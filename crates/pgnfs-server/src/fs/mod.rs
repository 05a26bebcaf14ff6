//! The file system without FUSE: look-up, attributes, listing and reading.
//!
//! [`crate::tree`] provides inode numbers, names and directories, and the databases of a [`Library`] provide
//! the bytes. This module adds sizes, the cache of decoded games, and files that consist of many games.

mod branch;
mod branch_node;
mod cache;
mod current_state;
mod database;
mod files;
mod game_texts;
mod info;
mod join;
mod node;
mod part;
mod pass;
mod references;
mod registry;
mod remote;
mod searches;
mod size_file;
mod sizes;
mod state;
mod status;
mod table;
mod table_sizes;
mod times;
mod types;

// Two modules import these from here, so that tests can replace them.
use std::sync::{self, atomic};

pub use crate::tree::SearchRefusal;
pub use chessdb_library::positions::IndexState;
pub use current_state::CurrentState;
pub use node::{OpenNode, ResolvedInode};
pub use pass::PassOptions;
pub use remote::RunOn;
pub use state::ChessFs;
pub use status::{CacheStatus, DatabaseStatus, OpeningStatus, PassState, RefusedName, Status};
pub use times::utc;
pub use types::{
    Attributes, Chunk, Entry, Failure, FsError, Inode, Kind, Layout, NAME_MAX, Outdated, ServeOptions,
    Statistics,
};
