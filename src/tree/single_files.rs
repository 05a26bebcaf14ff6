//! The files in a database's directory: `all.pgn`, `info.txt`, tables, and documents of its own.

use std::sync::Arc;

use super::common::Common;
use super::inode::{KIND_DOCUMENT, Node, Table};
use super::section::{Content, Kind, Object, Section};

/// The files in the directory of a database.
pub(super) struct SingleFiles(Arc<Common>);

impl SingleFiles {
    /// Those that every database has.
    pub(super) const NAMES: &[(&str, Node)] = &[
        ("all.pgn", Node::ALL),
        ("games.csv", Node::CSV),
        ("games.ndjson", Node::NDJSON),
        ("info.txt", Node::INFO),
        ("problems.txt", Node::PROBLEMS),
    ];

    pub(super) fn new(common: &Arc<Common>) -> SingleFiles {
        SingleFiles(Arc::clone(common))
    }
}

impl Section for SingleFiles {
    fn top(&self) -> Vec<(String, Node)> {
        let documents = (0..).zip(self.0.database().documents());
        documents
            .map(|(number, &name)| (name.to_owned(), Node::new(KIND_DOCUMENT, number)))
            .collect()
    }

    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, node: Node) -> Option<Object<'_>> {
        let content = match node {
            Node::ALL => Content::AllGames,
            Node::INFO => Content::Info,
            Node::PROBLEMS => Content::Problems,
            Node::CSV => Content::Table(Table::Csv),
            Node::NDJSON => Content::Table(Table::Ndjson),
            _ => {
                let documents = self.0.database().documents().len();
                let number = Some(node.number()).filter(|&number| (number as usize) < documents);
                Content::Document(number?)
            }
        };
        Some(Object::File(content))
    }
}
