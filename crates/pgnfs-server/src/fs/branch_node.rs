//! A node below the directory of a branch.

use super::branch::BranchFs;
use super::files::BranchFile;
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, Directory, Entry, FIRST_OFFSET, FsError, Inode, Kind};
use crate::tree::{Existing, Node, Section};
use chessdb_library::made::Wait;

/// A node below the directory of a branch, with its section.
pub(super) struct BranchNode<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) section: &'a dyn Section,
    pub(super) node: Node,
    /// What opening found; `None` before the node is opened.
    pub(super) existing: Option<Existing<'a, BranchFile<'a>>>,
}

impl<'a> BranchNode<'a> {
    /// A node that may not exist; `None` if no section has it. Opens nothing.
    pub(super) fn find(branch: &'a BranchFs, node: Node) -> Option<BranchNode<'a>> {
        Some(BranchNode {
            branch,
            section: branch.section(node)?,
            node,
            existing: None,
        })
    }

    /// Opens the node, if it is not open yet.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub(super) fn open(&mut self) -> Result<(), FsError> {
        if self.existing.is_none() {
            let existing = self.section.open(self.node).ok_or(FsError::Stale)?;
            let file = |content| self.branch.file(self.section, self.node, content);
            self.existing = Some(existing.with_file(file).ok_or(FsError::Stale)?);
        }
        Ok(())
    }

    /// What to wait for before the node can be opened: games may have to be counted, sorted or searched for.
    pub(super) fn wait_to_open(&self) -> Wait {
        match self.branch.wait_for_games() {
            Wait::None => self.section.wait_to_open(self.node),
            wait => wait,
        }
    }

    /// True if opening the node may use a source that can hang: the section may read names for a directory or a link,
    /// but nothing for a file.
    pub(super) fn touches_source_to_open(&self) -> bool {
        self.branch.remote().is_some() && self.section.kind(self.node) != Kind::File
    }

    /// The games that a directory lists after `game`, or all its games.
    pub(super) fn games_after(&self, game: Option<Inode>) -> Option<impl Iterator<Item = Inode> + 'a> {
        let branch = self.branch;
        let after = match game {
            None => None,
            Some(game) => Some(branch.number_of(game)?),
        };
        let games = self.section.games(self.node)?;
        let first = match after {
            None => 0,
            Some(game) => games.position(game)? + 1,
        };
        Some(games.after(first).map(|game| branch.inode(Node::game(game))))
    }

    /// The attributes of a node of this size.
    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let (branch, node) = (self.branch, self.node);
        let changed = seconds_and_nanoseconds(branch.modified());
        let game = branch.own_database().zip(node.as_game());
        let (modified, links) = match game {
            Some((database, game)) => {
                let keys = database.served_entry().database.keys(game);
                let day = noon(keys.date).filter(|_| !database.options.mtime_from_source);
                let links = branch.directories_of(game, &keys);
                (day.map_or(changed, |noon| (noon, 0)), links)
            }
            None => (changed, self.section.links(node)),
        };
        Attributes {
            inode: branch.inode(node),
            kind: self.section.kind(node),
            size,
            blocks: size.div_ceil(512),
            modified,
            changed,
            links,
        }
    }
}

impl Directory for BranchNode<'_> {
    fn len(&self) -> usize {
        self.section.len(self.node)
    }

    fn entry_after(&self, offset: u64) -> Option<Entry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let (name, node) = self.section.entry_at(self.node, place)?;
        let (inode, kind) = (self.branch.inode(node), self.branch.kind(node));
        Some(Entry::new(name, inode, kind, offset + 1))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        match self.section.child(self.node, name) {
            Some(node) => Ok(self.branch.inode(node)),
            // The name may have existed before a database changed.
            None => self.check(None).and(Err(FsError::NotFound)),
        }
    }

    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        if self.section.is_unavailable() {
            return Err(self.branch.fail_without_index());
        }
        self.branch.check(shown)
    }
}
