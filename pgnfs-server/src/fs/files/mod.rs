//! The files of a branch, one type for each kind of content.

mod branch_files;
mod concatenated;
mod game;
mod joined;
mod member;
mod overview;
mod table_of_games;
mod tables;
mod whole;

use super::object::At;
use super::types::{Chunk, FsError};
use crate::tree::Content;
use branch_files::{Document, InfoFile, Own, Problems};
use concatenated::Concatenated;
use game::GameFile;
use member::RawFile;
use overview::Overview;
use table_of_games::{TableOfGames, TablesOfGames};
use tables::TableFile;
use whole::{WholeTable, WholeTableFile};

pub(super) use branch_files::{BranchFiles, Text};
pub(super) use joined::Joins;

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
    let (branch, file) = (at.branch, at.node);
    let games = match content {
        Content::Game(game) => return Some(then(&GameFile(branch.own_database()?, game))),
        Content::Info => return Some(then(&InfoFile(branch))),
        Content::Problems => return Some(then(&Problems::new(branch)?)),
        Content::Overview => return Some(then(&Overview(branch))),
        Content::Member(member, size) => {
            return Some(then(&RawFile::new(branch.own_database()?, member, size)));
        }
        Content::Document(number) => {
            let (at, database) = (*at, branch.own_database()?);
            return Some(then(&Document { at, database, number }));
        }
        Content::Table(table) => return Some(then(&TableFile(branch, table))),
        Content::Parquet => return Some(then(&WholeTableFile::parquet(branch))),
        Content::Duplicates => return Some(then(&WholeTableFile::duplicates(branch))),
        Content::Own => return Some(then(&Own(*at))),
        Content::TableOf(games) => return Some(then(&TableOfGames { at: *at, games })),
        Content::Games(games) => Some(games),
        Content::AllGames => None,
    };
    Some(then(&Concatenated { branch, file, games }))
}
