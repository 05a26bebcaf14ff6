//! The files of a branch, one type for each kind of content.

mod concatenated;
mod duplicates;
mod file;
mod game;
mod joined;
mod kept;
mod member;
mod overview;
mod parquet;
mod table_of_games;
mod tables;
mod texts;
mod whole;

use super::at::At;
use crate::tree::Content;
use concatenated::Concatenated;
use game::GameFile;
use member::RawFile;
use overview::Overview;
use table_of_games::TableOfGames;
use tables::TableFile;
use texts::{Document, InfoFile, Own, Problems};
use whole::WholeTableFile;

pub(super) use file::{File, Text};
pub(super) use kept::BranchFiles;

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
