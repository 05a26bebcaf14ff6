//! Our board against shakmaty's: legality of every conceivable move and the SAN of every legal one.

#[path = "../common/mod.rs"]
mod common;

mod oracle;
mod samples;
mod unchecked;
