//! The PGN writer: whatever a game holds, readers find exactly it.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../fuzz/harness/mod.rs"]
mod harness;

mod injection;
mod python;
mod random;

use common::pgn;
