//! Terms of positions in groups: their rules, and their answers compared with a test of every square.

#![allow(missing_docs)]

pub mod asking;
mod questions;
mod sequences;
mod shown;
mod squares;
mod terms;
