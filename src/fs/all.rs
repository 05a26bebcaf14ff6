//! `all/`: all databases as one directory.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::branch::{Branch, Part};
use super::database::DatabaseFs;
use super::failure::Failure;
use super::files::{Joins, Made, Wait};
use super::info::all_info;
use super::lookups::Lookups;
use super::remote::Remote;
use super::sizes::Games;
use super::types::{FsError, Inode, Where};
use crate::overview::Counts;
use crate::tree::{AllTree, IndexState, Kind, Node, Prefix, Section};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::spelling::Names;

/// All databases as one directory. The games, texts, sizes and tables come from the databases.
pub(super) struct AllFs {
    pub(super) tree: AllTree,
    databases: Vec<Arc<DatabaseFs>>,
    /// Path of each database's directory in the mount.
    paths: Vec<String>,
    prefix: Prefix,
    pub(super) lookups: Lookups,
    remote: Option<Arc<Remote>>,
    /// Offsets of games in files of this directory that no database has, for each database.
    joins: Vec<Joins>,
    made: Made,
}

impl AllFs {
    /// Combines `databases`, whose own directories are at `paths` in the mount.
    pub(super) fn new(
        tree: AllTree,
        databases: Vec<Arc<DatabaseFs>>,
        paths: Vec<String>,
        prefix: Prefix,
        timeout: Duration,
    ) -> AllFs {
        let mut remotes = databases.iter().map(|database| database.texts().remote());
        let is_local = remotes.all(|remote| remote.is_none());
        tree.databases().set_paths(&paths);
        AllFs {
            tree,
            paths,
            prefix,
            lookups: Lookups::new(),
            remote: (!is_local).then(|| Arc::new(Remote::of_name("all databases", timeout))),
            joins: databases.iter().map(|_| Joins::new()).collect(),
            made: Made::new(0),
            databases,
        }
    }

    /// True if this directory combines exactly these databases, in this order.
    pub(super) fn is_of(&self, databases: &[Arc<DatabaseFs>]) -> bool {
        let same = |(a, b): (&Arc<DatabaseFs>, &Arc<DatabaseFs>)| Arc::ptr_eq(a, b);
        self.databases.len() == databases.len() && self.databases.iter().zip(databases).all(same)
    }

    /// The database from which the name of a game or of a directory is read; `None` if it has the same name everywhere.
    fn database_of(&self, inode: Inode) -> Option<usize> {
        let (prefix, node) = inode.node()?;
        if prefix == self.prefix {
            return self.tree.database_of(node);
        }
        self.number_with(prefix)
    }

    /// The number of the database with this prefix.
    fn number_with(&self, prefix: Prefix) -> Option<usize> {
        let mut databases = self.databases.iter();
        databases.position(|database| database.prefix() == prefix)
    }

    /// The games of a database that are shown. In `unique/`, searches for duplicates on first use.
    fn games_of(&self, number: usize) -> Games<'_> {
        if let Some(unique) = self.tree.databases().shown() {
            return Games::Listed(unique.games(number).into());
        }
        let database = self.databases.get(number);
        Games::All(database.map_or(0, |database| database.entry().database.len()))
    }

    /// What `unique/` does not show.
    fn left_out(&self) -> String {
        let stored = self.databases.iter();
        let stored = stored.map(|database| database.entry().database.len() as usize);
        let shown = (0..self.databases.len()).map(|number| self.games_of(number).len());
        let duplicates = self.duplicates();
        let lesser = duplicates.len() - duplicates.groups();
        let deleted = stored
            .sum::<usize>()
            .saturating_sub(shown.sum::<usize>() + lesser);
        format!("duplicates: {lesser}, games marked as deleted: {deleted}")
    }
}

