//! Branches: directories that show the games of one database or of several, all of them or a selection.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use log::Level;

use super::database::DatabaseFs;
use super::files::BranchFiles;
use super::join::Joins;
use super::part::PartFs;
use super::references::BranchReferences;
use super::remote::Remote;
use super::table::Tables;
use super::types::{Failure, FsError, Kind};
use crate::tree::{Existing, GameSet, Inode, NamedSearch, Node, Prefix, Row, Section, TreeFolder};
use chessdb::Keys;
use chessdb_library::made::Wait;
use chessdb_library::once_lru::OnceLru;
use chessdb_library::positions::{AnswerOptions, Answers, DatabasePart, IndexState, IndexUse};
use chessdb_library::query::Query;
use chessdb_library::spelling::{Names, Spelling};
use chessdb_library::workers::Pause;

/// A branch as a directory of files. For each kind of file there is one type, which assembles the file from the
/// branch's [parts](BranchFs::parts) in the same way for one database and for several. Games, texts, sizes and tables
/// come from the databases.
pub(super) struct BranchFs {
    game_set: Arc<GameSet>,
    /// The section for each [`Row`]; `None` if the branch has no such section.
    sections: Vec<Option<Box<dyn Section>>>,
    /// The entries of its directory, sorted by name.
    top: OnceLock<Vec<(String, Node)>>,
    databases: Arc<[Arc<DatabaseFs>]>,
    /// For each prefix, the index of its database in `databases`.
    numbers: Arc<HashMap<Prefix, usize>>,
    /// The path in the mount of each database's directory. Empty if this is the directory of a single database.
    pub(super) paths: Arc<[String]>,
    /// The path of its database, `/all` or `/all/unique`. It stays the same when the source changes.
    path: String,
    /// The prefix of this state of the branch; for a search, of the state that is searched.
    state: Prefix,
    /// The prefix of the inodes of this directory: `state`, unless this is a search.
    prefix: Prefix,
    pub(super) references: BranchReferences,
    /// True once the source no longer has this branch. No search is added to it any more.
    pub(super) is_gone: AtomicBool,
    /// The query, if this is the directory of a search.
    pub(super) search: Option<NamedSearch>,
    /// Limits the log lines about wrong queries.
    pub(super) wrong_queries: Pause,
    /// The threads for requests, if one of the sources can hang.
    remote: Option<Arc<Remote>>,
    /// For each database, where its games begin in the joined files of this directory.
    joins: OnceLock<Box<[Joins]>>,
    /// The games of the branch with only the best copies within one database, by the prefix of that database.
    best_of: OnceLru<Prefix, Arc<[DatabasePart]>>,
    pub(super) files: BranchFiles,
}

/// Number of databases whose best copies a directory keeps.
const MOST_BEST: NonZeroUsize = NonZeroUsize::new(4).unwrap();

impl BranchFs {
    /// The directory of a database.
    pub(super) fn of_one(database: Arc<DatabaseFs>) -> BranchFs {
        let game_set = GameSet::of_one(Arc::clone(database.indexed()));
        let remote = database.texts().remote().cloned();
        let (prefix, path) = (database.prefix(), database.served_entry().path.clone());
        let own = BranchFs::new(game_set, vec![database], Vec::new(), path, prefix, remote);
        if own.remote.is_some() {
            // Read the names of its entries now, so that later requests for the directory need not touch the source.
            own.entries();
        }
        own
    }

    /// A directory of several databases, whose own directories are at `paths` in the mount.
    pub(super) fn of_several(
        game_set: GameSet,
        databases: Vec<Arc<DatabaseFs>>,
        paths: Vec<String>,
        prefix: Prefix,
        timeout: Duration,
    ) -> BranchFs {
        let mut remotes = databases.iter().map(|database| database.texts().remote());
        let is_local = remotes.all(|remote| remote.is_none());
        let remote = (!is_local).then(|| Arc::new(Remote::of_name("all databases", timeout)));
        game_set.set_paths(&paths);
        let path = if game_set.is_unique() {
            "/all/unique"
        } else {
            "/all"
        };
        BranchFs::new(game_set, databases, paths, path.to_owned(), prefix, remote)
    }

