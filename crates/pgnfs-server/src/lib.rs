//! A folder of chess databases as a tree of files, for any front end: FUSE, HTTP, or a program of its own.
//!
//! A [`Server`] opens the folder and follows its changes. All that a front end wants it asks of [`Requests`], which decides
//! in which thread a request is answered: none can wait for many games, or for a source that does not answer, in a thread
//! that must not. Data flows from `tree`, which has names and nodes, to `fs`, which adds sizes and bytes, to `server`.

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

pub use tree::{SearchError, ViewError};

/// What the tests and benches of these packages see, and no front end: here nothing prevents that a thread waits.
#[cfg(feature = "inside")]
#[doc(hidden)]
pub mod inside {
    pub use crate::fs::*;

    pub mod tree {
        pub use crate::tree::{Existing, GameSet, Games, IndexedDatabase, Layout, Node, Row, Section};
    }
}
