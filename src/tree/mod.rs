//! The directory tree: names, inode numbers and views, computed from keys and texts alone.
//!
//! A database's directory consists of [sections](Section), each of which defines its own nodes. Names of
//! games are never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and a few arrays of
//! integers, built on first use. Nothing changes after it was built.

mod all;
mod arrays;
mod collections;
mod database;
mod entries;
mod game_list;
mod game_name;
mod game_numbers;
mod games;
mod in_parts;
mod index;
mod indexed;
mod inode;
mod layout;
mod members;
mod merged;
mod moves;
mod names;
mod one_database;
mod opening_node;
mod own_view;
mod plan;
mod ply;
mod position_info;
mod positions;
mod ranks;
mod searched;
mod section;
mod single_files;
mod source;
mod template;
mod top;
mod view_directories;
mod view_files;
mod views;

pub use all::{AllDatabases, AllTree, InParts, Unique};
pub use database::DatabaseTree;
pub use game_name::GameName;
pub use game_numbers::GameNumbers;
pub use indexed::{IndexState, Positions};
pub use inode::{Inode, Node, Prefix, Table, ViewId};
pub use layout::{Layout, ViewError};
pub use one_database::OneDatabase;
pub use own_view::OwnView;
pub use section::{Content, DirectoryGames, Existing, Kind, Row, Section};
pub use source::{Placement, SourceFolder, SourceTree};
pub use template::TemplateError;
pub use view_files::ViewFiles;
pub use views::{BuiltInView, By, Group, VIEWS, View};