    /// The directory of a search in the games that are shown here.
    pub(super) fn searched(&self, search: NamedSearch, prefix: Prefix) -> BranchFs {
        let databases = Arc::clone(&self.databases);
        let is_sound = move || databases.iter().all(|database| database.texts().check().is_ok());
        let game_set = Arc::new(self.game_set.searched(&search.query, is_sound));
        BranchFs {
            sections: Row::sections(&game_set, own_rows(&self.databases)),
            top: OnceLock::new(),
            game_set,
            databases: Arc::clone(&self.databases),
            numbers: Arc::clone(&self.numbers),
            paths: Arc::clone(&self.paths),
            path: self.path.clone(),
            state: self.prefix,
            prefix,
            references: BranchReferences::default(),
            is_gone: AtomicBool::new(false),
            search: Some(search),
            wrong_queries: Pause::new(Level::Warn),
            remote: self.remote.clone(),
            joins: OnceLock::new(),
            best_of: OnceLru::new(MOST_BEST),
            files: BranchFiles::new(),
        }
    }

    fn new(
        game_set: GameSet,
        databases: Vec<Arc<DatabaseFs>>,
        paths: Vec<String>,
        path: String,
        prefix: Prefix,
        remote: Option<Arc<Remote>>,
    ) -> BranchFs {
        let numbers = databases.iter().zip(0..);
        let numbers = numbers.map(|(database, number)| (database.prefix(), number));
        let game_set = Arc::new(game_set);
        BranchFs {
            sections: Row::sections(&game_set, own_rows(&databases)),
            top: OnceLock::new(),
            game_set,
            numbers: Arc::new(numbers.collect()),
            joins: OnceLock::new(),
            best_of: OnceLru::new(MOST_BEST),
            files: BranchFiles::new(),
            references: BranchReferences::default(),
            is_gone: AtomicBool::new(false),
            search: None,
            wrong_queries: Pause::new(Level::Warn),
            state: prefix,
            databases: databases.into(),
            paths: paths.into(),
            path,
            prefix,
            remote,
        }
    }

    /// The games that it shows.
    pub(super) fn game_set(&self) -> &GameSet {
        &self.game_set
    }

    /// The databases.
    pub(super) fn databases(&self) -> &[Arc<DatabaseFs>] {
        &self.databases
    }

    /// The database, if this is its own directory and shows all its games.
    pub(super) fn own_database(&self) -> Option<&Arc<DatabaseFs>> {
        self.game_set().own_database()?;
        self.databases.first()
    }

    /// The database, if there is only one.
    pub(super) fn only_database(&self) -> Option<&Arc<DatabaseFs>> {
        self.game_set().only_database()?;
        self.databases.first()
    }

    /// A name that all states of this directory share. No other directory has it, apart from its searches.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The prefix of this state of the directory; for a search, of the state that is searched.
    pub(super) fn state(&self) -> Prefix {
        self.state
    }

    /// True if it shows games of the database with this prefix.
    pub(super) fn has_database(&self, prefix: Prefix) -> bool {
        self.numbers.contains_key(&prefix)
    }

    /// True if this directory combines exactly these databases, in this order.
    pub(super) fn is_of(&self, databases: &[Arc<DatabaseFs>]) -> bool {
        let same = |(a, b): (&Arc<DatabaseFs>, &Arc<DatabaseFs>)| Arc::ptr_eq(a, b);
        self.databases.len() == databases.len() && self.databases.iter().zip(databases).all(same)
    }

    /// Newest time of the databases, in nanoseconds since 1970.
    pub(super) fn modified(&self) -> i128 {
        let databases = self.databases.iter();
        let modified = databases.map(|database| database.served_entry().modified()).max();
        modified.unwrap_or(0)
    }

    /// Maximum number of threads for work on all games.
    pub(super) fn threads(&self) -> usize {
        let first = self.databases.first();
        first.map_or(1, |database| database.options.threads)
    }

    /// Its memory in bytes, roughly, without the memory that it shares with the databases.
    pub(super) fn bytes(&self) -> usize {
        let joins = self.joins.get().into_iter().flatten();
        let sections = self.sections.iter().flatten();
        let sections: usize = sections.map(|section| section.bytes()).sum();
        EMPTY + self.game_set.bytes() + sections + self.files.bytes() + joins.map(Joins::bytes).sum::<usize>()
    }

