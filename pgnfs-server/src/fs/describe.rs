//! Descriptions of inodes for the log.

use super::live::CurrentState;
use super::types::{Inode, Kind};
use crate::tree::Node;

impl CurrentState {
    /// Describes an inode by its number and the names of the databases. Does not access the source.
    pub fn describe(&self, inode: Inode) -> String {
        if inode == Inode::ROOT {
            return "the root".to_owned();
        }
        let Ok(found) = self.resolve(inode) else {
            return "nothing".to_owned();
        };
        let Some((prefix, node)) = inode.node() else {
            return match found.kind() {
                Kind::Directory => "a folder".to_owned(),
                Kind::File | Kind::Link => "info.txt".to_owned(),
            };
        };
        let database = found.fs().database(prefix);
        let name = database.map_or("", |database| database.library_entry().name());
        match node.as_game() {
            _ if node == Node::DATABASE => name.to_owned(),
            Some(game) => format!("{name}: game {}", u64::from(game) + 1),
            None => format!("{name}: {node:?}"),
        }
    }
}
