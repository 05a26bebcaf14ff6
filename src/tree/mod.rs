//! What stands where: names, inode numbers and views, made from keys and texts alone.
//!
//! Names of games are never stored, inode numbers need no table, and a view is a row of [`VIEWS`] and two arrays
//! of integers, made when somebody first looks at it. Nothing here changes after it was built.

mod collections;
mod database;
mod directory;
mod game_name;
mod index;
mod inode;
mod layout;
mod members;
mod names;
mod own_view;
mod plan;
mod source;
mod template;
mod views;

pub use database::DatabaseTree;
pub use directory::DirectoryGames;
pub use game_name::GameName;
pub use inode::{Inode, Node, Prefix, Table, ViewId};
pub use layout::{Layout, ViewError};
pub use names::{BLOCK, block_name, numbered_game_name};
pub use own_view::OwnView;
pub use source::{Branch, SourceFolder, SourceTree};
pub use template::TemplateError;
pub use views::{BuiltInView, Group, VIEWS, View};
