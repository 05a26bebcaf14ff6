//! The files in the directory of a branch: `all.pgn`, `info.txt`, `overview.html`, tables, and a database's documents.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::indexed_database::IndexedDatabase;
use super::inode::{KIND_DOCUMENT, Node, Table};
use super::section::{Content, Existing, Kind, Section};

/// Files that a directory has once.
pub(super) struct SingleFiles;

impl SingleFiles {
    /// Those of every branch.
    pub(super) const NAMES: &[(&str, Node)] = &[
        ("all.pgn", Node::ALL),
        ("games.csv", Node::CSV),
        ("games.ndjson", Node::NDJSON),
        ("games.parquet", Node::PARQUET),
        ("info.txt", Node::INFO),
        ("overview.html", Node::OVERVIEW),
    ];
    pub(super) const NODES: &[RangeInclusive<Node>] = &[Node::ALL..=Node::INFO, Node::CSV..=Node::OVERVIEW];
}

impl Section for SingleFiles {
    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        Some(Existing::File(match node {
            Node::ALL => Content::AllGames,
            Node::INFO => Content::Info,
            Node::PROBLEMS => Content::Problems,
            Node::OVERVIEW => Content::Overview,
            Node::CSV => Content::Table(Table::Csv),
            Node::NDJSON => Content::Table(Table::Ndjson),
            Node::PARQUET => Content::Parquet,
            Node::DUPLICATES => Content::Duplicates,
            _ => return None,
        }))
    }
}

/// The documents of a database.
pub(super) struct Documents(pub(super) Arc<IndexedDatabase>);

impl Section for Documents {
    fn top(&self) -> Vec<(String, Node)> {
        let documents = (0..).zip(self.0.database().as_files().documents());
        documents
            .map(|(number, &name)| (name.to_owned(), Node::new(KIND_DOCUMENT, number)))
            .collect()
    }

    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        let exists = (node.number() as usize) < self.0.database().as_files().documents().len();
        exists.then_some(Existing::File(Content::Document(node.number())))
    }
}
