//! One database as it is served: its directory, its texts and what is kept of its files.

use std::sync::Arc;

use super::cache::TextCache;
use super::files::{Joins, Made, Wait};
use super::lookups::Lookups;
use super::remote::Remote;
use super::sizes::{Games, Sizes};
use super::status::DatabaseStatus;
use super::texts::Texts;
use super::types::{Inode, ServeOptions, Where};
use crate::library::LibraryEntry;
use crate::tree::{DatabaseTree, Kind, Node, Object, Prefix, Section};

/// One database as files.
pub(super) struct DatabaseFs {
    /// The database as the library has it.
    entry: Arc<LibraryEntry>,
    pub(super) tree: DatabaseTree,
    texts: Arc<Texts>,
    pub(super) options: ServeOptions,
    prefix: Prefix,
    pub(super) cache: Arc<TextCache>,
    pub(super) lookups: Lookups,
    pub(super) joins: Joins,
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
        let tree = DatabaseTree::new(Arc::clone(&served), options.layout.clone());
        if remote.is_some() {
            // Whoever looks at its directory from now on finds the names in memory.
            tree.links(Node::DATABASE);
        }
        DatabaseFs {
            texts: Arc::new(Texts::new(served, remote)),
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
            None if self.wait(node) == Wait::None => Where::Here,
            None => Where::Aside,
            // What they show is in memory.
            Some(_) if matches!(node, Node::DATABASE | Node::INFO) => Where::Here,
            Some(remote) => {
                let pool = match self.wait(node) {
                    Wait::None => &remote.quick,
                    Wait::Common => &remote.common,
                    Wait::Own => &remote.long,
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

    /// What has to be done before a node can be shown.
    pub(super) fn wait(&self, node: Node) -> Wait {
        match self.tree.section(node) {
            Some(section) if section.must_build(node) => Wait::Common,
            Some(section) if section.kind(node) == Kind::File => match section.open(node) {
                Some(Object::File(content)) => self.with_file(node, content, |file| file.wait()),
                _ => Wait::None,
            },
            _ => Wait::None,
        }
    }

    /// Decodes the games whose sizes are unknown. A few texts are kept: they are wanted next.
    pub(super) fn know_sizes(&self, games: Games<'_>) {
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

    pub(super) fn sizes(&self) -> &Sizes {
        self.texts.sizes()
    }
}