impl Branch for AllFs {
    fn parts(&self) -> Vec<Part<'_>> {
        let parts = self.databases.iter().zip(&self.paths).enumerate();
        let part = parts.map(|(number, (database, path))| Part {
            database,
            games: self.games_of(number),
            path: Some(path),
            names: None,
        });
        part.collect()
    }

    fn database_at(&self, part: usize) -> Option<&DatabaseFs> {
        self.databases.get(part).map(Arc::as_ref)
    }

    fn names(&self) -> Option<&Names> {
        self.tree.databases().names().map(Arc::as_ref)
    }

    fn database(&self) -> Option<&DatabaseFs> {
        None
    }

    fn made(&self) -> &Made {
        &self.made
    }

    /// A file of the database itself has the same node and the same games as its part here, unless only some games are
    /// shown, or under other names.
    fn joins(&self, part: usize, is_found: bool) -> Option<&Joins> {
        let databases = self.tree.databases();
        if is_found || databases.is_unique() || databases.joins_spellings() {
            return self.joins.get(part);
        }
        self.databases.get(part)?.joins(0, false)
    }

    fn section(&self, node: Node) -> Option<&dyn Section> {
        self.tree.section(node)
    }

    fn kind(&self, node: Node) -> Kind {
        self.tree.kind(node)
    }

    fn prefix(&self) -> Prefix {
        self.prefix
    }

    fn inode(&self, node: Node) -> Inode {
        let game = node.as_game().and_then(|game| {
            let (database, game) = self.place_of(game);
            Some(self.databases.get(database)?.inode(Node::game(game)))
        });
        game.unwrap_or(Inode::of(self.prefix, node))
    }

    fn place_of(&self, game: u32) -> (usize, u32) {
        self.tree.databases().place_of(game)
    }

    fn number_of(&self, game: Inode) -> Option<u32> {
        let (prefix, node) = game.node()?;
        let database = self.number_with(prefix)?;
        self.tree.databases().number_of(database, node.as_game()?)
    }

    fn lookups(&self) -> &Lookups {
        &self.lookups
    }

    fn modified(&self) -> i128 {
        let databases = self.databases.iter();
        let modified = databases.map(|database| database.entry().modified()).max();
        modified.unwrap_or(0)
    }

    fn is_counted(&self) -> bool {
        self.databases.iter().all(|database| database.is_counted())
    }

    fn is_prepared(&self) -> bool {
        self.is_counted()
    }

    fn must_search(&self) -> bool {
        self.tree.databases().must_search()
    }

    fn where_to_answer(&self, node: Node) -> Where {
        let wait = (self as &dyn Branch).wait(node);
        match &self.remote {
            None if wait == Wait::None => Where::Here,
            None => Where::Aside,
            Some(_) if wait == Wait::None && node == Node::INFO => Where::Here,
            Some(remote) => remote.pool_for(wait),
        }
    }

    /// A part of a listing depends on the databases that it names. To check all of them for each part would take most
    /// of the time of a listing where there are hundreds.
    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        let named = shown.and_then(|shown| shown.iter().map(|&inode| self.database_of(inode)).collect());
        let numbers = named.unwrap_or_else(|| (0..self.databases.len()).collect::<BTreeSet<usize>>());
        let mut databases = numbers
            .into_iter()
            .filter_map(|number| self.databases.get(number));
        databases.try_for_each(|database| database.texts().check())
    }

    fn fail_without_index(&self) -> FsError {
        let has_failed =
            |database: &&Arc<DatabaseFs>| database.tree.positions().state() == IndexState::Failed;
        let failed = self.databases.iter().find(has_failed);
        failed.map_or(FsError::Io, |database| database.texts().fail(Failure::Index))
    }

    fn threads(&self) -> usize {
        let first = self.databases.first();
        first.map_or(1, |database| database.options.threads)
    }

    fn info_if_known(&self) -> Option<Arc<[u8]>> {
        if self.tree.databases().is_unique() {
            return self.made.info.get().cloned();
        }
        self.info().ok()
    }

    /// The games of a source that may not answer were counted when it was opened.
    fn info(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.made.info.get() {
            return Ok(Arc::clone(text));
        }
        let databases = self.tree.databases();
        let rows = self.paths.iter().enumerate().map(|(number, path)| {
            let games = self.games_of(number).len() as u32;
            (databases.code(number), path.as_str(), games)
        });
        let left_out = databases.is_unique().then(|| ("Left out", self.left_out()));
        let text = all_info(rows, left_out).into_bytes().into();
        let is_checked =
            |database: &&Arc<DatabaseFs>| databases.is_unique() || database.texts().remote().is_none();
        let mut checked = self.databases.iter().filter(is_checked);
        checked.try_for_each(|database| database.texts().check())?;
        Ok(Arc::clone(self.made.info.get_or_init(|| text)))
    }

    fn title(&self) -> (String, String) {
        let name = if self.tree.databases().is_unique() {
            "All games, each once"
        } else {
            "All games"
        };
        (name.to_owned(), format!("{} databases", self.databases.len()))
    }

    fn add_problems(&self, part: &Part<'_>, sum: &mut Counts) -> Result<(), FsError> {
        let found = part.database.problems_by_file()?.sum();
        if found > 0 {
            sum.add(part.path.unwrap_or_default().to_owned(), found);
        }
        Ok(())
    }

    fn shows_all(&self) -> bool {
        !self.tree.databases().is_unique()
    }

    fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String> {
        self.tree.databases().directory_of(view, texts)
    }

    fn duplicates(&self) -> &Duplicates {
        self.tree.databases().duplicates()
    }
}
