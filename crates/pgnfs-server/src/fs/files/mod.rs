//! The files of a branch, one type for each kind of content.

mod file;
mod file_cache;
mod game_files;
mod generated;
mod overview;
mod tables;
mod whole;

use std::ops::Deref;

use super::branch::BranchFs;
use crate::tree::{Content, Node, Section};
use game_files::{Concatenated, GameFile};
use generated::{InfoFile, Problems, RawFile, SectionText};
use overview::Overview;
use tables::{TableFile, TableOfGames};
use whole::WholeTableFile;

pub(super) use file::{File, Text};
pub(super) use file_cache::{BranchFiles, SizedTable};

impl BranchFs {
    /// The file of a section that has this content; reads nothing. `None` if the branch has no such file.
    pub(super) fn file<'a>(
        &'a self,
        section: &'a dyn Section,
        file: Node,
        content: Content<'a>,
    ) -> Option<BranchFile<'a>> {
        let branch = self;
        let other: Box<dyn File + 'a> = match content {
            Content::Game(game) => return Some(BranchFile::Game(GameFile(branch.own_database()?, game))),
            Content::Info => Box::new(InfoFile(branch)),
            Content::Problems => Box::new(Problems::new(branch)?),
            Content::Overview => Box::new(Overview(branch)),
            Content::Member(member, size) => Box::new(RawFile {
                database: branch.own_database()?,
                member,
                size,
            }),
            Content::Table(table) => Box::new(TableFile(branch, table)),
            Content::Parquet => Box::new(WholeTableFile::parquet(branch)),
            Content::Duplicates => Box::new(WholeTableFile::duplicates(branch)),
            Content::Own => Box::new(SectionText {
                branch,
                section,
                file,
            }),
            Content::TableOf(games) => Box::new(TableOfGames { branch, file, games }),
            Content::AllGames => Box::new(Concatenated {
                branch,
                file,
                games: None,
            }),
            Content::Games(games) => Box::new(Concatenated {
                branch,
                file,
                games: Some(games),
            }),
        };
        Some(BranchFile::Other(other))
    }
}

/// A file of a branch.
pub(super) enum BranchFile<'a> {
    /// Not boxed: nearly all files are games, and a listing makes one for each entry.
    Game(GameFile<'a>),
    Other(Box<dyn File + 'a>),
}

impl<'a> Deref for BranchFile<'a> {
    type Target = dyn File + 'a;

    fn deref(&self) -> &(dyn File + 'a) {
        match self {
            BranchFile::Game(game) => game,
            BranchFile::Other(file) => &**file,
        }
    }
}
