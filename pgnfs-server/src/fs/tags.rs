//! Tags as extended attributes.

use std::ffi::OsStr;
use std::ops::Deref;

use super::database::DatabaseFs;
use super::open_node::OpenNode;
use super::state::ChessFs;
use super::types::FsError;
use chessdb::game::Tags;

const TAG_PREFIX: &str = "user.pgn.";

impl<F: Deref<Target = ChessFs> + Clone> OpenNode<'_, F> {
    /// Names of the extended attributes: `user.pgn.<tag>` for a game, none for other nodes.
    ///
    /// # Errors
    /// [`FsError::Io`] if the source has changed.
    pub fn attribute_names(&self) -> Result<Vec<String>, FsError> {
        let Some((database, game)) = self.game() else {
            return Ok(Vec::new());
        };
        let tags = self.fs().reported(tags(database, game))?;
        Ok(tags
            .iter()
            .map(|(name, _)| format!("{TAG_PREFIX}{name}"))
            .collect())
    }

    /// Value of an extended attribute. Decodes no moves.
    ///
    /// # Errors
    /// [`FsError::NoAttribute`]; [`FsError::Io`] if the source has changed.
    pub fn attribute_value(&self, name: &OsStr) -> Result<Vec<u8>, FsError> {
        let tag = name.to_str().and_then(|name| name.strip_prefix(TAG_PREFIX));
        let (Some((database, game)), Some(tag)) = (self.game(), tag) else {
            return Err(FsError::NoAttribute);
        };
        let tags = self.fs().reported(tags(database, game))?;
        let value = tags.get(tag).ok_or(FsError::NoAttribute)?;
        Ok(value.as_bytes().to_vec())
    }
}

fn tags(database: &DatabaseFs, game: u32) -> Result<Tags, FsError> {
    let tags = database.entry().database.tags(game);
    database.texts().check()?;
    Ok(tags)
}
