//! The repository itself: its layers, documents and what is installed.

mod circles;
mod docs;
mod install;
mod layering;
mod names;
mod sizes;
