//! Our board against shakmaty's: legality of every conceivable move, the SAN of every legal one and reading.

#[path = "../common/mod.rs"]
mod common;

mod oracle;
mod random_games;
mod reading;
mod samples;
mod unchecked;
