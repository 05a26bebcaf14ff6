//! Code that several threads run without a common lock. loom runs all interleavings.

mod counted;
mod counters;
mod slots;
#[path = "../../../chessdb-library/src/task.rs"]
#[allow(dead_code)]
mod task;
mod workers;

/// The item of the tree that `fs::sizes` uses.
mod tree {
    pub use pgnfs_server::inside::tree::Games;
}
