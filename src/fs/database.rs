//! The files of one database: their sizes and their bytes.

mod merged;

use std::iter;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};

use lru::LruCache;

use super::cache::TextCache;
use super::failure::Failure;
use super::info::{database_info, problem_rows};
use super::join::Join;
use super::lookups::Lookups;
use super::remote::Remote;
use super::sizes::{Games, Sizes};
use super::status::DatabaseStatus;
use super::table::Tables;
use super::texts::Texts;
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, Chunk, FsError, Inode, Kind, ServeOptions, Where};
use crate::library::{LibraryEntry, document_text};
use crate::tree::{DatabaseTree, Node, Prefix};

/// Long merged files whose places are kept.
const JOINS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// One database as files.
pub(super) struct DatabaseFs {
    /// The database as the library has it.
    entry: Arc<LibraryEntry>,
    pub(super) tree: DatabaseTree,
    texts: Arc<Texts>,
    options: ServeOptions,
    prefix: Prefix,
    cache: Arc<TextCache>,
    pub(super) lookups: Lookups,
    all: OnceLock<Arc<Join>>,
    joins: Mutex<LruCache<Node, Arc<Join>>>,
    info: OnceLock<Arc<[u8]>>,
    problems: OnceLock<Arc<[u8]>>,
    documents: Vec<OnceLock<Arc<[u8]>>>,
    tables: OnceLock<Tables>,
}

impl DatabaseFs {
    pub(super) fn new(
        entry: Arc<LibraryEntry>,
        prefix: Prefix,
        cache: Arc<TextCache>,
        options: ServeOptions,
    ) -> DatabaseFs {
        let (remote, served) = match entry.is_local {
            true => (None, Arc::clone(&entry)),
            false => {
                let (remote, served) = Remote::new(&entry, options.source_timeout);
                (Some(remote), served)
            }
        };
        let tree = DatabaseTree::new(Arc::clone(&served), options.layout.clone());
        if remote.is_some() {
            // Whoever looks at its directory from now on finds the names in memory.
            tree.links(Node::Database);
        }
        DatabaseFs {
            texts: Arc::new(Texts::new(served, remote)),
            documents: entry
                .database
                .documents()
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
            entry,
            tree,
            options,
            prefix,
            cache,
            lookups: Lookups::new(),
            all: OnceLock::new(),
            joins: Mutex::new(LruCache::new(JOINS)),
            info: OnceLock::new(),
            problems: OnceLock::new(),
            tables: OnceLock::new(),
        }
    }

    /// The database and its files, for reading.
    pub(super) fn entry(&self) -> &LibraryEntry {
        self.tree.entry()
    }

    /// The database as the library has it.
    pub(super) fn library_entry(&self) -> &Arc<LibraryEntry> {
        &self.entry
    }

    /// Where requests for a node are to be answered. The source is not touched to tell.
    pub(super) fn where_to_answer(&self, node: Node) -> Where {
        match self.texts.remote() {
            None if self.may_wait(node) => Where::Aside,
            None => Where::Here,
            // What they show is in memory.
            Some(_) if matches!(node, Node::Database | Node::Info) => Where::Here,
            Some(remote) => {
                let pool = match node {
                    _ if !self.may_wait(node) => &remote.quick,
                    Node::Document(_) | Node::Table(_) => &remote.long,
                    _ => &remote.common,
                };
                Where::Pool(Arc::clone(pool))
            }
        }
    }

    /// The texts of its games.
    pub(super) fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// Prefix of its inodes.
    pub(super) fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// What is known by now.
    pub(super) fn status(&self) -> DatabaseStatus {
        let entry = self.entry();
        DatabaseStatus {
            path: entry.path.clone(),
            name: entry.name().to_owned(),
            format: entry.format.name,
            title: entry.format.title,
            games: entry.database.len(),
            sizes_known: self.sizes().known(),
            pass: self.texts.pass_state(),
            problems: entry.database.problems().len() + self.sizes().problem_count(),
            silence: self.texts.remote().and_then(|remote| remote.silence()),
        }
    }

