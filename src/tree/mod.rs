//! What stands where: names, inode numbers and views, made from keys and texts alone.
//!
//! A database's directory is put together from [sections](Section), each of which knows its own nodes.
//! Names of games are never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and two arrays
//! of integers, made when somebody first looks at it. Nothing here changes after it was built.

mod collections;
mod common;
mod database;
mod game_name;
mod games;
mod index;
mod inode;
mod layout;
mod members;
mod merged;
mod names;
mod own_view;
mod plan;
mod section;
mod single_files;
mod source;
mod template;
mod view_directories;
mod views;

pub use common::Common;
pub use database::DatabaseTree;
pub use game_name::GameName;
pub use inode::{Inode, Node, Prefix, Table, ViewId};
pub use layout::{Layout, ViewError};
pub use names::{BLOCK, block_name, numbered_game_name};
pub use own_view::OwnView;
pub use section::{Content, DirectoryGames, Kind, Object, Row, Section};
pub use source::{Branch, SourceFolder, SourceTree};
pub use template::TemplateError;
pub use views::{BuiltInView, Group, VIEWS, View};
