//! The directory tree: names, inode numbers and views, computed from keys and texts alone.
//!
//! The directory of a [`GameSet`] consists of [sections](Section), which define their own nodes. Names of games are
//! never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and a few arrays of integers, built on
//! first use. Nothing here changes once it is built, so the kernel may cache it without limit.

mod counted;
mod game_directories;
mod game_set;
mod games;
mod grouping;
mod index;
mod indexed_database;
mod inode;
mod layout;
mod members;
mod moves;
mod names;
mod new_view;
mod plies;
mod positions;
mod rows;
mod search;
mod section;
mod source;
mod tables;
mod template;
mod views;

pub use counted::Counted;
pub use game_set::GameSet;
pub use games::{Games, GamesOfPart};
pub use indexed_database::IndexedDatabase;
pub use inode::{Inode, Node, Prefix, Table};
pub use layout::{Layout, LayoutError, NamedSearch, SearchName, SearchRefusal};
pub use rows::Row;
pub use section::{Content, Existing, Kind, Section};
pub use source::{SourceTree, TreeFolder, UNIQUE};
