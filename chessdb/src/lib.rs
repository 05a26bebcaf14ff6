//! Decoders for chess databases: bytes in, games out.
//!
//! The modules follow the data: `bytes` and `text` read values, `formats` decodes them into a [`game`], which moves
//! on a [`board`] and which [`pgn`] writes.

#![forbid(unsafe_code)]

pub mod board;
pub mod bytes;
pub mod formats;
pub mod game;
pub mod pgn;
mod problem;
pub mod replay;
pub mod text;

pub use problem::{Problem, ProblemKind};
