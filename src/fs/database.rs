//! A database as served: its directory, the texts of its games, and its cached files.

use std::sync::Arc;

use super::branch::{Branch, Part};
use super::cache::TextCache;
use super::failure::Failure;
use super::files::{Joins, Made, Wait};
use super::info::database_info;
use super::lookups::Lookups;
use super::remote::Remote;
use super::sizes::{Games, Sizes};
use super::status::DatabaseStatus;
use super::texts::Texts;
use super::types::{FsError, Inode, ServeOptions, Where};
use crate::overview::Counts;
use crate::tree::{DatabaseTree, Kind, Node, Prefix, Section, ViewFiles};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::{BuildOptions, IndexUse};

/// One database as files.
pub(super) struct DatabaseFs {
    /// The database as opened by the library.
    entry: Arc<LibraryEntry>,
    pub(super) tree: DatabaseTree,
    texts: Arc<Texts>,
    pub(super) options: ServeOptions,
    prefix: Prefix,
    pub(super) cache: Arc<TextCache>,
    pub(super) lookups: Lookups,
    joins: Joins,
    pub(super) made: Made,
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
        let mut layout = options.layout.clone();
        if options.index == IndexUse::No {
            layout.leave_out_positions();
        }
        let build = BuildOptions {
            threads: options.threads,
            memory: options.index_memory,
            folders: options.index_folders,
        };
        let tree = DatabaseTree::new(Arc::clone(&served), layout, build);
        if remote.is_some() {
            // Later requests for the directory find the names of its entries in memory.
            tree.links(Node::DATABASE);
        }
        let texts = Arc::new(Texts::new(served, remote));
        if options.index == IndexUse::Yes {
            texts.prepare_later(tree.positions());
        }
        DatabaseFs {
            texts,
            made: Made::new(entry.database.documents().len()),
            entry,
            tree,
            options,
            prefix,
            cache,
            lookups: Lookups::new(),
            joins: Joins::new(),
        }
    }

    /// The opened database and its files.
    pub(super) fn entry(&self) -> &LibraryEntry {
        self.tree.entry()
    }

    /// The same entry as a shared pointer, which identifies the database across epochs.
    pub(super) fn library_entry(&self) -> &Arc<LibraryEntry> {
        &self.entry
    }

    /// The texts of its games.
    pub(super) fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// Keeps views in files.
    pub(super) fn keep_views_in(&self, files: &ViewFiles) {
        let texts = Arc::downgrade(&self.texts);
        let is_trusted = move || texts.upgrade().is_some_and(|texts| texts.is_trusted());
        self.tree.common().keep_views_in(files, is_trusted);
        let common = Arc::downgrade(self.tree.common());
        self.texts.on_doubt(move || {
            if let Some(common) = common.upgrade() {
                common.forget_kept();
            }
        });
    }

    /// Why `moves/` and `positions/` give errors, if that shows before they are asked for.
    pub(super) fn lacks_positions(&self) -> Option<String> {
        if self.options.index == IndexUse::No {
            return None;
        }
        let obstacle = self.tree.positions().obstacle()?;
        Some(format!("moves/ and positions/ cannot be shown: {obstacle}"))
    }

    /// The prefix of its inode numbers.
    pub(super) fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// Its current status. Decodes nothing.
    pub(super) fn status(&self) -> DatabaseStatus {
        let (entry, sizes) = (self.entry(), self.texts.sizes_if_counted());
        let uncounted = entry.database.uncounted();
        DatabaseStatus {
            path: entry.path.clone(),
            name: entry.name().to_owned(),
            format: entry.format.name,
            title: entry.format.title,
            games: uncounted.unwrap_or_else(|| entry.database.len()),
            is_counted: uncounted.is_none(),
            sizes_known: sizes.map_or(0, Sizes::known),
            pass: self.texts.pass_state(),
            index: self.tree.positions().state(),
            problems: entry.database.problems().len() + sizes.map_or(0, Sizes::problem_count),
            silence: self.texts.remote().and_then(|remote| remote.silence()),
        }
    }

    /// The inode of a node below the database's directory.
    pub(super) fn inode(&self, node: Node) -> Inode {
        Inode::of(self.prefix, node)
    }

    /// Decodes the games of unknown size. If they are few, their texts are cached, because they are usually
    /// read next.
    pub(super) fn know_sizes(&self, games: Games<'_>) {
        let keep = self.cache.has_room_for(games.len());
        self.texts.gather(games, self.options.threads, |games| {
            // The error is in the log; a read of the game returns it again.
            let _ = self.texts.decode(games, |game, text| {
                if keep {
                    self.keep(game, text.into());
                }
            });
        });
    }

    /// Decodes the games whose problems are unknown.
    pub(super) fn know_problems(&self) {
        match self.sizes().are_stored() {
            true => self.texts.know_problems(self.options.threads),
            false => self.know_sizes(Games::All(self.sizes().games())),
        }
    }

    pub(super) fn sizes(&self) -> &Sizes {
        self.texts.sizes()
    }
}

