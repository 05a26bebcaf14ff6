//! The file system itself: look-up, attributes, listing and reading, without a word about FUSE.
//!
//! Numbers, names and directories come from [`crate::tree`], bytes from the databases of a
//! [`Library`]; what is between them is here: sizes, the cache of decoded games, files that are put together
//! from many games.

mod cache;
mod database;
mod describe;
mod failure;
mod gather;
mod info;
mod join;
mod listing;
mod live;
mod lookups;
mod outdated;
mod pass;
mod place;
mod pool;
mod progress;
mod remote;
mod silence;
mod size_file;
mod sizes;
mod status;
mod table;
mod tags;
mod texts;
mod times;
mod types;
mod walk;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::atomic::{self, AtomicU64};
use std::sync::{self, Arc, OnceLock};
use std::time::{Duration, Instant};

pub use live::Live;
pub use outdated::Outdated;
pub use pass::PassOptions;
pub use pool::Pool;
pub use size_file::SizeFiles;
pub use status::{CacheStatus, DatabaseStatus, OpeningStatus, PassState, Status};
pub use types::{Attributes, Chunk, Entry, FsError, Inode, Kind, Layout, ServeOptions, Statistics, Where};
pub use walk::{Task, Walks};

use crate::library::{Library, LibraryEntry, Opening};
use crate::tree::{Branch, Node, Prefix, SourceTree};
use cache::TextCache;
use database::DatabaseFs;
use pass::Pass;
use place::{INFO, Place};

/// Most games that are decoded for one part of a listing. Who lists a directory mostly wants its games next, and to be
/// asked for each of them takes longer than to decode them now.
const DECODED_WHILE_LISTING: usize = 256;

/// Time after which no further game is decoded for one part of a listing: others wait for the thread.
const DECODING_WHILE_LISTING: Duration = Duration::from_millis(5);

/// A library as a read-only tree of files. All methods may be called from any thread.
pub struct ChessFs {
    library: Library,
    folders: Arc<SourceTree>,
    databases: Vec<Arc<DatabaseFs>>,
    common: Arc<Common>,
    /// How many came before it.
    epoch: u64,
    /// `info.txt` at the root.
    info: OnceLock<Arc<[u8]>>,
}

/// What a file system has in common with the one that follows it when the source changes.
struct Common {
    options: ServeOptions,
    cache: Arc<TextCache>,
    size_files: OnceLock<SizeFiles>,
    pass: OnceLock<Pass>,
    /// Counts what is asked for.
    requests: Arc<AtomicU64>,
}

impl ChessFs {
    /// Serves a library. No game is decoded, no view built.
    pub fn new(library: Library, options: ServeOptions) -> ChessFs {
        let common = Arc::new(Common {
            cache: Arc::new(TextCache::new(options.cache_size)),
            options,
            size_files: OnceLock::new(),
            pass: OnceLock::new(),
            requests: Arc::new(AtomicU64::new(0)),
        });
        ChessFs::with(library, common, &mut HashSet::new(), |_| None)
    }

    /// Serves a library with the databases that are `kept` from before, and others whose inodes are not among
    /// those `given` already.
    fn with(
        library: Library,
        common: Arc<Common>,
        given: &mut HashSet<Prefix>,
        kept: impl Fn(&LibraryEntry) -> Option<Arc<DatabaseFs>>,
    ) -> ChessFs {
        let mut open = |entry: &Arc<LibraryEntry>| {
            let prefix = Prefix::free(entry.identity_hash(), given);
            let cache = Arc::clone(&common.cache);
            let database = DatabaseFs::new(Arc::clone(entry), prefix, cache, common.options.clone());
            let texts = database.texts();
            common.size_files.get().inspect(|files| texts.keep_in(files));
            common.pass.get().inspect(|pass| pass.add(texts));
            Arc::new(database)
        };
        let entries = library.databases().iter();
        let databases: Vec<Arc<DatabaseFs>> = entries
            .map(|entry| kept(entry).unwrap_or_else(|| open(entry)))
            .collect();
        let branches: Vec<Branch<'_>> = databases
            .iter()
            .map(|database| Branch {
                path: &database.entry().path,
                prefix: database.prefix(),
                modified: database.entry().modified(),
            })
            .collect();
        let folders = SourceTree::new(&branches, |database| {
            match database.and_then(|number| databases.get(number)) {
                Some(database) => database.tree.top_names().map(str::to_owned).collect(),
                None => vec![INFO.to_owned()],
            }
        });
        ChessFs {
            folders: Arc::new(folders),
            library,
            databases,
            common,
            epoch: 0,
            info: OnceLock::new(),
        }
    }

