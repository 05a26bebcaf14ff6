//! The PGN writer: readers find exactly the game that was written.

use testkit::harness;

mod injection;
mod python;
mod random;
