//! The files of a database: a type for each thing that a file can hold.

mod game;
mod joined;
mod made;
mod member;

use super::database::DatabaseFs;
use super::sizes::Games;
use super::types::{Chunk, FsError};
use crate::tree::{Content, Node};
use game::Game;
use joined::Joined;
use made::{Document, Info, Problems, TableFile};
use member::RawFile;

pub(super) use joined::Joins;
pub(super) use made::{Made, Text};

/// A file that exists.
pub(super) trait File {
    /// The size, where nothing has to be decoded or read to know it.
    fn size_if_known(&self) -> Option<u64>;

    /// The size; decodes what it must. It is asked where [`File::size_if_known`] gave none.
    fn size(&self) -> Result<u64, FsError>;

    /// Bytes of the file: `size` of them from `offset`, fewer only at its end.
    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError>;

    /// What has to be done before size and bytes are known.
    fn wait(&self) -> Wait;
}

/// What a request has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// A game at most.
    None,
    /// Sizes of many games or a view: that work is done once, for all who wait.
    Common,
    /// Many games, for itself.
    Own,
}

impl Wait {
    /// No wait for what is known.
    fn unless(self, is_known: bool) -> Wait {
        match is_known {
            true => Wait::None,
            false => self,
        }
    }
}

impl DatabaseFs {
    /// Does something with the file of a node, which holds this.
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
            Content::Member(member, size) => return then(&RawFile::new(self, member, size)),
            Content::Document(document) => return then(&Document(self, document)),
            Content::Table(table) => return then(&TableFile(self, table)),
            Content::AllGames => Games::All(self.entry().database.len()),
            Content::Games(games) => Games::Listed(games),
        };
        then(&Joined::new(self, node, games))
    }
}