    /// A text of everything except the games that the rows of tables depend on: paths, spellings, and whether each
    /// game is shown once.
    pub(super) fn shown_key(&self) -> String {
        let game_set = self.game_set();
        let mut key = self.paths.join("\n");
        if game_set.only_database().is_none() {
            key += &format!("\n{}", game_set.spelling().key());
        }
        if game_set.is_unique() {
            key += "\nunique";
        }
        key
    }
}

/// Approximate memory in bytes of a directory that has not been used yet.
const EMPTY: usize = 12 << 10;

/// The kinds of sections that options add to the built-in ones.
fn own_rows(databases: &[Arc<DatabaseFs>]) -> &[&'static Row] {
    databases.first().map_or(&[][..], |first| &first.options.sections)
}

/// The branch's own directory as a section, whose only node is [`Node::DATABASE`].
impl Section for BranchFs {
    fn kind(&self, _: Node) -> Kind {
        Kind::Directory
    }

    fn open(&self, _: Node) -> Option<Existing<'_>> {
        Some(Existing::Directory)
    }

    fn links(&self, _: Node) -> u32 {
        let entries = self.entries().iter();
        let directories = entries.filter(|&&(_, node)| BranchFs::kind(self, node) == Kind::Directory);
        2 + directories.count() as u32
    }

    fn len(&self, _: Node) -> usize {
        self.entries().len()
    }

    fn entry_at(&self, _: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let (name, node) = self.entries().get(n)?;
        Some((name.into(), *node))
    }

    fn child(&self, _: Node, name: &str) -> Option<Node> {
        let entries = self.entries();
        let found = entries.binary_search_by(|(entry, _)| entry.as_str().cmp(name));
        entries.get(found.ok()?).map(|&(_, node)| node)
    }
}

/// Its parts.
impl BranchFs {
    /// The databases, each with the games that are shown, and with players named as stored. On first use, finds the
    /// duplicates if they are left out, or runs the search if this is one.
    pub(super) fn parts(&self) -> Vec<PartFs<'_>> {
        let part = |(number, database)| PartFs {
            database,
            games: self.game_set().games_of(number),
            path: self.paths.get(number).map(String::as_str),
            names: None,
        };
        let databases = self.databases.iter().map(|database| &**database);
        databases.enumerate().map(part).collect()
    }

    /// [`BranchFs::parts`] with the shown names of players.
    pub(super) fn named_parts(&self) -> Vec<PartFs<'_>> {
        let names = self.names();
        let named = self.parts().into_iter().map(|part| PartFs { names, ..part });
        named.collect()
    }

    /// The names that tables of several databases show for players, if spellings are joined. The first call compares
    /// all names.
    fn names(&self) -> Option<&Names> {
        match self.only_database() {
            Some(_) => None,
            None => self.game_set().names().map(Arc::as_ref),
        }
    }

    /// The tables of each part. On first use, reads the tags of all games.
    pub(super) fn tables_of<'a>(&'a self, parts: &[PartFs<'a>]) -> Result<Vec<&'a Tables>, FsError> {
        if parts.iter().all(PartFs::is_whole) {
            return parts.iter().map(|part| part.database.tables()).collect();
        }
        let make = || {
            let new = parts.iter().map(|part| part.new_tables(self.threads()));
            new.collect::<Result<Vec<_>, _>>()
        };
        Ok(self.files.tables_of_parts.get_or_make(make)?.iter().collect())
    }

    /// The stored offsets of a part's games in the joined files of this directory.
    pub(super) fn joins(&self, part: usize) -> Option<&Joins> {
        let all = || self.databases.iter().map(|_| Joins::new()).collect();
        self.joins.get_or_init(all).get(part)
    }
}

/// Its nodes.
impl BranchFs {
    /// Adds a reference to each of these inodes. Returns those whose nodes were dropped in the meantime, so that they
    /// must be looked up again.
    pub(super) fn hold(&self, inodes: &[Inode]) -> Vec<Inode> {
        let gone = self.hold_nodes(inodes);
        self.references.add((inodes.len() - gone.len()) as u64);
        gone
    }

    /// Adds references to nodes that get running numbers (ranks in `positions/` and links in `search/`), here or in a
    /// search. Returns the inodes whose nodes were dropped in the meantime.
    pub(super) fn hold_nodes(&self, inodes: &[Inode]) -> Vec<Inode> {
        let is_gone = |inode: &&Inode| inode.node().is_some_and(|(_, node)| !self.game_set().hold(node));
        inodes.iter().filter(is_gone).copied().collect()
    }

