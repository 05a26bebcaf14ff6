//! `tables/`: files that have to be made before their size is known. They are in a directory of their own, so that `ls -l`
//! of the directory of a branch makes none of them.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::GameSet;
use super::deviations::{deviations, has_deviations};
use super::inode::{Node, Table};
use super::section::{Content, Existing, Kind, Section};

/// `tables/` of a branch.
pub(super) struct TablesDirectory(pub(super) Arc<GameSet>);

/// True for a branch that has a table.
type HasTable = fn(&GameSet) -> bool;

/// Its files in the order of their names, and which branches have them.
const FILES: [(&str, Node, HasTable); 7] = [
    ("deviations.csv", Node::DEVIATIONS, has_deviations),
    ("duplicates.csv", Node::DUPLICATES, |game_set| {
        !game_set.is_of_unique()
    }),
    ("games.csv", Node::CSV, |_| true),
    ("games.ndjson", Node::NDJSON, |_| true),
    ("games.parquet", Node::PARQUET, |_| true),
    ("overview.html", Node::OVERVIEW, |_| true),
    ("problems.txt", Node::PROBLEMS, |game_set| {
        game_set.only_database().is_some()
    }),
];

impl TablesDirectory {
    pub(super) const NODES: &[RangeInclusive<Node>] = &[
        Node::PROBLEMS..=Node::PROBLEMS,
        Node::CSV..=Node::DUPLICATES,
        Node::DEVIATIONS..=Node::TABLES,
    ];

    /// The files of the branch.
    fn files(&self) -> impl Iterator<Item = (&'static str, Node)> {
        let own = FILES.iter().filter(|(_, _, is_of)| is_of(&self.0));
        own.map(|&(name, node, _)| (name, node))
    }
}

impl Section for TablesDirectory {
    fn kind(&self, node: Node) -> Kind {
        if node == Node::TABLES {
            Kind::Directory
        } else {
            Kind::File
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        if node != Node::TABLES {
            self.files().find(|&(_, own)| own == node)?;
        }
        Some(match node {
            Node::TABLES => Existing::Directory,
            Node::CSV => Existing::File(Content::Table(Table::Csv)),
            Node::NDJSON => Existing::File(Content::Table(Table::Ndjson)),
            Node::PARQUET => Existing::File(Content::Parquet),
            Node::OVERVIEW => Existing::File(Content::Overview),
            Node::DUPLICATES => Existing::File(Content::Duplicates),
            Node::PROBLEMS => Existing::File(Content::Problems),
            Node::DEVIATIONS => Existing::File(Content::Own),
            _ => return None,
        })
    }

    fn text(&self, node: Node) -> Option<String> {
        (node == Node::DEVIATIONS).then(|| deviations(&self.0)).flatten()
    }

    fn parent(&self, node: Node) -> Node {
        if node == Node::TABLES {
            Node::DATABASE
        } else {
            Node::TABLES
        }
    }

    fn links(&self, node: Node) -> u32 {
        if node == Node::TABLES { 2 } else { 1 }
    }

    fn len(&self, _: Node) -> usize {
        self.files().count()
    }

    fn entry_at(&self, _: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let (name, node) = self.files().nth(n)?;
        Some((name.into(), node))
    }

    fn child(&self, _: Node, name: &str) -> Option<Node> {
        let found = self.files().find(|&(own, _)| own == name);
        found.map(|(_, node)| node)
    }
}
