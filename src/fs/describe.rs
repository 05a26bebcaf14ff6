//! What an inode is, for the log. The source is not touched to tell.

use super::live::Live;
use super::types::Inode;
use crate::tree::Node;

impl Live {
    /// What an inode is, as far as its number and the names of the databases tell.
    pub fn describe(&self, inode: Inode) -> String {
        if inode == Inode::ROOT {
            return "the root".to_owned();
        }
        let Some(fs) = self.serving(inode) else {
            return "nothing".to_owned();
        };
        let Some((prefix, node)) = inode.node() else {
            return match inode == fs.root_info_inode() {
                true => "info.txt".to_owned(),
                false => "a folder".to_owned(),
            };
        };
        let database = fs.database(prefix);
        let name = database.map_or("", |database| database.library_entry().name());
        match node {
            Node::Database => name.to_owned(),
            Node::Game(game) => format!("{name}: game {}", u64::from(game) + 1),
            node => format!("{name}: {node:?}"),
        }
    }
}
