//! Writing a game as text, in the export format of PGN.
//!
//! Movetext is wrapped in the same way as by `pgn-extract -w79`. Comments are cleaned here for all formats, so that no
//! text of a database can end a comment early or look like a tag. Remarks are comments that start with [`REMARK`], or
//! with a word that the caller gives.

mod comment;
mod lines;
mod writer;

pub use writer::{REMARK, append_game, append_game_with, append_movetext_with, append_tags, to_text};
