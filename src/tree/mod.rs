//! What stands where: names, inode numbers and views, made from keys and texts alone.
//!
//! Names of games are never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and two arrays
//! of integers, made when somebody first looks at it. Nothing here changes after it was built.

mod collections;
mod database;
mod index;
mod inode;
mod members;
mod names;
mod plan;
mod source;
mod views;

pub use database::{DatabaseTree, DirectoryGames};
pub use inode::{Inode, Node, Prefix, ViewId};
pub use source::{Branch, SourceFolder, SourceTree};
pub use views::{Group, VIEWS, View};
