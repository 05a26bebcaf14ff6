//! The files of a branch, one type for each kind of content.

mod concatenated;
mod found;
mod game;
mod joined;
mod made;
mod member;
mod overview;
mod tables;

use super::object::At;
use super::types::{Chunk, FsError};
use crate::tree::Content;
use concatenated::{Concatenated, Shown};
use found::{FoundGames, FoundTable};
use game::Game;
use made::{Document, Info, Own, Problems};
use member::RawFile;
use overview::Overview;
use tables::{DuplicatesFile, ParquetFile, TableFile};

pub(super) use joined::Joins;
pub(super) use made::{Made, Text};

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
        if is_known { Wait::None } else { self }
    }
}

/// Calls `then` with the file of a node that has this content. `None` if the branch has no such file.
pub(super) fn with_file<R>(
    at: &At<'_>,
    content: Content<'_>,
    then: impl FnOnce(&dyn File) -> R,
) -> Option<R> {
    let branch = at.branch;
    let found;
    let games = match content {
        Content::Game(game) => return Some(then(&Game(branch.database()?, game))),
        Content::Info => return Some(then(&Info(branch))),
        Content::Problems => return Some(then(&Problems(branch.database()?))),
        Content::Overview => return Some(then(&Overview(branch))),
        Content::Member(member, size) => {
            return Some(then(&RawFile::new(branch.database()?, member, size)));
        }
        Content::Document(document) => return Some(then(&Document(branch.database()?, document))),
        Content::Table(table) => return Some(then(&TableFile(branch, table))),
        Content::Parquet => return Some(then(&ParquetFile(branch))),
        Content::Duplicates => return Some(then(&DuplicatesFile(branch))),
        Content::Own => return Some(then(&Own(*at))),
        Content::FoundTable(games) => {
            let games = &*FoundGames::of(at, &games);
            return Some(then(&FoundTable { at: *at, games }));
        }
        Content::Found(games) => {
            found = FoundGames::of(at, &games);
            Shown::Found(&found)
        }
        Content::InParts(games) => Shown::InParts(games),
        Content::Games(games) => Shown::Own(games),
        Content::AllGames => Shown::All,
    };
    let file = at.node;
    Some(then(&Concatenated { branch, file, games }))
}
