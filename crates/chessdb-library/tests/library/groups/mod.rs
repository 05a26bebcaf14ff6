//! Terms of positions in groups: their rules, and answers compared with a look at every square.

#![allow(missing_docs)]

pub mod asking;
mod questions;
mod sequences;
mod shown;
mod squares;
mod terms;
