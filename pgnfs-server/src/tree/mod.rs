//! The directory tree: names, inode numbers and views, computed from keys and texts alone.
//!
//! The directory of a [`GameSet`] consists of [sections](Section), each of which defines its own nodes. Names of
//! games are never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and a few arrays of
//! integers, built on first use. Nothing changes after it was built.

mod arrays;
mod blocks;
mod branch;
mod branch_positions;
mod codes;
mod collections;
mod combined_view;
mod counted;
mod counted_texts;
mod deviations;
mod entries;
mod found_games;
mod game_name;
mod games;
mod group;
mod index;
mod indexed_database;
mod inode;
mod layout;
mod members;
mod merged;
mod moves;
mod names;
mod new_view;
mod opening_node;
mod own_view;
mod plan;
mod ply;
mod position_info;
mod positions;
mod ranks;
mod rows;
mod search;
mod search_name;
mod section;
mod single_files;
mod sorting;
mod source;
mod tables_directory;
mod template;
mod view_directories;
mod view_files;
mod views;

pub use branch::GameSet;
pub use counted::Counted;
pub use games::{Games, GamesOfPart};
pub use indexed_database::IndexedDatabase;
pub use inode::{Inode, Node, Prefix, Table};
pub use layout::{Layout, SearchError};
pub use new_view::ViewError;
pub use rows::Row;
pub use search_name::{NamedSearch, SearchName, SearchRefusal};
pub use section::{Content, Existing, Kind, Section};
pub use source::{Placement, SourceTree, TreeFolder, UNIQUE};
