//! Terms of positions in groups: their rules, and answers compared with a look at every square.

#![allow(missing_docs)]

mod rules;
mod squares;