    /// The inode of a node below the database's directory.
    pub(super) fn inode(&self, node: Node) -> Inode {
        Inode::of(self.prefix, node)
    }

    /// The size of a file; decodes what it must.
    pub(super) fn size(&self, file: Node) -> Result<u64, FsError> {
        if let Some(size) = self.size_if_known(file) {
            return Ok(size);
        }
        self.texts.load();
        match file {
            Node::Game(game) if let Some(size) = self.sizes().get(game) => Ok(size.into()),
            Node::Game(game) => self.text(game).map(|text| text.len() as u64),
            Node::Problems => Ok(self.problems()?.len() as u64),
            Node::Document(document) => Ok(self.document(document)?.len() as u64),
            Node::Table(table) => Ok(self.tables()?.len(table)),
            _ => Ok(self.join(file)?.len()),
        }
    }

    /// The size of a file, where no game has to be decoded to know it; 0 for directories.
    pub(super) fn size_if_known(&self, file: Node) -> Option<u64> {
        match file {
            Node::Game(game) => self.sizes().get(game).map(u64::from),
            Node::All if !self.sizes().are_complete() => None,
            Node::Problems if !self.sizes().are_complete() => None,
            Node::All => self.join(file).ok().map(|join| join.len()),
            Node::Problems => self.problems().ok().map(|text| text.len() as u64),
            Node::MergedFile(..) => self.sizes().sum(self.games(file)?),
            Node::Info => Some(self.info().len() as u64),
            Node::Member(member) => self.tree.member(member).map(|member| member.size),
            Node::Document(document) => {
                let text = self.documents.get(document as usize)?.get();
                text.map(|text| text.len() as u64)
            }
            Node::Table(table) => self.tables.get().map(|tables| tables.len(table)),
            _ => Some(0),
        }
    }

    /// The attributes of a node of this size.
    pub(super) fn attributes(&self, node: Node, size: u64) -> Attributes {
        let own = seconds_and_nanoseconds(self.entry().modified());
        let modified = match node {
            Node::Game(game) if !self.options.mtime_from_source => {
                let date = self.entry().database.keys(game).date;
                noon(date).map_or(own, |noon| (noon, 0))
            }
            _ => own,
        };
        Attributes {
            inode: self.inode(node),
            kind: Kind::of(node),
            size,
            blocks: size.div_ceil(512),
            modified,
            changed: own,
            links: self.tree.links(node),
        }
    }

    /// True where many games may have to be decoded or sorted before a node can be shown.
    pub(super) fn may_wait(&self, node: Node) -> bool {
        match node {
            Node::All | Node::Problems => !self.sizes().are_complete(),
            Node::Document(_) | Node::Table(_) => self.size_if_known(node).is_none(),
            Node::MergedFile(..) => self.tree.must_build(node) || self.size_if_known(node).is_none(),
            _ => self.tree.must_build(node),
        }
    }

    /// Bytes of a file.
    pub(super) fn read(&self, file: Node, offset: u64, size: u32) -> Result<Chunk, FsError> {
        match file {
            Node::Game(game) => Ok(Chunk::of(self.text(game)?, offset, size)),
            Node::Info => Ok(Chunk::of(self.info(), offset, size)),
            Node::Problems => Ok(Chunk::of(self.problems()?, offset, size)),
            Node::Member(member) => self.read_member(member, offset, size),
            Node::Document(document) => Ok(Chunk::of(self.document(document)?, offset, size)),
            Node::Table(table) => {
                let (tables, digits) = (self.tables()?, self.tree.digits());
                let bytes = tables.read(self.entry(), digits, table, offset, size);
                Ok(bytes.ok_or_else(|| self.texts.fail(Failure::Tags))?.into())
            }
            _ => self.read_join(file, offset, size),
        }
    }