    /// Subtracts references to a node. Returns true if that removed the branch's last reference.
    pub(super) fn release(&self, node: Node, times: u64) -> bool {
        self.game_set().release(node, times);
        self.references.subtract(times)
    }

    /// The section of a node. `None` for a game where there are several databases: it belongs to its own database's
    /// directory.
    pub(super) fn section(&self, node: Node) -> Option<&dyn Section> {
        if node == Node::DATABASE {
            return Some(self);
        }
        let row = Row::of(node, own_rows(&self.databases))?;
        self.sections.get(row)?.as_deref()
    }

    /// The kind of a node, judged by its number alone.
    pub(super) fn kind(&self, node: Node) -> Kind {
        self.section(node)
            .map_or(Kind::File, |section| section.kind(node))
    }

    /// In how many directories of a database one of its games appears.
    pub(super) fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        let sections = self.sections.iter().flatten();
        sections.map(|section| section.directories_of(game, keys)).sum()
    }

    /// The names in its directory.
    pub(super) fn names_in_directory(&self) -> Vec<String> {
        self.entries().iter().map(|(name, _)| name.clone()).collect()
    }

    fn entries(&self) -> &[(String, Node)] {
        self.top
            .get_or_init(|| Row::entries(own_rows(&self.databases), &self.sections))
    }

    /// The prefix of its inodes.
    pub(super) fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// The inode of a node. A game has the same inode in all directories.
    pub(super) fn inode(&self, node: Node) -> Inode {
        let game = node.as_game().and_then(|game| {
            let (part, game) = self.game_set().place_of(game);
            Some(self.databases.get(part)?.inode(Node::game(game)))
        });
        game.unwrap_or(Inode::of(self.prefix, node))
    }

    /// The number in this branch of a game, which is given by its inode in its own database.
    pub(super) fn number_of(&self, game: Inode) -> Option<u32> {
        let (prefix, node) = game.node()?;
        let part = *self.numbers.get(&prefix)?;
        self.game_set().number_of(part, node.as_game()?)
    }

    /// The part whose database supplies the name of this node; `None` for a node with a fixed name.
    fn named_by(&self, inode: Inode) -> Option<usize> {
        let (prefix, node) = inode.node()?;
        if prefix == self.prefix {
            return self.game_set.named_by(node);
        }
        self.numbers.get(&prefix).copied()
    }
}

/// Waiting and failing.
impl BranchFs {
    /// What to wait for before the number of games is known: games may first have to be counted, which reads a lot of
    /// data, or found by a search.
    pub(super) fn wait_for_count(&self) -> Wait {
        let mut databases = self.databases.iter();
        if self.game_set().is_search() && self.game_set().wait_for_parts() != Wait::None {
            return Wait::Common;
        }
        Wait::Common.unless(databases.all(|database| database.served_entry().is_counted()))
    }

    /// What every request for a node has to wait for first: games may have to be counted or searched for.
    pub(super) fn wait_for_games(&self) -> Wait {
        match self.own_database() {
            Some(own) => Wait::Common.unless(own.served_entry().is_prepared()),
            None => self.wait_for_count(),
        }
    }

    /// If a source can hang: the only threads that may answer requests for its nodes.
    pub(super) fn remote(&self) -> Option<&Remote> {
        self.remote.as_deref()
    }

