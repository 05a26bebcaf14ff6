//! `all/`: all databases as one directory.

mod files;
mod found;
mod overview;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use lru::LruCache;

use super::database::DatabaseFs;
use super::files::{File, Joins, Wait};
use super::lookups::Lookups;
use super::object::Directory;
use super::remote::Remote;
use super::table::{AllTables, DuplicatesTable, ParquetTable, Tables};
use super::times::seconds_and_nanoseconds;
use super::types::{Attributes, FsError, Inode, Kind, Where};
use crate::tree::{AllTree, Content, Existing, Node, Prefix, Section};
use found::FoundFiles;

/// Maximum number of files for which the ends of the parts are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

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
    /// Offsets at which each database's part of a file ends.
    ends: Mutex<LruCache<Node, Arc<[u64]>>>,
    tables: OnceLock<AllTables>,
    /// The tables of each database with only the games that are shown and with joined spellings, where `all/` has
    /// its own.
    own_tables: OnceLock<Vec<Tables>>,
    parquet: OnceLock<ParquetTable>,
    duplicates: OnceLock<DuplicatesTable>,
    info: OnceLock<Arc<[u8]>>,
    overview: OnceLock<Arc<[u8]>>,
    found: FoundFiles,
    /// Held by the request that counts for the overview; others wait for it.
    overview_turn: Mutex<()>,
}

/// An existing node of [`AllFs`].
#[derive(Clone, Copy)]
pub(super) struct AllNode<'a> {
    all: &'a AllFs,
    section: &'a dyn Section,
    node: Node,
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
        let is_local = databases
            .iter()
            .all(|database| database.texts().remote().is_none());
        let numbers = tree.databases();
        let has_own_files = numbers.is_unique() || numbers.joins_spellings();
        numbers.set_paths(&paths);
        let of_own = databases.iter().filter(|_| has_own_files);
        let joins = of_own.map(|_| Joins::new()).collect();
        AllFs {
            tree,
            paths,
            prefix,
            lookups: Lookups::new(),
            remote: (!is_local).then(|| Arc::new(Remote::of_name("all databases", timeout))),
            joins,
            ends: Mutex::new(LruCache::sparse(MOST_KEPT)),
            tables: OnceLock::new(),
            own_tables: OnceLock::new(),
            parquet: OnceLock::new(),
            duplicates: OnceLock::new(),
            info: OnceLock::new(),
            overview: OnceLock::new(),
            found: FoundFiles::new(databases.len()),
            overview_turn: Mutex::new(()),
            databases,
        }
    }

    /// Prefix of the inodes of this directory.
    pub(super) fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// True if this directory combines exactly these databases, in this order.
    pub(super) fn is_of(&self, databases: &[Arc<DatabaseFs>]) -> bool {
        let same = |(a, b): (&Arc<DatabaseFs>, &Arc<DatabaseFs>)| Arc::ptr_eq(a, b);
        self.databases.len() == databases.len() && self.databases.iter().zip(databases).all(same)
    }

    /// The inode of a node. A game has the same inode as in its database.
    pub(super) fn inode(&self, node: Node) -> Inode {
        let Some(game) = node.as_game() else {
            return Inode::of(self.prefix, node);
        };
        let (database, game) = self.tree.databases().place_of(game);
        let database = self.databases.get(database);
        database.map_or(Inode::of(self.prefix, node), |database| {
            database.inode(Node::game(game))
        })
    }

    /// The node, if it exists.
    pub(super) fn open(&self, node: Node) -> Option<(AllNode<'_>, Existing<'_>)> {
        let section = self.tree.section(node)?;
        let at = AllNode {
            all: self,
            section,
            node,
        };
        Some((at, section.open(node)?))
    }

    /// True if the games of all databases are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.databases.iter().all(|database| database.is_counted())
    }

    /// What has to be done before a node can be shown.
    pub(super) fn wait(&self, node: Node) -> Wait {
        if !self.is_counted() {
            return Wait::Common;
        }
        match self.tree.section(node) {
            Some(section) if section.must_build(node) => Wait::Common,
            Some(section) if section.kind(node) == Kind::File => match self.open(node) {
                Some((at, Existing::File(content))) => at.with_file(content, |file| file.wait()),
                _ => Wait::None,
            },
            _ => Wait::None,
        }
    }

    /// Thread or pool that answers requests for a node. Does not access the sources.
    pub(super) fn where_to_answer(&self, node: Node) -> Where {
        match &self.remote {
            None if self.wait(node) == Wait::None => Where::Here,
            None => Where::Aside,
            Some(remote) => match self.wait(node) {
                Wait::None if node == Node::INFO => Where::Here,
                wait => remote.pool_for(wait),
            },
        }
    }

    /// The database from which the name of a game or of a directory is read; `None` if it has the same name everywhere.
    fn database_of(&self, inode: Inode) -> Option<usize> {
        let (prefix, node) = inode.node()?;
        match prefix == self.prefix {
            true => self.tree.database_of(node),
            false => self
                .databases
                .iter()
                .position(|database| database.prefix() == prefix),
        }
    }

    /// Returns an error if a file of a database has changed.
    fn check(&self) -> Result<(), FsError> {
        let mut databases = self.databases.iter();
        databases.try_for_each(|database| database.texts().check())
    }
}

