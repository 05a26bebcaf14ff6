//! `all/`: the games of all databases as one library.
//!
//! It merges the views of the databases: a directory for each text shows the games of the directories with
//! this text in every database. Games keep the inodes that they have in their databases; no game data is
//! stored here.

mod code;
mod databases;
mod unique;
mod view;

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::in_parts::PositionsInParts;
use super::inode::{KIND_MERGED, KIND_VIEW, LAST_MERGED_FOLDER, Node, Table, ViewId};
use super::merged::Merged;
use super::moves::Moves;
use super::one_database::{OneDatabase, Views};
use super::ply::{Plies, Use};
use super::positions::PositionDirectories;
use super::searched::Searched;
use super::section::{Content, Existing, Kind, Section};
use super::top::{HasTop, Top};
use super::view_directories::ViewDirectories;
pub use databases::AllDatabases;
pub(super) use databases::{Part, place_of};
pub use unique::Unique;
pub use view::InParts;

/// Name of the directory, unless a folder of the source has it.
pub const NAME: &str = "all";

/// Name of the directory in it that has only one game of each group of duplicates.
pub const UNIQUE: &str = "unique";

/// A section after its nodes.
type SectionWithNodes = (&'static [RangeInclusive<Node>], Box<dyn Section>);

/// The directory of all databases. It is also the section whose only node is [`Node::DATABASE`].
pub struct AllTree {
    databases: Arc<AllDatabases>,
    sections: Vec<SectionWithNodes>,
    /// The names that the sections of positions have in the directory.
    names: Vec<(&'static str, Node)>,
    top: OnceLock<Top>,
}

impl AllTree {
    /// The directory of these databases. `None` if the games cannot all be numbered or there is no database.
    pub fn new(databases: Vec<Arc<OneDatabase>>) -> Option<AllTree> {
        Some(AllTree::of(AllDatabases::new(databases)?))
    }

    /// The directory of the same databases with only the best game of each group of duplicates.
    pub fn unique(&self) -> AllTree {
        AllTree::of(self.databases.unique())
    }

    fn of(databases: AllDatabases) -> AllTree {
        let is_unique = databases.is_unique();
        let databases = Arc::new(databases);
        let views = || Arc::clone(&databases) as Arc<dyn Views>;
        let mut sections: Vec<SectionWithNodes> = vec![
            (Merged::NODES, Box::new(Merged(views()))),
            (ViewDirectories::NODES, Box::new(ViewDirectories(views()))),
            (&[Node::ALL..=Node::DUPLICATES], Box::new(Files { is_unique })),
        ];
        let mut names = Vec::new();
        if databases.layout().has_positions() {
            let searched = Searched::All(Arc::clone(&databases));
            let positions = PositionsInParts::new(searched);
            sections.push((Moves::NODES, Box::new(Moves::new(Arc::clone(&positions)))));
            let directories = PositionDirectories::new(positions);
            sections.push((PositionDirectories::NODES, Box::new(directories)));
            names = vec![("moves", Moves::TOP), ("positions", PositionDirectories::TOP)];
        }
        AllTree {
            sections,
            names,
            top: OnceLock::new(),
            databases,
        }
    }

    /// The databases and their numbers.
    pub fn databases(&self) -> &AllDatabases {
        &self.databases
    }

    /// The section of a node. `None` for a game, which belongs to its database.
    pub fn section(&self, node: Node) -> Option<&dyn Section> {
        if node == Node::DATABASE {
            return Some(self);
        }
        let mut sections = self.sections.iter();
        let found = sections.find(|(nodes, _)| nodes.iter().any(|nodes| nodes.contains(&node)));
        found.map(|(_, section)| section.as_ref())
    }

    /// The kind of a node, judged by its number alone.
    pub fn kind(&self, node: Node) -> Kind {
        self.section(node)
            .map_or(Kind::File, |section| section.kind(node))
    }

    /// The database from which the name of a directory of a view, or of its merged file, is read. For a node in `moves/`
    /// or `positions/`, that of the first game.
    pub fn database_of(&self, node: Node) -> Option<usize> {
        // The directories of all views, which have the number 0, are listed before any game is counted.
        if node.number() == 0 {
            return None;
        }
        let id = match node.kind() {
            KIND_VIEW..KIND_MERGED => ViewId::of(node),
            KIND_MERGED..=LAST_MERGED_FOLDER => ViewId::of_merged(node)?,
            _ => {
                Use::of(node)?;
                let (at, _) = Plies::of(self.databases.games()).read_position(node);
                return Some(self.databases.place_of(at.game).0);
            }
        };
        self.databases.view(id)?.named_by(node.number())
    }
}

impl HasTop for AllTree {
    fn entries(&self) -> &Top {
        self.top.get_or_init(|| {
            let is_unique = self.databases.is_unique();
            let files = Files { is_unique }.names();
            let own = files.iter().chain(&self.names);
            let own = own.map(|&(name, node)| (name.to_owned(), node));
            let sections = self.sections.iter().flat_map(|(_, section)| section.top());
            let merged = ("merged".to_owned(), Node::MERGED);
            Top::new(own.chain([merged]).chain(sections))
        })
    }

    fn kind_below(&self, node: Node) -> Kind {
        self.kind(node)
    }
}

/// The files in the directory.
struct Files {
    /// True in `unique/`, which has no duplicates.
    is_unique: bool,
}

impl Files {
    const NAMES: &[(&str, Node)] = &[
        ("all.pgn", Node::ALL),
        ("duplicates.csv", Node::DUPLICATES),
        ("games.csv", Node::CSV),
        ("games.ndjson", Node::NDJSON),
        ("games.parquet", Node::PARQUET),
        ("info.txt", Node::INFO),
        ("overview.html", Node::OVERVIEW),
    ];
    const UNIQUE_NAMES: &[(&str, Node)] = &[
        ("all.pgn", Node::ALL),
        ("games.csv", Node::CSV),
        ("games.ndjson", Node::NDJSON),
        ("games.parquet", Node::PARQUET),
        ("info.txt", Node::INFO),
        ("overview.html", Node::OVERVIEW),
    ];

    fn names(&self) -> &'static [(&'static str, Node)] {
        match self.is_unique {
            true => Files::UNIQUE_NAMES,
            false => Files::NAMES,
        }
    }
}

impl Section for Files {
    fn kind(&self, _: Node) -> Kind {
        Kind::File
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        if !self.names().iter().any(|&(_, own)| own == node) {
            return None;
        }
        Some(Existing::File(match node {
            Node::ALL => Content::AllGames,
            Node::INFO => Content::Info,
            Node::CSV => Content::Table(Table::Csv),
            Node::NDJSON => Content::Table(Table::Ndjson),
            Node::PARQUET => Content::Parquet,
            Node::OVERVIEW => Content::Overview,
            Node::DUPLICATES => Content::Duplicates,
            _ => return None,
        }))
    }
}
