//! One database as it is served: its directory, its texts and what is kept of its files.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::cache::TextCache;
use super::files::{Joins, Made};
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
    /// How often the kernel was told of its nodes, less what it forgot.
    known: AtomicI64,
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
            known: AtomicI64::new(0),
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
            None if self.may_wait(node) => Where::Aside,
            None => Where::Here,
            // What they show is in memory.
            Some(_) if matches!(node, Node::DATABASE | Node::INFO) => Where::Here,
            Some(remote) if self.may_wait(node) => Where::Pool(Arc::clone(&remote.long)),
            Some(remote) => Where::Pool(Arc::clone(&remote.quick)),
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

    /// Takes down that the kernel was told of one of its nodes once more. True where it knew nothing before.
    pub(super) fn remember(&self) -> bool {
        self.known.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Takes down that the kernel forgot so many of the times that it was told. True where it knows nothing any more
    /// and did before.
    pub(super) fn forget(&self, times: u64) -> bool {
        let times = i64::try_from(times).unwrap_or(i64::MAX);
        let before = self.known.fetch_sub(times, Ordering::Relaxed);
        before > 0 && before <= times
    }

    /// True while the kernel knows one of its nodes.
    pub(super) fn is_known(&self) -> bool {
        self.known.load(Ordering::Relaxed) > 0
    }

    /// The inode of a node below the database's directory.
    pub(super) fn inode(&self, node: Node) -> Inode {
        Inode::of(self.prefix, node)
    }

    /// True where many games may have to be decoded or sorted before a node can be shown.
    pub(super) fn may_wait(&self, node: Node) -> bool {
        let Some(section) = self.tree.section(node) else {
            return false;
        };
        section.must_build(node)
            || section.kind(node) == Kind::File
                && match section.open(node) {
                    Some(Object::File(content)) => self.with_file(node, content, |file| file.may_wait()),
                    _ => false,
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
