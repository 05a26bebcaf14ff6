//! What a directory shows: the games of one database, or of several.

use std::sync::Arc;

use super::database::DatabaseFs;
use super::files::{Joins, Made, Wait, with_file};
use super::lookups::Lookups;
use super::object::At;
use super::sizes::Games;
use super::table::Tables;
use super::types::{FsError, Inode, Kind, Where};
use crate::overview::Counts;
use crate::tree::{Existing, Node, Prefix, Section};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::spelling::Names;

/// The directory of a database, or of several together. Its files are made of its [parts](Branch::parts), so each
/// kind of file has one type.
pub(super) trait Branch: Send + Sync {
    /// The databases, each with the games that are shown, and with stored names. Where duplicates are left out,
    /// searches for them on first use.
    fn parts(&self) -> Vec<Part<'_>>;

    /// A database by its number among the parts.
    fn database_at(&self, part: usize) -> Option<&DatabaseFs>;

    /// The names under which players are shown, if spellings are joined. On first use, compares all names.
    fn names(&self) -> Option<&Names> {
        None
    }

    /// The database whose directory this is; `None` for several together.
    fn database(&self) -> Option<&DatabaseFs>;

    /// What is kept of its files.
    fn made(&self) -> &Made;

    /// The kept offsets of games in files of one part. `is_found` is true for games that a search has found.
    fn joins(&self, part: usize, is_found: bool) -> Option<&Joins>;

    /// The section of a node.
    fn section(&self, node: Node) -> Option<&dyn Section>;

    /// The kind of a node, judged by its number alone.
    fn kind(&self, node: Node) -> Kind;

    /// The prefix of its inodes.
    fn prefix(&self) -> Prefix;

    /// The inode of a node. A game has the same inode in all directories.
    fn inode(&self, node: Node) -> Inode;

    /// The part of a game, and the game's number there.
    fn place_of(&self, game: u32) -> (usize, u32);

    /// The number of a game of one of the databases.
    fn number_of(&self, game: Inode) -> Option<u32>;

    /// The counts of the kernel's references.
    fn lookups(&self) -> &Lookups;

    /// Newest time of the databases, in nanoseconds since 1970.
    fn modified(&self) -> i128;

    /// True if the games are counted, or counting them reads nothing.
    fn is_counted(&self) -> bool;

    /// False if opening has left work that every request for a node needs.
    fn is_prepared(&self) -> bool;

    /// True if the games are unknown because duplicates have not been searched for yet.
    fn must_search(&self) -> bool {
        false
    }

    /// Which threads may answer requests for a node. Does not access the sources.
    fn where_to_answer(&self, node: Node) -> Where;

    /// Returns an error if a file of a database has changed on which these entries of a listing depend, or any file
    /// for `None`.
    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError>;

    /// Logs that an index is missing, and returns the error for the request.
    fn fail_without_index(&self) -> FsError;

    /// Maximum number of threads for work on all games.
    fn threads(&self) -> usize;

    /// `info.txt`, if nothing has to be counted or searched for it.
    fn info_if_known(&self) -> Option<Arc<[u8]>>;

    /// `info.txt`
    fn info(&self) -> Result<Arc<[u8]>, FsError>;

    /// The name in `overview.html`, and what it stands for.
    fn title(&self) -> (String, String);

    /// Adds the problems of a part to those in each file, or in each database.
    fn add_problems(&self, part: &Part<'_>, sum: &mut Counts) -> Result<(), FsError>;

    /// True if the problems of a database are those of the games that are shown of it.
    fn shows_all(&self) -> bool {
        true
    }

    /// The path of the directory of a view whose texts are these.
    fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String>;

    /// The duplicates among all games. On first use, searches for them.
    fn duplicates(&self) -> &Duplicates;
}

/// A database in a branch.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) database: &'a DatabaseFs,
    /// The games that are shown.
    pub(super) games: Games<'a>,
    /// Path of the database's directory, if the branch has several.
    pub(super) path: Option<&'a str>,
    /// The names under which players are shown, if these are not the stored ones.
    pub(super) names: Option<&'a Names>,
}

impl<'a> Part<'a> {
    /// All games of a database, in its own directory.
    pub(super) fn of(database: &'a DatabaseFs) -> Part<'a> {
        Part {
            database,
            games: Games::All(database.entry().database.len()),
            path: None,
            names: None,
        }
    }

    /// The tags of its games as tables, read now.
    pub(super) fn new_tables(&self, threads: usize) -> Result<Tables, FsError> {
        let tables = Tables::new(self, threads);
        self.database.texts().check().map(|()| tables)
    }

    /// True if all games of the database are shown as in its own directory.
    fn is_whole(&self) -> bool {
        matches!(self.games, Games::All(_)) && self.names.is_none()
    }
}

impl<'b> dyn Branch + 'b {
    /// The node, if it exists.
    pub(super) fn open(&self, node: Node) -> Option<(At<'_>, Existing<'_>)> {
        let section = self.section(node)?;
        let at = At {
            branch: self,
            section,
            node,
        };
        Some((at, section.open(node)?))
    }

    /// The work that a request for a node may have to wait for.
    pub(super) fn wait(&self, node: Node) -> Wait {
        if !self.is_prepared() {
            return Wait::Common;
        }
        match self.section(node) {
            Some(section) if section.must_build(node) => Wait::Common,
            Some(section) if section.kind(node) == Kind::File => match self.open(node) {
                Some((at, Existing::File(content))) => {
                    with_file(&at, content, |file| file.wait()).unwrap_or(Wait::None)
                }
                _ => Wait::None,
            },
            _ => Wait::None,
        }
    }

    /// The names in its directory.
    pub(super) fn names_in_directory(&self) -> Vec<String> {
        let Some(directory) = self.section(Node::DATABASE) else {
            return Vec::new();
        };
        let entries =
            (0..directory.len(Node::DATABASE)).filter_map(|n| directory.entry_at(Node::DATABASE, n));
        entries.map(|(name, _)| name.into_owned()).collect()
    }

    /// [`Branch::parts`] with the names under which players are shown.
    pub(super) fn named_parts(&self) -> Vec<Part<'_>> {
        let names = self.names();
        let named = self.parts().into_iter().map(|part| Part { names, ..part });
        named.collect()
    }

    /// The tables of each part. On first use, reads the tags of all games.
    pub(super) fn tables_of<'a>(&'a self, parts: &[Part<'a>]) -> Result<Vec<&'a Tables>, FsError> {
        if parts.iter().all(Part::is_whole) {
            return parts.iter().map(|part| part.database.tables()).collect();
        }
        let made = &self.made().tables_of_parts;
        let tables = match made.get() {
            Some(tables) => tables,
            None => {
                let new = parts.iter().map(|part| part.new_tables(self.threads()));
                let new = new.collect::<Result<Vec<_>, _>>()?;
                made.get_or_init(|| new)
            }
        };
        Ok(tables.iter().collect())
    }
}
