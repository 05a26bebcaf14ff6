//! The PGN writer: readers find exactly the game that was written.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../fuzz/harness/mod.rs"]
mod harness;

mod injection;
mod python;
mod random;

use common::pgn;
