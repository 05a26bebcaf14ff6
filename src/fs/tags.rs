//! Tags as extended attributes.

use std::ffi::OsStr;

use super::{ChessFs, FsError, Inode, Place};
use crate::library::tags_of;
use crate::tree::Node;

const PREFIX: &str = "user.pgn.";

impl ChessFs {
    /// Names of a node's extended attributes: `user.pgn.<tag>` for a game, none for others.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn attribute_names(&self, inode: Inode) -> Result<Vec<String>, FsError> {
        let Place::Node(database, Node::Game(game)) = self.place(inode)? else {
            return Ok(Vec::new());
        };
        let tags = tags_of(&*database.entry().database, game);
        database.texts().check()?;
        Ok(tags.iter().map(|(name, _)| format!("{PREFIX}{name}")).collect())
    }

    /// The value of an extended attribute. No move is decoded.
    ///
    /// # Errors
    /// [`FsError::NoAttribute`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn attribute_value(&self, inode: Inode, name: &OsStr) -> Result<Vec<u8>, FsError> {
        let tag = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let (Place::Node(database, Node::Game(game)), Some(tag)) = (self.place(inode)?, tag) else {
            return Err(FsError::NoAttribute);
        };
        let tags = tags_of(&*database.entry().database, game);
        database.texts().check()?;
        let value = tags.get(tag).ok_or(FsError::NoAttribute)?;
        Ok(value.as_bytes().to_vec())
    }
}
