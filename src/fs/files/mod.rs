//! The files of a database, one type for each kind of content.

mod found_table;
mod game;
mod joined;
mod made;
mod member;
mod overview;
mod own;

use super::database::DatabaseFs;
use super::sizes::Games;
use super::types::{Chunk, FsError};
use crate::tree::{Content, GameNumbers, Node};
use found_table::FoundTable;
use game::Game;
use made::{Document, DuplicatesFile, Info, ParquetFile, Problems, TableFile};
use member::RawFile;
use overview::Overview;
use own::Own;

pub(super) use found_table::FoundTables;
pub(super) use joined::{Joined, Joins};
pub(super) use made::{Made, Text};
pub(super) use own::OwnTexts;

/// An existing file.
pub(super) trait File {
    /// The size in bytes, if nothing has to be decoded or read for it.
    fn size_if_known(&self) -> Option<u64>;

    /// The size in bytes. Decodes games if necessary; called only if [`File::size_if_known`] returned `None`.
    fn size(&self) -> Result<u64, FsError>;

    /// Returns `size` bytes from `offset`, fewer only at the end of the file.
    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError>;

    /// The work that must be done before size and contents are known.
    fn wait(&self) -> Wait;
}

/// What a request may have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// At most one game.
    None,
    /// Sizes of many games, or a view. The work is done once for all requests that need it.
    Common,
    /// Many games for this request alone.
    Own,
}

impl Wait {
    /// `None` if the result is known already.
    fn unless(self, is_known: bool) -> Wait {
        match is_known {
            true => Wait::None,
            false => self,
        }
    }
}

impl DatabaseFs {
    /// Calls `then` with the file of a node that has this content.
    pub(super) fn with_file<R>(
        &self,
        node: Node,
        content: Content<'_>,
        then: impl FnOnce(&dyn File) -> R,
    ) -> R {
        let games = match content {
            Content::Game(game) => return then(&Game(self, game)),
            Content::Info => return then(&Info(self)),
            Content::Problems => return then(&Problems(self)),
            Content::Overview => return then(&Overview(self)),
            Content::Member(member, size) => return then(&RawFile::new(self, member, size)),
            Content::Document(document) => return then(&Document(self, document)),
            Content::Table(table) => return then(&TableFile(self, table)),
            Content::Parquet => return then(&ParquetFile(self)),
            Content::Duplicates => return then(&DuplicatesFile(self)),
            Content::Own => return then(&Own(self, node)),
            Content::Found(found) => return then(&Joined::new(self, node, Games::Listed((&*found).into()))),
            Content::FoundTable(found) => return then(&FoundTable::new(self, node, found)),
            Content::AllGames => Games::All(self.entry().database.len()),
            Content::Games(games) => Games::Listed(games),
            // A single database contains no others.
            Content::InParts(_) => Games::Listed(GameNumbers::NONE),
        };
        then(&Joined::new(self, node, games))
    }
}
