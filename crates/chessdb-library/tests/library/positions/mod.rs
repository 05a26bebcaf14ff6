//! Which games have a position: scan and index compared with shakmaty, python-chess and each other.

#![allow(missing_docs)]

mod among;
mod answers;
pub mod counted;
mod few;
mod files;
mod index;
mod novelty;
mod python;
mod scan;
