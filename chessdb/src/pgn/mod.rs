//! Game to text: PGN export format that real programs can read.
//!
//! Movetext is wrapped as `pgn-extract -w79` wraps it. A comment is cleaned here, whatever format it comes from,
//! so that no text of a database can end it early or look like a tag.

mod comment;
mod lines;
mod writer;

pub use writer::{append_game, append_tags, to_text};