    /// The text of a game, from the cache or decoded.
    fn text(&self, game: u32) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.cached(game) {
            return Ok(text);
        }
        let mut decoded = None;
        self.texts
            .decode(&mut iter::once(game), |_, text| decoded = Some(Arc::from(text)))?;
        let text: Arc<[u8]> = decoded.ok_or(FsError::Io)?;
        self.keep(game, Arc::clone(&text));
        Ok(text)
    }

    /// Gives the texts of games in their order, from the cache or decoded. Nothing is kept.
    pub(super) fn each_text(&self, games: &[u32], each: &mut dyn FnMut(u32, &[u8])) -> Result<(), FsError> {
        let mut games = games.iter().copied().peekable();
        while let Some(&game) = games.peek() {
            if let Some(text) = self.cached(game) {
                each(game, &text);
                games.next();
                continue;
            }
            let mut missing = iter::from_fn(|| games.next_if(|&next| next == game || !self.is_cached(next)));
            self.texts.decode(&mut missing, |game, text| each(game, text))?;
        }
        Ok(())
    }

    fn cached(&self, game: u32) -> Option<Arc<[u8]>> {
        self.cache.get(self.inode(Node::Game(game)))
    }

    fn is_cached(&self, game: u32) -> bool {
        self.cache.has(self.inode(Node::Game(game)))
    }

    fn keep(&self, game: u32, text: Arc<[u8]>) {
        self.cache.put(self.inode(Node::Game(game)), text);
    }

    /// Decodes the games whose sizes are unknown. A few texts are kept: they are wanted next.
    fn know_sizes(&self, games: Games<'_>) {
        let keep = self.cache.has_room_for(games.len());
        self.texts.gather(games, self.options.threads, |games| {
            // What went wrong is in the log, and whoever reads the game hears of it.
            let _ = self.texts.decode(games, |game, text| {
                if keep {
                    self.keep(game, text.into());
                }
            });
        });
    }

    fn sizes(&self) -> &Sizes {
        self.texts.sizes()
    }

    fn read_member(&self, member: u32, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let len = self.tree.member(member).ok_or(FsError::Stale)?.size;
        let wanted = len.saturating_sub(offset).min(u64::from(size));
        let mut bytes = vec![0; usize::try_from(wanted).map_err(|_| FsError::Io)?];
        let database = &self.entry().database;
        let mut filled = 0;
        while filled < bytes.len() {
            let rest = bytes.get_mut(filled..).unwrap_or_default();
            let at = offset + filled as u64;
            let read = catch_unwind(AssertUnwindSafe(|| {
                database.read_member(member as usize, at, rest)
            }));
            match read {
                Ok(Ok(more)) if more > 0 => filled += more,
                end => {
                    log::debug!("{}: file {member} in it: {end:?}", self.entry().name());
                    return Err(self.texts.fail(Failure::Member(member, at)));
                }
            }
        }
        self.texts.check()?;
        Ok(bytes.into())
    }

    /// The text of a document, made when somebody first asks for it.
    fn document(&self, document: u32) -> Result<Arc<[u8]>, FsError> {
        let kept = self.documents.get(document as usize).ok_or(FsError::Stale)?;
        if let Some(text) = kept.get() {
            return Ok(Arc::clone(text));
        }
        let text = document_text(self.entry(), document).into();
        self.texts.check()?;
        Ok(Arc::clone(kept.get_or_init(|| text)))
    }

    /// The tables, after a look through the tags of all games.
    fn tables(&self) -> Result<&Tables, FsError> {
        if let Some(tables) = self.tables.get() {
            return Ok(tables);
        }
        let tables = Tables::new(self.entry(), self.tree.digits(), self.options.threads);
        self.texts.check()?;
        Ok(self.tables.get_or_init(|| tables))
    }

    fn info(&self) -> Arc<[u8]> {
        let info = self.info.get_or_init(|| {
            let text = database_info(self.entry());
            text.into_bytes().into()
        });
        Arc::clone(info)
    }

    fn problems(&self) -> Result<Arc<[u8]>, FsError> {
        if !self.sizes().are_complete() {
            self.know_sizes(Games::All(self.entry().database.len()));
        }
        if !self.sizes().are_complete() {
            return Err(self.texts.fail(Failure::Sizes));
        }
        let problems = self.problems.get_or_init(|| {
            let own = self.entry().database.problems();
            let rows = problem_rows(own, self.sizes(), self.tree.digits());
            rows.into_bytes().into()
        });
        Ok(Arc::clone(problems))
    }
}
