//! The files in the directory of a branch: `all.pgn`, `info.txt`, and a database's documents.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::indexed_database::IndexedDatabase;
use super::inode::{KIND_DOCUMENT, Node};
use super::section::{Content, Existing, Kind, Section};

/// Files that a directory has once.
pub(super) struct SingleFiles;

impl SingleFiles {
    /// Those of every branch.
    pub(super) const NAMES: &[(&str, Node)] = &[("all.pgn", Node::ALL), ("info.txt", Node::INFO)];
    pub(super) const NODES: &[RangeInclusive<Node>] = &[Node::ALL..=Node::INFO];
}

impl Section for SingleFiles {
    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        Some(Existing::File(match node {
            Node::ALL => Content::AllGames,
            Node::INFO => Content::Info,
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
