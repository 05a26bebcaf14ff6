//! A database as served: the texts of its games, their sizes, its views and its index.

use std::sync::{Arc, OnceLock};

use super::cache::TextCache;
use super::game_texts::Texts;
use super::join::Joins;
use super::remote::Remote;
use super::sizes::Sizes;
use super::status::DatabaseStatus;
use super::table::Tables;
use super::types::{FsError, Inode, ServeOptions};
use crate::tree::{Games, IndexedDatabase, Node, Prefix};
use chessdb_library::kept::{KINDS, KeptFiles, KeptKind};
use chessdb_library::library::LibraryEntry;
use chessdb_library::made::Made;
use chessdb_library::positions::{BuildOptions, IndexUse};
use chessdb_library::spelling::Names;

/// Shared by all branches that show a database.
pub(super) struct DatabaseFs {
    library_entry: Arc<LibraryEntry>,
    indexed: Arc<IndexedDatabase>,
    texts: Arc<Texts>,
    pub(super) options: Arc<ServeOptions>,
    prefix: Prefix,
    pub(super) cache: Arc<TextCache>,
    /// Where games begin in the joined files of its own directory.
    joins: Joins,
    tables: Made<Tables>,
    /// The data to keep for the next mount.
    kept: OnceLock<KeptFiles>,
}

impl DatabaseFs {
    pub(super) fn new(
        entry: Arc<LibraryEntry>,
        prefix: Prefix,
        cache: Arc<TextCache>,
        options: Arc<ServeOptions>,
    ) -> DatabaseFs {
        let remote = (!entry.is_local).then(|| Remote::new(&entry, options.source_timeout));
        let layout = Arc::clone(&options.layout);
        let build = BuildOptions {
            threads: options.threads,
            memory: options.index_memory,
            folders: options.index_folders,
        };
        let indexed = Arc::new(IndexedDatabase::new(Arc::clone(&entry), layout, build));
        let texts = Arc::new(Texts::new(Arc::clone(&entry), remote));
        if options.index == IndexUse::Yes {
            texts.prepare_later(indexed.positions());
        }
        DatabaseFs {
            texts,
            library_entry: entry,
            indexed,
            options,
            prefix,
            cache,
            joins: Joins::new(),
            tables: Made::new(),
            kept: OnceLock::new(),
        }
    }

    /// The database, whose main lines are read from the kept ones, and its files.
    pub(super) fn served_entry(&self) -> &LibraryEntry {
        self.indexed.entry()
    }

    /// Its views and its index of positions.
    pub(super) fn indexed(&self) -> &Arc<IndexedDatabase> {
        &self.indexed
    }

    /// Where games begin in the joined files of its own directory.
    pub(super) fn joins(&self) -> &Joins {
        &self.joins
    }

    /// The tables of all games. On first use, reads the tags of all games.
    pub(super) fn tables(&self) -> Result<&Tables, FsError> {
        let all = Games::range(0..self.served_entry().database.len());
        self.tables
            .get_or_make(|| self.new_tables(&all, None, self.options.threads))
    }

    /// The tags of some games as tables, read now. With `names`, players are shown under these.
    pub(super) fn new_tables(
        &self,
        games: &Games<'_>,
        names: Option<&Names>,
        threads: usize,
    ) -> Result<Tables, FsError> {
        let tables = Tables::new(self.served_entry(), self.indexed.digits(), games, names, threads);
        self.texts.check().map(|()| tables)
    }

    /// The entry of the library, which identifies the database across states of the source.
    pub(super) fn library_entry(&self) -> &Arc<LibraryEntry> {
        &self.library_entry
    }

    /// The texts of its games.
    pub(super) fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// Keeps sizes, views and the index of positions in files.
    pub(super) fn keep_in(&self, files: &KeptFiles) {
        let files = self.kept.get_or_init(|| files.clone());
        self.texts.keep_in(files);
        self.indexed.positions().keep_in(files);
        let texts = Arc::downgrade(&self.texts);
        let is_trusted = move || texts.upgrade().is_some_and(|texts| texts.is_trusted());
        self.indexed.keep_views_in(files, is_trusted);
        let indexed = Arc::downgrade(&self.indexed);
        self.texts.on_distrust(move || {
            if let Some(indexed) = indexed.upgrade() {
                indexed.forget_kept();
            }
        });
    }

    /// Why `moves/` and `positions/` will fail, if that is known before they are used.
    pub(super) fn lacks_positions(&self) -> Option<String> {
        if self.options.index == IndexUse::No {
            return None;
        }
        let obstacle = self.indexed.positions().obstacle()?;
        Some(format!("moves/ and positions/ cannot be shown: {obstacle}"))
    }

    /// The data to keep for the next mount.
    pub(super) fn kept(&self) -> Option<&KeptFiles> {
        self.kept.get()
    }

    /// What `info.txt` says about its own files: which are not kept, and which cannot be made.
    pub(super) fn warnings(&self) -> Vec<String> {
        let (entry, files) = (self.served_entry(), self.kept.get());
        let is_made = |kind: KeptKind| match kind {
            KeptKind::Sizes => entry.database.as_files().stored_len(0).is_none(),
            KeptKind::Positions => self.options.index != IndexUse::No,
            _ => true,
        };
        let kinds = KINDS.iter().map(|row| row.kind).filter(|&kind| is_made(kind));
        let games = u64::from(entry.database.len());
        let refusals = kinds.filter_map(|kind| files?.refusal(kind, entry.name(), 1, games));
        refusals.chain(self.lacks_positions()).collect()
    }

    /// The prefix of its inode numbers.
    pub(super) fn prefix(&self) -> Prefix {
        self.prefix
    }

    /// The current status. Decodes nothing.
    pub(super) fn status(&self) -> DatabaseStatus {
        let (entry, sizes) = (self.served_entry(), self.texts.sizes_if_counted());
        let uncounted = entry.database.as_files().uncounted();
        DatabaseStatus {
            path: entry.path.clone(),
            name: entry.name().to_owned(),
            format: entry.format.name,
            title: entry.format.title,
            games: uncounted.unwrap_or_else(|| entry.database.len()),
            is_counted: uncounted.is_none(),
            sizes_known: sizes.map_or(0, Sizes::known),
            pass: self.texts.pass_state(),
            index: self.indexed.positions().state(),
            has_lines: self.indexed.positions().lines().are_open(),
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
    pub(super) fn determine_sizes(&self, games: &Games<'_>) {
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
    pub(super) fn determine_problems(&self) {
        if self.sizes().are_stored() {
            self.texts.determine_problems(self.options.threads)
        } else {
            self.determine_sizes(&Games::range(0..self.sizes().games()))
        }
    }

    pub(super) fn sizes(&self) -> &Sizes {
        self.texts.sizes()
    }
}
