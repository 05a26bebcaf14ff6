//! A folder of chess databases as a tree of files, for any front end: FUSE, HTTP, or a program of its own.
//!
//! A [`Server`] opens the folder and follows its changes. Front ends send all requests to [`Requests`], which chooses
//! the thread that answers. So a thread of a front end never blocks on work for many games, or on a source that does
//! not answer. Data flows from `tree`, which has names and nodes, to `fs`, which adds sizes and bytes, to `server`.

mod fs;
mod overview;
mod server;
mod tree;
pub mod watch;

pub use fs::{
    Attributes, CacheStatus, Chunk, DatabaseStatus, Entry, Failure, FsError, IndexState, Inode, Kind, Layout,
    NAME_MAX, OpeningStatus, Outdated, PassOptions, PassState, RefusedName, SearchRefusal, ServeOptions,
    Statistics, Status, utc,
};
pub use server::{Detail, OpenFile, Reply, Requests, Server, Unanswered, Visitor};

pub use tree::LayoutError;

/// For the tests and benches of these packages, not for front ends: here nothing prevents a thread from blocking.
#[cfg(feature = "inside")]
#[doc(hidden)]
pub mod inside {
    pub use crate::fs::*;

    pub mod tree {
        pub use crate::tree::{Existing, GameSet, Games, IndexedDatabase, Layout, Node, Row, Section};
    }
}