impl Branch for DatabaseFs {
    fn parts(&self) -> Vec<Part<'_>> {
        vec![Part::of(self)]
    }

    fn database_at(&self, _: usize) -> Option<&DatabaseFs> {
        Some(self)
    }

    fn database(&self) -> Option<&DatabaseFs> {
        Some(self)
    }

    fn made(&self) -> &Made {
        &self.made
    }

    fn joins(&self, _: usize, _: bool) -> Option<&Joins> {
        Some(&self.joins)
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
        DatabaseFs::inode(self, node)
    }

    fn place_of(&self, game: u32) -> (usize, u32) {
        (0, game)
    }

    fn number_of(&self, game: Inode) -> Option<u32> {
        let (prefix, node) = game.node()?;
        node.as_game().filter(|_| prefix == self.prefix)
    }

    fn lookups(&self) -> &Lookups {
        &self.lookups
    }

    fn modified(&self) -> i128 {
        self.entry().modified()
    }

    fn is_counted(&self) -> bool {
        self.entry().is_counted()
    }

    fn is_prepared(&self) -> bool {
        self.entry().is_prepared()
    }

    fn where_to_answer(&self, node: Node) -> Where {
        let wait = || (self as &dyn Branch).wait(node);
        match self.texts.remote() {
            None if wait() == Wait::None => Where::Here,
            None => Where::Aside,
            // Both are answered from memory.
            Some(_) if matches!(node, Node::DATABASE | Node::INFO) => Where::Here,
            Some(remote) => remote.pool_for(wait()),
        }
    }

    fn check(&self, _: Option<&[Inode]>) -> Result<(), FsError> {
        self.texts.check()
    }

    fn fail_without_index(&self) -> FsError {
        self.texts.fail(Failure::Index)
    }

    fn threads(&self) -> usize {
        self.options.threads
    }

    fn info_if_known(&self) -> Option<Arc<[u8]>> {
        if self.entry().is_described() {
            return self.info().ok();
        }
        self.made.info.get().cloned()
    }

    /// A source that may not answer is not checked: everything in the text is known since it was opened.
    fn info(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.made.info.get() {
            return Ok(Arc::clone(text));
        }
        let text = database_info(self.entry(), self.lacks_positions())
            .into_bytes()
            .into();
        if self.texts.remote().is_none() {
            self.texts.check()?;
        }
        Ok(Arc::clone(self.made.info.get_or_init(|| text)))
    }

    fn title(&self) -> (String, String) {
        let entry = self.entry();
        (entry.name().to_owned(), entry.format.title.to_owned())
    }

    fn add_problems(&self, _: &Part<'_>, sum: &mut Counts) -> Result<(), FsError> {
        *sum = self.problems_by_file()?;
        Ok(())
    }

    fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String> {
        self.tree.common().directory_of(view, texts)
    }

    fn duplicates(&self) -> &Duplicates {
        self.tree.common().duplicates()
    }
}
