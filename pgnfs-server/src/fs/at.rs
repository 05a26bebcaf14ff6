//! An existing node of a branch.

use super::branch::BranchFs;
use super::directory::{Directory, FIRST_OFFSET, ListedEntry};
use super::times::{noon, seconds_and_nanoseconds};
use super::types::{Attributes, FsError, Inode};
use crate::tree::{Existing, Node, Section};

/// An existing node of a branch.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) section: &'a dyn Section,
    pub(super) node: Node,
}

impl<'a> At<'a> {
    /// The node, if it exists.
    pub(super) fn open(branch: &'a BranchFs, node: Node) -> Option<(At<'a>, Existing<'a>)> {
        let section = branch.section(node)?;
        let at = At {
            branch,
            section,
            node,
        };
        Some((at, section.open(node)?))
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

    pub(super) fn attributes(&self, size: u64) -> Attributes {
        let At { branch, node, .. } = *self;
        let changed = seconds_and_nanoseconds(branch.modified());
        let game = branch.own_database().zip(node.as_game());
        let (modified, links) = match game {
            Some((database, game)) => {
                let keys = database.entry().database.keys(game);
                let day = noon(keys.date).filter(|_| !database.options.mtime_from_source);
                let links = branch.tree().directories_of(game, &keys);
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

impl Directory for At<'_> {
    fn len(&self) -> usize {
        self.section.len(self.node)
    }

    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let (name, node) = self.section.entry_at(self.node, place)?;
        Some(ListedEntry {
            name,
            inode: self.branch.inode(node),
            kind: self.branch.kind(node),
            next: offset + 1,
        })
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
