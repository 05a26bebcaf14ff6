//! The directory of a branch, put together from sections.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::blocks::Blocks;
use super::branch::Branch;
use super::branch_positions::BranchPositions;
use super::collections::Collections;
use super::inode::{
    KIND_BLOCK, KIND_COLLECTION, KIND_DOCUMENT, KIND_GAME, KIND_MEMBER, KIND_MEMBER_DIRECTORY, KIND_MERGED,
    KIND_SINGLE, KIND_VIEW, LAST_MERGED_FOLDER, Node, ViewId,
};
use super::members::Members;
use super::merged::Merged;
use super::moves::Moves;
use super::ply::{Plies, Use};
use super::positions::PositionDirectories;
use super::row::Row;
use super::search::SearchDirectory;
use super::section::{Existing, Kind, Section};
use super::single_files::{Documents, SingleFiles};
use super::tables_directory::TablesDirectory;
use super::view_directories::ViewDirectories;
use chessdb::Keys;
use chessdb_library::library::TakenNames;

/// The sections of every directory, in the order in which they take their names.
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
        new: |branch| Some(Box::new(TablesDirectory(Arc::clone(branch)))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_DOCUMENT, KIND_DOCUMENT)],
        needs_index: false,
        new: |branch| Some(Box::new(Documents(Arc::clone(branch.own_database()?)))),
    },
    Row {
        names: &[("games", Node::GAMES)],
        nodes: &[Node::GAMES..=Node::GAMES, Node::all_of(KIND_BLOCK, KIND_GAME)],
        needs_index: false,
        new: |branch| Some(Box::new(Blocks::new(branch)?)),
    },
    Row {
        names: &[("merged", Node::MERGED)],
        nodes: Merged::NODES,
        needs_index: false,
        new: |branch| Some(Box::new(Merged(Arc::clone(branch)))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_MEMBER_DIRECTORY, KIND_MEMBER)],
        needs_index: false,
        new: |branch| Some(Box::new(Members::new(branch.own_database()?))),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_COLLECTION, KIND_COLLECTION)],
        needs_index: false,
        new: |branch| Some(Box::new(Collections::new(branch)?)),
    },
    Row {
        names: &[],
        nodes: ViewDirectories::NODES,
        needs_index: false,
        new: |branch| Some(Box::new(ViewDirectories(Arc::clone(branch)))),
    },
    Row {
        names: &[("search", Node::SEARCH)],
        nodes: SearchDirectory::NODES,
        needs_index: false,
        new: |branch| Some(Box::new(SearchDirectory::new(branch)?)),
    },
    Row {
        names: &[("moves", Moves::TOP)],
        nodes: Moves::NODES,
        needs_index: true,
        new: |branch| Some(Box::new(Moves::new(BranchPositions::new(branch)))),
    },
    Row {
        names: &[("positions", PositionDirectories::TOP)],
        nodes: PositionDirectories::NODES,
        needs_index: true,
        new: |branch| Some(Box::new(PositionDirectories::new(BranchPositions::new(branch)))),
    },
];

/// The row of each kind of nodes, and of those that a branch has once.
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

/// Approximate memory of a directory of which nothing was asked for, in bytes.
const EMPTY: usize = 12 << 10;

/// The directory of a branch. It is a section itself, whose only node is [`Node::DATABASE`].
pub struct BranchTree {
    branch: Arc<Branch>,
    /// The rows after [`ROWS`].
    own_rows: Vec<&'static Row>,
    /// One for each row, if the branch has it.
    sections: Vec<Option<Box<dyn Section>>>,
    /// The entries, sorted by name.
    top: OnceLock<Vec<(String, Node)>>,
}

