//! `tables/`, and the files that every directory has once.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::game_set::GameSet;
use super::indexed_database::IndexedDatabase;
use super::inode::{KIND_DOCUMENT, Node, Table};
use super::section::{Content, Existing, Kind, Section};
use chessdb_library::csv::append_record;
use chessdb_library::library::document_text;
use chessdb_library::making::Making;
use chessdb_library::positions::DatabasePart;
use chessdb_library::repertoire::LEFT_COLUMNS;
use chessdb_library::task;

/// `tables/` of a branch.
pub(super) struct TablesDirectory(pub(super) Arc<GameSet>);

/// True for a branch that has a table.
type HasTable = fn(&GameSet) -> bool;

/// Its files in the order of their names, each with a test for the branches that have it.
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

/// Files that a directory has once.
pub(super) struct SingleFiles;

impl SingleFiles {
    /// The files that every branch has.
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
        exists.then_some(Existing::File(Content::Own))
    }

    fn text(&self, node: Node) -> Option<String> {
        String::from_utf8(document_text(self.0.entry(), node.number())).ok()
    }
}

/// True for the directory of a search with one repertoire.
pub(super) fn has_deviations(game_set: &GameSet) -> bool {
    let query = game_set.query();
    query.is_some_and(|query| query.only_repertoire().is_some())
}

/// The table; `None` if the branch [does not have it](has_deviations).
pub(super) fn deviations(game_set: &GameSet) -> Option<String> {
    let query = game_set.query()?;
    let options = game_set.answer_options();
    let mut table = Vec::new();
    append_record(&mut table, LEFT_COLUMNS);
    let games: u32 = game_set.parts().iter().map(DatabasePart::len).sum();
    let making = Making::begin("deviations.csv", game_set.name(), games.into());
    for part in game_set.parts().iter() {
        task::check();
        let games: Vec<u32> = part.games_at(0..part.len()).collect();
        for left in query.left_in(part, &games, &options, &|games| making.done(games)) {
            let path = game_set.path(part.first.saturating_add(left.game));
            append_record(&mut table, left.record(path.unwrap_or_default()));
        }
    }
    String::from_utf8(table).ok()
}
