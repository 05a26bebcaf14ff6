//! The files of a branch, one type for each kind of content.

mod file;
mod file_cache;
mod game_files;
mod generated;
mod overview;
mod tables;
mod whole;

use super::node::BranchNode;
use crate::tree::Content;
use game_files::{Concatenated, GameFile};
use generated::{Document, InfoFile, Problems, RawFile, SectionText};
use overview::Overview;
use tables::{TableFile, TableOfGames};
use whole::WholeTableFile;

pub(super) use file::{File, Text};
pub(super) use file_cache::BranchFiles;

impl BranchNode<'_> {
    /// Calls `then` with the file that has this content. `None` if the branch has no such file.
    pub(super) fn with_file<R>(&self, content: &Content<'_>, then: impl FnOnce(&dyn File) -> R) -> Option<R> {
        let (branch, file) = (self.branch, self.node);
        let games = match content {
            &Content::Game(game) => return Some(then(&GameFile(branch.own_database()?, game))),
            Content::Info => return Some(then(&InfoFile(branch))),
            Content::Problems => return Some(then(&Problems::new(branch)?)),
            Content::Overview => return Some(then(&Overview(branch))),
            &Content::Member(member, size) => {
                return Some(then(&RawFile::new(branch.own_database()?, member, size)));
            }
            &Content::Document(number) => {
                let database = branch.own_database()?;
                return Some(then(&Document {
                    branch,
                    file,
                    database,
                    number,
                }));
            }
            &Content::Table(table) => return Some(then(&TableFile(branch, table))),
            Content::Parquet => return Some(then(&WholeTableFile::parquet(branch))),
            Content::Duplicates => return Some(then(&WholeTableFile::duplicates(branch))),
            Content::Own => {
                return Some(then(&SectionText {
                    branch,
                    section: self.section,
                    file,
                }));
            }
            Content::TableOf(games) => {
                return Some(then(&TableOfGames {
                    branch,
                    file,
                    games: games.clone(),
                }));
            }
            Content::Games(games) => Some(games.clone()),
            Content::AllGames => None,
        };
        Some(then(&Concatenated { branch, file, games }))
    }
}
