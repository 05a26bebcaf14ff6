//! The directory of a database, put together from sections.

use std::sync::{Arc, OnceLock};

use super::collections::Collections;
use super::games::Games;
use super::in_parts::PositionsInParts;
use super::indexed::Positions;
use super::inode::{
    KIND_BLOCK, KIND_COLLECTION, KIND_DOCUMENT, KIND_GAME, KIND_MEMBER, KIND_MEMBER_DIRECTORY, KIND_SINGLE,
    Node,
};
use super::layout::Layout;
use super::members::Members;
use super::merged::Merged;
use super::moves::Moves;
use super::one_database::{OneDatabase, Views};
use super::positions::PositionDirectories;
use super::searched::Searched;
use super::section::{Kind, Row, Section};
use super::single_files::SingleFiles;
use super::top::{HasTop, Top};
use super::view_directories::ViewDirectories;
use chessdb::formats::Keys;
use chessdb_library::library::LibraryEntry;
use chessdb_library::positions::BuildOptions;

/// The sections of every database's directory, in the order in which they take their names.
pub(super) static ROWS: &[Row] = &[
    Row {
        names: SingleFiles::NAMES,
        nodes: &[
            Node::ALL..=Node::PROBLEMS,
            Node::CSV..=Node::DUPLICATES,
            Node::all_of(KIND_DOCUMENT, KIND_DOCUMENT),
        ],
        needs_index: false,
        new: |common| Box::new(SingleFiles::new(common)),
    },
    Row {
        names: &[("games", Node::GAMES)],
        nodes: &[Node::GAMES..=Node::GAMES, Node::all_of(KIND_BLOCK, KIND_GAME)],
        needs_index: false,
        new: |common| Box::new(Games::new(common)),
    },
    Row {
        names: &[("merged", Node::MERGED)],
        nodes: Merged::NODES,
        needs_index: false,
        new: |common| Box::new(Merged(Arc::clone(common) as Arc<dyn Views>)),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_MEMBER_DIRECTORY, KIND_MEMBER)],
        needs_index: false,
        new: |common| Box::new(Members::new(common)),
    },
    Row {
        names: &[],
        nodes: &[Node::all_of(KIND_COLLECTION, KIND_COLLECTION)],
        needs_index: false,
        new: |common| Box::new(Collections::new(common)),
    },
    Row {
        names: &[],
        nodes: ViewDirectories::NODES,
        needs_index: false,
        new: |common| Box::new(ViewDirectories(Arc::clone(common) as Arc<dyn Views>)),
    },
    Row {
        names: &[("moves", Moves::TOP)],
        nodes: Moves::NODES,
        needs_index: true,
        new: |common| Box::new(Moves::new(PositionsInParts::new(Searched::one(common)))),
    },
    Row {
        names: &[("positions", PositionDirectories::TOP)],
        nodes: PositionDirectories::NODES,
        needs_index: true,
        new: |common| {
            Box::new(PositionDirectories::new(PositionsInParts::new(Searched::one(
                common,
            ))))
        },
    },
];

/// The row of each kind of nodes, and of those that a database has once.
static BY_KIND: [u8; 256] = {
    let mut rows = [NO_ROW; 256];
    let mut kind = KIND_SINGLE as usize + 1;
    while kind < rows.len() {
        rows[kind] = row_of(Node::new(kind as u8, 0));
        kind += 1;
    }
    rows
};
static BY_NUMBER: [u8; 11] = {
    let mut rows = [NO_ROW; 11];
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

/// The directory of one database. It is a section itself, whose only node is [`Node::DATABASE`].
pub struct DatabaseTree {
    common: Arc<OneDatabase>,
    /// One for each row of the layout.
    sections: Vec<Box<dyn Section>>,
    top: OnceLock<Top>,
}

impl DatabaseTree {
    /// The directory of a database, whose index is built in this way when it is needed.
    pub fn new(entry: Arc<LibraryEntry>, layout: Layout, build: BuildOptions) -> DatabaseTree {
        let common = Arc::new(OneDatabase::new(entry, layout, build));
        DatabaseTree {
            sections: common.layout().rows().map(|row| (row.new)(&common)).collect(),
            top: OnceLock::new(),
            common,
        }
    }

    /// The database and its files.
    pub fn entry(&self) -> &LibraryEntry {
        self.common.entry()
    }

    /// The positions of its games.
    pub fn positions(&self) -> &Arc<Positions> {
        self.common.positions()
    }

    /// What its sections have in common.
    pub fn common(&self) -> &Arc<OneDatabase> {
        &self.common
    }

    /// Digits of the numbers of games.
    pub fn digits(&self) -> usize {
        self.common.digits()
    }

    /// The section of a node.
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
            _ => self.common.layout().rows().position(|row| row.has(node))?,
        };
        self.sections.get(number).map(Box::as_ref)
    }

    /// What a node is, as far as its number says.
    pub fn kind(&self, node: Node) -> Kind {
        self.section(node)
            .map_or(Kind::File, |section| section.kind(node))
    }

    /// The number of directories that show a game.
    pub fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        let sections = self.sections.iter();
        sections.map(|section| section.directories_of(game, keys)).sum()
    }
}

impl HasTop for DatabaseTree {
    fn entries(&self) -> &Top {
        self.top.get_or_init(|| {
            let rows = self.common.layout().rows().zip(&self.sections);
            let names = rows.flat_map(|(row, section)| {
                let own = self
                    .common
                    .layout()
                    .names(row)
                    .iter()
                    .map(|&(name, node)| (name.to_owned(), node));
                own.chain(section.top())
            });
            Top::new(names)
        })
    }

    fn kind_below(&self, node: Node) -> Kind {
        self.kind(node)
    }
}