impl BranchTree {
    /// The directory of a branch, with sections of `own_rows` after the built-in ones. Builds and reads nothing.
    pub fn new(branch: Branch, own_rows: &[&'static Row]) -> BranchTree {
        let branch = Arc::new(branch);
        let has_positions = branch.layout().has_positions();
        let section = |row: &Row| {
            let is_left_out = row.needs_index && !has_positions;
            (!is_left_out).then(|| (row.new)(&branch)).flatten()
        };
        BranchTree {
            sections: rows(own_rows).map(section).collect(),
            own_rows: own_rows.to_vec(),
            top: OnceLock::new(),
            branch,
        }
    }

    /// The directory of the same sections for other games.
    pub fn with(&self, branch: Branch) -> BranchTree {
        BranchTree::new(branch, &self.own_rows)
    }

    /// What it shows.
    pub fn branch(&self) -> &Arc<Branch> {
        &self.branch
    }

    /// The section of a node. `None` for a game of several databases, which belongs to the directory of its own.
    pub fn section(&self, node: Node) -> Option<&dyn Section> {
        if node == Node::DATABASE {
            return Some(self);
        }
        let row = match node.kind() {
            KIND_SINGLE => BY_NUMBER.get(node.number() as usize),
            kind => BY_KIND.get(usize::from(kind)),
        };
        let number = match row {
            Some(&row) if row != NO_ROW => row.into(),
            _ => rows(&self.own_rows).position(|row| row.has(node))?,
        };
        self.sections.get(number)?.as_deref()
    }

    /// What a node is, as far as its number says.
    pub fn kind(&self, node: Node) -> Kind {
        self.section(node)
            .map_or(Kind::File, |section| section.kind(node))
    }

    /// The number of directories that show a game of a database, in its own directory.
    pub fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        let sections = self.sections.iter().flatten();
        sections.map(|section| section.directories_of(game, keys)).sum()
    }

    /// The part from which the name of a directory of a view, or of its merged file, is read. For a node in `moves/` or
    /// `positions/`, that of the first game. `None` for a name that depends on no game.
    pub fn named_by(&self, node: Node) -> Option<usize> {
        // The directories of all views, which have the number 0, are listed before any game is counted.
        if node.number() == 0 {
            return None;
        }
        let id = match node.kind() {
            KIND_VIEW..KIND_MERGED => ViewId::of(node),
            KIND_MERGED..=LAST_MERGED_FOLDER => ViewId::of_merged(node)?,
            _ => {
                Use::of(node)?;
                let (at, _) = Plies::of(self.branch.end()).read_position(node);
                return Some(self.branch.place_of(at.game).0);
            }
        };
        self.branch.view(id)?.named_by(node.number())
    }

    /// The memory that it takes, in bytes, as far as it grows with its games and with what was asked for.
    pub fn bytes(&self) -> usize {
        let sections = self.sections.iter().flatten();
        EMPTY + self.branch.bytes() + sections.map(|section| section.bytes()).sum::<usize>()
    }

    fn entries(&self) -> &[(String, Node)] {
        self.top.get_or_init(|| {
            let rows = rows(&self.own_rows).zip(&self.sections);
            let names = rows.filter_map(|(row, section)| {
                let fixed = row.names.iter();
                let fixed = fixed.map(|&(name, node)| (name.to_owned(), node));
                Some(fixed.chain(section.as_ref()?.top()))
            });
            // Of equal names, the later ones get ` (2)` and so on.
            let mut taken = TakenNames::default();
            let names = names.flatten();
            let mut entries: Vec<(String, Node)> =
                names.map(|(name, node)| (taken.take_name(&name), node)).collect();
            entries.sort_unstable();
            entries
        })
    }
}

fn rows(own: &[&'static Row]) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(own.iter().copied())
}

impl Section for BranchTree {
    fn kind(&self, _: Node) -> Kind {
        Kind::Directory
    }

    fn open(&self, _: Node) -> Option<Existing<'_>> {
        Some(Existing::Directory)
    }

    fn links(&self, _: Node) -> u32 {
        let entries = self.entries().iter();
        let directories = entries.filter(|&&(_, node)| BranchTree::kind(self, node) == Kind::Directory);
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
