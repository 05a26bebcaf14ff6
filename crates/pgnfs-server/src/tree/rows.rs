//! The sections of every directory, as rows of a table.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::game_directories::{Blocks, Merged, ViewDirectories};
use super::game_set::GameSet;
use super::inode::{
    KIND_BLOCK, KIND_COLLECTION, KIND_DOCUMENT, KIND_GAME, KIND_MEMBER, KIND_MEMBER_DIRECTORY, KIND_SINGLE,
    Node,
};
use super::members::{Collections, Members};
use super::moves::Moves;
use super::plies::BranchPositions;
use super::positions::PositionDirectories;
use super::search::SearchDirectory;
use super::section::Section;
use super::tables::{Documents, SingleFiles, TablesDirectory};
use chessdb_library::library::TakenNames;

/// A kind of section: its properties that are the same in every branch.
pub struct Row {
    /// Names in the directory, with their nodes. No user's view can have any of these names.
    pub names: &'static [(&'static str, Node)],
    /// The nodes of the section: whole kinds of nodes, or some of the nodes that a branch has once.
    pub nodes: &'static [RangeInclusive<Node>],
    /// True if the section is left out when the layout has no index of positions.
    pub needs_index: bool,
    /// Creates the section of a branch; `None` if the branch does not have it. Builds and reads nothing.
    pub new: fn(&Arc<GameSet>) -> Option<Box<dyn Section>>,
}

impl Row {
    /// True for a node of the section.
    pub(super) const fn has(&self, node: Node) -> bool {
        let mut n = 0;
        while n < self.nodes.len() {
            let nodes = &self.nodes[n];
            if nodes.start().code() <= node.code() && node.code() <= nodes.end().code() {
                return true;
            }
            n += 1;
        }
        false
    }
}

/// The sections of every directory. If two want the same name, the earlier one gets it.
pub(super) static ROWS: &[Row] = &[
    Row {
        names: SingleFiles::NAMES,
        nodes: SingleFiles::NODES,
        needs_index: false,
        new: |_| Some(Box::new(SingleFiles)),
    },
    Row {
        names: &[("tables", Node::TABLES)],
        nodes: TablesDirectory::NODES,
        needs_index: false,
        new: |game_set| Some(Box::new(TablesDirectory(Arc::clone(game_set)))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_DOCUMENT, KIND_DOCUMENT)],
        needs_index: false,
        new: |game_set| Some(Box::new(Documents(Arc::clone(game_set.own_database()?)))),
    },
    Row {
        names: &[("games", Node::GAMES)],
        nodes: &[Node::GAMES..=Node::GAMES, Node::all_of(KIND_BLOCK, KIND_GAME)],
        needs_index: false,
        new: |game_set| Some(Box::new(Blocks::new(game_set)?)),
    },
    Row {
        names: &[("merged", Node::MERGED)],
        nodes: Merged::NODES,
        needs_index: false,
        new: |game_set| Some(Box::new(Merged(Arc::clone(game_set)))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_MEMBER_DIRECTORY, KIND_MEMBER)],
        needs_index: false,
        new: |game_set| Some(Box::new(Members::new(game_set.own_database()?))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_COLLECTION, KIND_COLLECTION)],
        needs_index: false,
        new: |game_set| Some(Box::new(Collections::new(game_set)?)),
    },
    Row {
        names: &[],
        nodes: ViewDirectories::NODES,
        needs_index: false,
        new: |game_set| Some(Box::new(ViewDirectories(Arc::clone(game_set)))),
    },
    Row {
        names: &[("search", Node::SEARCH)],
        nodes: SearchDirectory::NODES,
        needs_index: false,
        new: |game_set| Some(Box::new(SearchDirectory::new(game_set)?)),
    },
    Row {
        names: &[("moves", Moves::TOP)],
        nodes: Moves::NODES,
        needs_index: true,
        new: |game_set| Some(Box::new(Moves::new(BranchPositions::new(game_set)))),
    },
    Row {
        names: &[("positions", PositionDirectories::TOP)],
        nodes: PositionDirectories::NODES,
        needs_index: true,
        new: |game_set| Some(Box::new(PositionDirectories::new(BranchPositions::new(game_set)))),
    },
];

/// The row of each kind of nodes, and of nodes that a branch has once. Tables, because testing every row for each node
/// took as long as the rest of a listing.
static BY_KIND: [u8; 256] = {
    let mut rows = [NO_ROW; 256];
    let mut kind = KIND_SINGLE as usize + 1;
    while kind < rows.len() {
        rows[kind] = row_of(Node::new(kind as u8, 0));
        kind += 1;
    }
    rows
};
static BY_NUMBER: [u8; 15] = {
    let mut rows = [NO_ROW; 15];
    let mut number = 0;
    while number < rows.len() {
        rows[number] = row_of(Node::new(KIND_SINGLE, number as u32));
        number += 1;
    }
    rows
};
const NO_ROW: u8 = u8::MAX;

const fn row_of(node: Node) -> u8 {
    let mut row = 0;
    while row < ROWS.len() {
        if ROWS[row].has(node) {
            return row as u8;
        }
        row += 1;
    }
    NO_ROW
}

impl Row {
    /// The built-in rows, then `own`.
    fn all(own: &[&'static Row]) -> impl Iterator<Item = &'static Row> {
        ROWS.iter().chain(own.iter().copied())
    }

    /// The place, among all rows, of the row that has a node.
    pub fn of(node: Node, own: &[&'static Row]) -> Option<usize> {
        let row = match node.kind() {
            KIND_SINGLE => BY_NUMBER.get(node.number() as usize),
            kind => BY_KIND.get(usize::from(kind)),
        };
        match row {
            Some(&row) if row != NO_ROW => Some(row.into()),
            _ => Row::all(own).position(|row| row.has(node)),
        }
    }

    /// The sections of a branch, one for each row that it has. Builds and reads nothing.
    pub fn sections(game_set: &Arc<GameSet>, own: &[&'static Row]) -> Vec<Option<Box<dyn Section>>> {
        let has_positions = game_set.layout().has_positions();
        let section = |row: &Row| {
            let is_left_out = row.needs_index && !has_positions;
            (!is_left_out).then(|| (row.new)(game_set)).flatten()
        };
        Row::all(own).map(section).collect()
    }

    /// The entries of the directory that has these sections, sorted by name.
    pub fn entries(own: &[&'static Row], sections: &[Option<Box<dyn Section>>]) -> Vec<(String, Node)> {
        let names = Row::all(own).zip(sections).filter_map(|(row, section)| {
            let fixed = row.names.iter();
            let fixed = fixed.map(|&(name, node)| (name.to_owned(), node));
            Some(fixed.chain(section.as_ref()?.top()))
        });
        // If names collide, the later ones get ` (2)` and so on.
        let mut taken = TakenNames::default();
        let names = names.flatten();
        let mut entries: Vec<(String, Node)> =
            names.map(|(name, node)| (taken.take_name(&name), node)).collect();
        entries.sort_unstable();
        entries
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.iter().map(|(name, _)| name);
        f.debug_list().entries(names).entries(self.nodes).finish()
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.names, self.nodes) == (other.names, other.nodes)
    }
}

impl Eq for Row {}