    /// Returns an error if a database that these entries of a listing depend on has changed; `None` checks all
    /// databases.
    ///
    /// Only the databases of the listed names are checked: with hundreds of databases, checking all of them for each
    /// part of a listing would take most of its time.
    pub(super) fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        if let [only] = &*self.databases {
            return only.texts().check();
        }
        // Which games are unique, and which name joined spellings get, depends on all databases.
        let follows_from_all =
            self.game_set().is_of_unique() || *self.game_set().spelling() != Spelling::Stored;
        let shown = shown.filter(|_| !follows_from_all);
        let named = shown.and_then(|shown| shown.iter().map(|&inode| self.named_by(inode)).collect());
        let numbers = named.unwrap_or_else(|| (0..self.databases.len()).collect::<BTreeSet<usize>>());
        let mut databases = numbers
            .into_iter()
            .filter_map(|number| self.databases.get(number));
        databases.try_for_each(|database| database.texts().check())
    }

    /// Returns an error if a database changed while its games were searched for.
    pub(super) fn check_answer(&self) -> Result<(), FsError> {
        if self.game_set().is_sound() {
            Ok(())
        } else {
            self.check(None).and(Err(FsError::Io(Failure::Changed)))
        }
    }

    /// Returns what answers questions about the positions of its games. On first use, counts the games or runs the
    /// search.
    ///
    /// # Errors
    /// If a database changed while its games were searched for.
    pub(super) fn answers(&self) -> Result<Answers, FsError> {
        self.check_answer()?;
        let options = AnswerOptions {
            index: match self.databases.first().map(|first| first.options.index) {
                Some(IndexUse::No) => IndexUse::No,
                _ => IndexUse::Yes,
            },
            scans: true,
            threads: self.threads(),
            names: self.game_set().names().cloned(),
            repertoires: Arc::new(self.game_set().repertoires()),
        };
        Ok(Answers::new(Arc::clone(self.game_set().parts()), options))
    }

    /// Calls `question` with the chosen copies of its games, and returns its result.
    ///
    /// # Errors
    /// The errors of `question`; [`FsError::Io`] if a database has changed.
    pub(super) fn with_answers<T>(
        &self,
        copies: Copies<'_>,
        question: impl FnOnce(&Answers) -> Result<T, FsError>,
    ) -> Result<T, FsError> {
        let all = self.answers()?;
        let only = |parts: Arc<[DatabasePart]>| Answers::new(parts, all.options().clone());
        let answer = match copies {
            Copies::All => question(&all),
            Copies::Best => question(&only(Arc::clone(self.game_set().unique_parts()))),
            Copies::BestFor(query) => question(&only(self.game_set().unique_for(query))),
            Copies::BestOf(own) => {
                let make = || {
                    let best = own.game_set().unique_parts().first();
                    let of = |part: &DatabasePart| {
                        let best = best.filter(|best| Arc::ptr_eq(best.entry(), part.entry()));
                        best.map_or_else(|| part.clone(), |best| part.and(best))
                    };
                    all.parts().iter().map(of).collect()
                };
                // The same list each time, because answers are kept by it.
                question(&only(self.best_of.get_or(own.prefix, make)))
            }
        }?;
        self.check(None)?;
        Ok(answer)
    }

    /// Logs a failure of its files, and returns the error for the request.
    pub(super) fn fail(&self, failure: Failure) -> FsError {
        let first = self.databases.first();
        first.map_or(FsError::Io(failure), |database| database.texts().fail(failure))
    }

    /// Logs that an index is missing, and returns the error for the request.
    pub(super) fn fail_without_index(&self) -> FsError {
        let has_failed = |database: &&Arc<DatabaseFs>| {
            self.databases.len() == 1 || database.indexed().positions().state() == IndexState::Failed
        };
        let failed = self.databases.iter().find(has_failed);
        failed.map_or(FsError::Io(Failure::Index), |database| {
            database.texts().fail(Failure::Index)
        })
    }
}

/// The directory of a search, or an earlier state of the directory of a branch.
pub(super) struct DetachedDirectory {
    pub(super) branch: Arc<BranchFs>,
    /// The directory as a folder of the tree, without the folders that the source has there.
    pub(super) folder: TreeFolder,
    /// The directory that it is in, or was in.
    pub(super) parent: Inode,
}

impl DetachedDirectory {
    /// The directory of a search.
    pub(super) fn of_search(branch: BranchFs, parent: Inode) -> DetachedDirectory {
        let inode = Inode::of(branch.prefix(), Node::DATABASE);
        DetachedDirectory {
            folder: TreeFolder::alone(inode, branch.modified()),
            branch: Arc::new(branch),
            parent,
        }
    }

    /// A directory that the source no longer has.
    pub(super) fn retired(branch: &Arc<BranchFs>, folder: &TreeFolder, parent: Inode) -> DetachedDirectory {
        DetachedDirectory {
            branch: Arc::clone(branch),
            folder: TreeFolder::alone(folder.inode, folder.modified),
            parent,
        }
    }
}

/// Which copies of a duplicated game are counted.
pub(super) enum Copies<'a> {
    /// All.
    All,
    /// The best one of each.
    Best,
    /// The best one of each that this query, which is not yet applied, may find.
    BestFor(&'a Query),
    /// All copies, but of the games of this database only the best ones.
    BestOf(&'a BranchFs),
}