impl<'a> AllNode<'a> {
    /// The directory that holds this node.
    pub(super) fn parent(&self) -> Inode {
        Inode::of(self.all.prefix, self.section.parent(self.node))
    }

    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let databases = self.all.databases.iter();
        let modified = databases.map(|database| database.entry().modified()).max();
        let modified = seconds_and_nanoseconds(modified.unwrap_or(0));
        Attributes {
            inode: self.all.inode(self.node),
            kind: self.section.kind(self.node),
            size,
            blocks: size.div_ceil(512),
            modified,
            changed: modified,
            links: self.section.links(self.node),
        }
    }

    /// The games that a directory lists after `game`, or all of them. `game` is a database and a number in
    /// it.
    pub(super) fn games_after(&self, game: Option<(usize, u32)>) -> Option<impl Iterator<Item = Inode> + 'a> {
        let databases = self.all.tree.databases();
        let after = match game {
            None => None,
            Some((database, game)) => Some(databases.number_of(database, game)?),
        };
        let games = self.section.games_after(self.node, after)?;
        let all = self.all;
        Some(games.map(|game| all.inode(Node::game(game))))
    }

    /// Calls `then` with the file that has this content.
    pub(super) fn with_file<R>(&self, content: Content<'_>, then: impl FnOnce(&dyn File) -> R) -> R {
        files::with_file(self, content, then)
    }
}

impl Directory for AllNode<'_> {
    fn len(&self) -> usize {
        self.section.len(self.node)
    }

    fn entry_at(&self, n: usize) -> Option<(Cow<'_, str>, Inode, Kind)> {
        let (name, node) = self.section.entry_at(self.node, n)?;
        Some((name, self.all.inode(node), self.all.tree.kind(node)))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        match self.section.child(self.node, name) {
            Some(node) => Ok(self.all.inode(node)),
            // The name may have existed before a file of a database changed.
            None => self.check(None).and(Err(FsError::NotFound)),
        }
    }

    /// A part of a listing depends on the databases that it names. To check all of them for each part would take most
    /// of the time of a listing where there are hundreds.
    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        let all = self.all;
        if self.section.is_unavailable() {
            return Err(all.fail_without_index());
        }
        let databases = shown.and_then(|shown| shown.iter().map(|&inode| all.database_of(inode)).collect());
        let Some(databases): Option<BTreeSet<usize>> = databases else {
            return all.check();
        };
        let mut databases = databases
            .into_iter()
            .filter_map(|number| all.databases.get(number));
        databases.try_for_each(|database| database.texts().check())
    }
}