    /// Has sizes kept in files, for this mount and from it for the next one.
    pub fn keep_sizes(&self, files: SizeFiles) {
        let files = self.common.size_files.get_or_init(|| files);
        for database in &self.databases {
            database.texts().keep_in(files);
        }
    }

    /// Has the sizes of all games made known in the background, until [`ChessFs::end_pass`].
    pub fn start_pass(&self, options: PassOptions) {
        let start = || {
            let files = self.common.size_files.get().cloned();
            Pass::start(options, files, Arc::clone(&self.common.requests))
        };
        let pass = self.common.pass.get_or_init(start);
        for database in &self.databases {
            pass.add(database.texts());
        }
    }

    /// Ends what [`ChessFs::start_pass`] began, and waits for it. What is known by then is kept.
    pub fn end_pass(&self) {
        if let Some(pass) = self.common.pass.get() {
            pass.end();
        }
    }

    /// What is served.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The entry `name` of a directory; `.` and `..` too.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::NotADirectory`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn lookup(&self, parent: Inode, name: &OsStr) -> Result<Inode, FsError> {
        let place = self.directory(parent)?;
        let name = name.to_str().ok_or(FsError::NotFound)?;
        match (name, place) {
            (".", _) => Ok(parent),
            ("..", _) => self.parent(parent),
            (_, Place::Folder(folder)) => self.child_of_folder(folder, name).ok_or(FsError::NotFound),
            (_, Place::Node(database, node)) => match database.tree.child(node, name) {
                Some(child) => Ok(database.inode(child)),
                // What a changed file does not have may have been there.
                None => database.texts().check().and(Err(FsError::NotFound)),
            },
            (_, Place::RootInfo(_)) => Err(FsError::NotADirectory),
        }
    }

    /// The directory that holds a node (the root holds itself); for a game the one in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn parent(&self, inode: Inode) -> Result<Inode, FsError> {
        match self.place(inode)? {
            Place::Folder(folder) => self.folders.get(folder.parent).map(|parent| parent.inode),
            Place::RootInfo(_) => Some(Inode::ROOT),
            Place::Node(database, node) => match database.tree.parent(node) {
                Node::Database => Some(self.folders.directory_of(database.prefix())),
                parent => Some(database.inode(parent)),
            },
        }
        .ok_or(FsError::Stale)
    }

    /// The attributes of a node; decodes what they need.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist; [`FsError::Io`] where a game cannot be read again.
    pub fn attributes(&self, inode: Inode) -> Result<Attributes, FsError> {
        match self.place(inode)? {
            Place::Node(database, node) => Ok(database.attributes(node, database.size(node)?)),
            Place::Folder(folder) => Ok(self.folder_attributes(folder)),
            Place::RootInfo(inode) => Ok(self.root_info_attributes(inode)),
        }
    }

    /// The attributes of a node, or none where a game would have to be decoded for them.
    ///
    /// # Errors
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn attributes_if_known(&self, inode: Inode) -> Result<Option<Attributes>, FsError> {
        match self.place(inode)? {
            Place::Node(database, node) => {
                let size = database.size_if_known(node);
                Ok(size.map(|size| database.attributes(node, size)))
            }
            Place::Folder(folder) => Ok(Some(self.folder_attributes(folder))),
            Place::RootInfo(inode) => Ok(Some(self.root_info_attributes(inode))),
        }
    }

    /// True where [`ChessFs::attributes`] or [`ChessFs::read`] of a file may have to decode many games first, or
    /// [`ChessFs::lookup`] and [`ChessFs::read_dir`] in a directory to build a view: better not answered by a
    /// thread that others wait for.
    pub fn may_wait(&self, inode: Inode) -> bool {
        let node = inode.node();
        node.is_some_and(|(prefix, node)| {
            self.database(prefix)
                .is_some_and(|database| database.may_wait(node))
        })
    }

    /// Where requests for an inode are to be answered. [`ChessFs::lookup`] is a request for its directory.
    pub fn where_to_answer(&self, inode: Inode) -> Where {
        let found = inode
            .node()
            .and_then(|(prefix, node)| Some((self.database(prefix)?, node)));
        found.map_or(Where::Here, |(database, node)| database.where_to_answer(node))
    }

    /// Gives the entries of a directory from `offset` (0, or an entry's `next`) until `each` breaks. The first
    /// two are `.` and `..`. Attributes are filled in on demand: those that need no decoding, and those of some games.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn read_dir(
        &self,
        inode: Inode,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let place = self.directory(inode)?;
        let begin = Instant::now();
        let mut decoded = 0;
        let mut at = offset;
        loop {
            let (name, inode, kind) = match at {
                0 => (".".into(), inode, Kind::Directory),
                1 => ("..".into(), self.parent(inode)?, Kind::Directory),
                _ => match self.entry_at(place, at - 2) {
                    Some(entry) => entry,
                    None => break,
                },
            };
            let mut attributes = None;
            if with_attributes {
                attributes = self.attributes_if_known(inode)?;
                if attributes.is_none()
                    && inode.is_game()
                    && decoded < DECODED_WHILE_LISTING
                    && begin.elapsed() < DECODING_WHILE_LISTING
                {
                    decoded += 1;
                    attributes = self.attributes(inode).ok();
                }
            }
            at += 1;
            let entry = Entry {
                inode,
                kind,
                name: &name,
                next: at,
                attributes,
            };
            if each(entry).is_break() {
                break;
            }
        }
        match place {
            Place::Node(database, _) => database.texts().check(),
            _ => Ok(()),
        }
    }

    /// The games that a directory lists behind `game`, or its first ones: at most so many. None where it does not
    /// hold `game`, or is no directory of games.
    pub fn next_games(&self, directory: Inode, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        let Ok(Place::Node(database, directory)) = self.place(directory) else {
            return None;
        };
        let game = match game.map(Inode::node) {
            None => None,
            Some(Some((prefix, Node::Game(game)))) if prefix == database.prefix() => Some(game),
            Some(_) => return None,
        };
        let games = database.tree.games_behind(directory, game)?.take(most);
        Some(games.map(|game| database.inode(Node::Game(game))).collect())
    }

    /// The number of entries of a directory.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] for an inode that does not exist.
    pub fn entries(&self, directory: Inode) -> Result<usize, FsError> {
        Ok(match self.directory(directory)? {
            Place::Node(database, node) => database.tree.entries(node),
            Place::Folder(folder) => {
                let own = self.database_of(folder);
                own.map_or(1, |database| database.tree.entries(Node::Database)) + folder.children.len()
            }
            Place::RootInfo(_) => 0,
        })
    }

    /// Bytes of a file: `size` of them from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::Io`] where the source does not give what it promised;
    /// [`FsError::Stale`] for an inode that does not exist.
    pub fn read(&self, inode: Inode, offset: u64, size: u32) -> Result<Chunk, FsError> {
        match self.place(inode)? {
            Place::Node(database, node) if !node.is_directory() => database.read(node, offset, size),
            Place::RootInfo(_) => Ok(Chunk::of(self.root_info(), offset, size)),
            Place::Folder(_) | Place::Node(..) => Err(FsError::IsADirectory),
        }
    }

    /// Gives the whole texts of some games of one database: cheaper than one by one, for who will not ask again.
    /// Those are left out that are known to be longer than `longest` bytes.
    ///
    /// # Errors
    /// [`FsError::Io`] where the source does not give what it promised; [`FsError::Stale`] for an inode that is no
    /// game of the same database as the first one.
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        let Some((prefix, _)) = games.first().and_then(|first| first.node()) else {
            return Ok(());
        };
        let database = self.database(prefix).ok_or(FsError::Stale)?;
        let numbers = games.iter().map(|game| match game.node() {
            Some((its, node @ Node::Game(number))) if its == prefix && database.tree.has(node) => Ok(number),
            _ => Err(FsError::Stale),
        });
        let mut numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
        numbers.retain(|&game| {
            let size = database.texts().sizes().get(game);
            size.is_none_or(|size| size <= longest)
        });
        database.each_text(&numbers, &mut |game, text| {
            each(database.inode(Node::Game(game)), text);
        })
    }

    /// Counts for `statfs`.
    pub fn statistics(&self) -> Statistics {
        let entries = self.library.databases().iter();
        Statistics {
            databases: entries.len() as u64,
            games: entries.clone().map(|entry| u64::from(entry.database.len())).sum(),
            source_bytes: entries.map(|entry| entry.source_bytes()).sum(),
        }
    }

    /// What is known by now. Nobody waits for it, and nothing is decoded.
    pub fn status(&self) -> Status {
        Status {
            databases: self.databases.iter().map(|database| database.status()).collect(),
            opening: self.library.opening().iter().map(opening_status).collect(),
            cache: self.common.cache.status(),
        }
    }
}

fn opening_status(opening: &Opening) -> OpeningStatus {
    OpeningStatus {
        path: opening.path.clone(),
        elapsed: opening.elapsed(),
    }
}
