//! The files in a database's directory: `all.pgn`, `info.txt`, `overview.html`, tables, and the database's documents.

use std::sync::Arc;

use super::inode::{KIND_DOCUMENT, Node, Table};
use super::one_database::OneDatabase;
use super::section::{Content, Existing, Kind, Section};

/// The files in the directory of a database.
pub(super) struct SingleFiles(Arc<OneDatabase>);

impl SingleFiles {
    /// The files of every database.
    pub(super) const NAMES: &[(&str, Node)] = &[
        ("all.pgn", Node::ALL),
        ("duplicates.csv", Node::DUPLICATES),
        ("games.csv", Node::CSV),
        ("games.ndjson", Node::NDJSON),
        ("games.parquet", Node::PARQUET),
        ("info.txt", Node::INFO),
        ("overview.html", Node::OVERVIEW),
        ("problems.txt", Node::PROBLEMS),
    ];

    pub(super) fn new(common: &Arc<OneDatabase>) -> SingleFiles {
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

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        let content = match node {
            Node::ALL => Content::AllGames,
            Node::INFO => Content::Info,
            Node::PROBLEMS => Content::Problems,
            Node::OVERVIEW => Content::Overview,
            Node::CSV => Content::Table(Table::Csv),
            Node::NDJSON => Content::Table(Table::Ndjson),
            Node::PARQUET => Content::Parquet,
            Node::DUPLICATES => Content::Duplicates,
            _ => {
                let documents = self.0.database().documents().len();
                let number = Some(node.number()).filter(|&number| (number as usize) < documents);
                Content::Document(number?)
            }
        };
        Some(Existing::File(content))
    }
}
