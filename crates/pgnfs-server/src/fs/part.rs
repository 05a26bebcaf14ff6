//! A database in a branch.

use super::database::DatabaseFs;
use super::table::Tables;
use super::types::FsError;
use crate::tree::Games;
use chessdb_library::spelling::Names;
use chessdb_library::table::GamePath;

/// A database in a branch.
#[derive(Clone)]
pub(super) struct PartFs<'a> {
    pub(super) database: &'a DatabaseFs,
    /// The games that are shown.
    pub(super) games: Games<'a>,
    /// Path of the database's directory, if the branch has several.
    pub(super) path: Option<&'a str>,
    /// The names that are shown for players, if these are not the stored ones.
    pub(super) names: Option<&'a Names>,
}

impl PartFs<'_> {
    /// The tags of its games as tables, read now.
    pub(super) fn new_tables(&self, threads: usize) -> Result<Tables, FsError> {
        self.database.new_tables(&self.games, self.names, threads)
    }

    /// The path of a game in rows of tables.
    pub(super) fn path_of(&self, game: u32) -> GamePath<'_> {
        let path = self.path.unwrap_or_default();
        GamePath {
            database: path,
            folder: path,
            game,
            digits: self.database.indexed().digits(),
        }
    }

    /// True if all games of the database are shown as in its own directory.
    pub(super) fn is_whole(&self) -> bool {
        self.names.is_none() && self.games.are_all_of(self.database.served_entry().database.len())
    }
}
