//! What stands where in a database's directory.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::collections::Collections;
use super::game_name::game_of_name;
use super::index::ViewIndex;
use super::inode::{Node, Table, ViewId};
use super::layout::Layout;
use super::members::Members;
use super::names::{BLOCK, block_name, digits, numbered_game_name};
use crate::library::{LibraryEntry, TakenNames};
use chessdb::formats::{Database, Member};

/// What every database's directory has beside its views.
pub(super) const TOP: [(&str, Node); 7] = [
    ("all.pgn", Node::All),
    ("games", Node::Games),
    ("games.csv", Node::Table(Table::Csv)),
    ("games.ndjson", Node::Table(Table::Ndjson)),
    ("info.txt", Node::Info),
    ("merged", Node::Merged),
    ("problems.txt", Node::Problems),
];

/// The directory of one database. Views, folders and members are read when somebody first looks at them.
pub struct DatabaseTree {
    entry: Arc<LibraryEntry>,
    layout: Layout,
    digits: usize,
    pub(super) views: Vec<OnceLock<ViewIndex>>,
    collections: OnceLock<Collections>,
    members: OnceLock<Members>,
    top: OnceLock<Vec<(String, Node)>>,
}

impl DatabaseTree {
    /// The directory of a database.
    pub fn new(entry: Arc<LibraryEntry>, layout: Layout) -> DatabaseTree {
        DatabaseTree {
            digits: digits(entry.database.len()),
            entry,
            views: layout.views().map(|_| OnceLock::new()).collect(),
            layout,
            collections: OnceLock::new(),
            members: OnceLock::new(),
            top: OnceLock::new(),
        }
    }

    /// The database and its files.
    pub fn entry(&self) -> &LibraryEntry {
        &self.entry
    }

    /// Digits of the numbers of games.
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// True for a node that the database has.
    pub fn has(&self, node: Node) -> bool {
        match node {
            Node::Database | Node::Games | Node::Merged => true,
            Node::All | Node::Info | Node::Problems | Node::Table(_) => true,
            Node::Block(block) => block < self.blocks(),
            Node::Game(game) => game < self.database().len(),
            Node::MemberDirectory(directory) => !self.members().files(directory).is_empty(),
            Node::Member(member) => self.member(member).is_some(),
            Node::Collection(folder) => folder < self.collections().len(),
            Node::Document(document) => (document as usize) < self.database().documents().len(),
            Node::View(view, 0) | Node::MergedView(view) => view.index() < self.views.len(),
            Node::View(view, directory) => self.view(view).is_some_and(|index| directory < index.len()),
            Node::MergedFile(..) => self.merged_games(node).is_some(),
            Node::MergedFolder(view, directory) => self.view(view).is_some_and(|index| {
                directory > 0 && index.nests_merged() && !index.children(directory).is_empty()
            }),
        }
    }

    /// The nth entry of a directory; none behind the last.
    pub fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let number = u32::try_from(n).ok()?;
        match directory {
            Node::Database => self.top().get(n).map(|(name, node)| (name.into(), *node)),
            Node::Games => (number < self.blocks())
                .then(|| (block_name(number, self.digits).into(), Node::Block(number))),
            Node::Block(block) => {
                let game = block.checked_mul(BLOCK)?.checked_add(number)?;
                let is_inside = number < BLOCK && game < self.database().len();
                is_inside.then(|| (numbered_game_name(game, self.digits).into(), Node::Game(game)))
            }
            Node::View(id, directory) => {
                let view = self.view(id)?;
                let children = view.children(directory);
                match children.clone().nth(n) {
                    Some(child) => Some((view.name(self.database(), child)?.into(), Node::View(id, child))),
                    None => self.game_at(view.games(directory), n - children.len()),
                }
            }
            Node::Collection(folder) => {
                let collections = self.collections();
                let children = collections.children(folder);
                match children.get(n) {
                    Some(&child) => Some((collections.name(child).into(), Node::Collection(child))),
                    None => self.game_at(collections.games(folder), n - children.len()),
                }
            }
            Node::MemberDirectory(directory) => {
                let (name, member) = self.members().files(directory).get(n)?;
                Some((name.as_str().into(), Node::Member(*member)))
            }
            Node::Merged => {
                let (id, view) = self.layout.views().nth(n)?;
                Some((view.name().to_owned().into(), Node::MergedView(id)))
            }
            Node::MergedView(id) => self.merged_at(id, 0, n),
            Node::MergedFolder(id, directory) => self.merged_at(id, directory, n),
            _ => None,
        }
    }

    /// The entry of a name in a directory.
    pub fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let database = self.database();
        match directory {
            Node::Database => self.top().iter().find(|top| top.0 == name).map(|top| top.1),
            Node::Games => {
                let first: u32 = name.split('-').next()?.parse().ok()?;
                let block = first.checked_sub(1)? / BLOCK;
                let is_name = block < self.blocks() && block_name(block, self.digits) == name;
                is_name.then_some(Node::Block(block))
            }
            Node::Block(block) => {
                let game = game_of_name(name, self.digits)?;
                let is_inside = game < database.len() && game / BLOCK == block;
                (is_inside && numbered_game_name(game, self.digits) == name).then_some(Node::Game(game))
            }
            Node::View(id, directory) => {
                let view = self.view(id)?;
                let child = view.child(database, directory, name);
                child.map(|child| Node::View(id, child)).or_else(|| {
                    let games = view.games(directory);
                    self.game_of_name(name, |game| games.binary_search(&game).is_ok())
                })
            }
            Node::Collection(folder) => {
                let collections = self.collections();
                let child = collections.child(folder, name);
                child
                    .map(Node::Collection)
                    .or_else(|| self.game_of_name(name, |game| collections.place(folder, game).is_some()))
            }
            Node::MemberDirectory(directory) => self.members().child(directory, name).map(Node::Member),
            Node::Merged => {
                let mut views = self.layout.views();
                let (id, _) = views.find(|(_, view)| view.name() == name)?;
                Some(Node::MergedView(id))
            }
            Node::MergedView(id) => self.merged_child(id, 0, name),
            Node::MergedFolder(id, directory) => self.merged_child(id, directory, name),
            _ => None,
        }
    }

    /// The directory that holds a node, for a game the one in `games/`; the database's directory holds itself.
    pub fn parent(&self, node: Node) -> Node {
        match node {
            Node::Block(_) => Node::Games,
            Node::Game(game) => Node::Block(game / BLOCK),
            Node::Member(member) => Node::MemberDirectory(self.members().directory_of(member)),
            Node::Collection(folder) if folder > 0 => Node::Collection(self.collections().parent(folder)),
            Node::View(id, directory) if directory > 0 => {
                Node::View(id, self.view(id).map_or(0, |view| view.parent(directory)))
            }
            Node::MergedView(_) => Node::Merged,
            Node::MergedFile(id, directory) | Node::MergedFolder(id, directory) => {
                let view = self.view(id).filter(|view| view.nests_merged());
                match view.map_or(0, |view| view.parent(directory)) {
                    0 => Node::MergedView(id),
                    parent => Node::MergedFolder(id, parent),
                }
            }
            _ => Node::Database,
        }
    }

    /// The number of directories that show a file, or 2 and one for each subdirectory; 1 for a view's own
    /// directory and its nested one of merged files, whose subdirectories would have to be counted first.
    pub fn links(&self, node: Node) -> u32 {
        let subdirectories = match node {
            Node::Game(game) => return self.game_links(game),
            Node::View(_, 0) => return 1,
            Node::MergedView(id) if self.layout.view(id).is_some_and(|view| view.nests_merged()) => return 1,
            _ if !node.is_directory() => return 1,
            Node::Database => self.top().iter().filter(|(_, node)| node.is_directory()).count() as u32,
            Node::Games => self.blocks(),
            Node::View(id, directory) => self
                .view(id)
                .map_or(0, |view| view.children(directory).len() as u32),
            Node::Collection(folder) => self.collections().children(folder).len() as u32,
            Node::Merged => self.views.len() as u32,
            Node::MergedFolder(id, directory) => self.view(id).map_or(0, |view| {
                let is_folder = |&child: &u32| view.games(child).is_empty();
                view.children(directory).filter(is_folder).count() as u32
            }),
            _ => 0,
        };
        subdirectories.saturating_add(2)
    }

    /// The games of a merged file, in database order.
    pub fn merged_games(&self, file: Node) -> Option<&[u32]> {
        match file {
            Node::MergedFile(id, directory) => {
                let games = self.view(id)?.games(directory);
                (!games.is_empty()).then_some(games)
            }
            _ => None,
        }
    }

    /// A raw file inside the database.
    pub fn member(&self, member: u32) -> Option<&Member> {
        self.members().get(member)
    }

    /// True where a look at a node has to sort all games into a view first.
    pub fn must_build(&self, node: Node) -> bool {
        match node {
            Node::View(id, _)
            | Node::MergedView(id)
            | Node::MergedFile(id, _)
            | Node::MergedFolder(id, _) => self
                .views
                .get(id.index())
                .is_some_and(|index| index.get().is_none()),
            _ => false,
        }
    }

    /// Names of the entries of the database's directory.
    pub fn top_names(&self) -> impl Iterator<Item = &str> {
        self.top().iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn database(&self) -> &dyn Database {
        &*self.entry.database
    }

    pub(super) fn blocks(&self) -> u32 {
        self.database().len().div_ceil(BLOCK)
    }

    pub(super) fn top(&self) -> &[(String, Node)] {
        self.top.get_or_init(|| {
            let database = self.database();
            let views: Vec<_> = self.layout.views().collect();
            let built_in = views.iter().filter(|(_, view)| view.is_built_in());
            let members = self.members().directories();
            let members = (0..)
                .zip(members)
                .map(|(n, name)| (name, Node::MemberDirectory(n)));
            let documents = (0..).zip(database.documents());
            let collections =
                (!self.collections().is_empty()).then_some(("collections", Node::Collection(0)));
            let own = TOP
                .into_iter()
                .chain(built_in.map(|(id, view)| (view.name(), Node::View(*id, 0))))
                .chain(members)
                .chain(documents.map(|(n, &name)| (name, Node::Document(n))))
                .chain(collections);
            let mut taken = TakenNames::default();
            let mut top: Vec<(String, Node)> =
                own.map(|(name, node)| (taken.take_name(name), node)).collect();
            // A user's view cannot have a name that every database takes, but it may have one that only some take.
            let others = views.iter().filter(|(_, view)| !view.is_built_in());
            top.extend(others.map(|(id, view)| (taken.take_name(view.name()), Node::View(*id, 0))));
            top.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            top
        })
    }

    /// The nth entry of a directory of merged files; 0 is that of the view.
    fn merged_at(&self, id: ViewId, directory: u32, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let view = self.view(id)?;
        let child = view.merged_at(directory, n)?;
        let name = view.name(self.database(), child)?;
        Some(match view.games(child).is_empty() {
            true => (name.into(), Node::MergedFolder(id, child)),
            false => ((name + ".pgn").into(), Node::MergedFile(id, child)),
        })
    }

    /// The entry of a name in a directory of merged files.
    fn merged_child(&self, id: ViewId, directory: u32, name: &str) -> Option<Node> {
        let view = self.view(id)?;
        let has_games = |child: &u32| !view.games(*child).is_empty();
        let child = |name| view.merged_child(self.database(), directory, name);
        let file = name.strip_suffix(".pgn").and_then(child).filter(has_games);
        file.map(|file| Node::MergedFile(id, file)).or_else(|| {
            let folder = child(name).filter(|folder| !has_games(folder))?;
            Some(Node::MergedFolder(id, folder))
        })
    }

    pub(super) fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let index = self.views.get(id.index())?;
        let view = self.layout.view(id)?;
        Some(index.get_or_init(|| ViewIndex::new(view, &self.entry)))
    }

    pub(super) fn collections(&self) -> &Collections {
        self.collections
            .get_or_init(|| Collections::new(self.database(), self.layout.game_name()))
    }

    pub(super) fn members(&self) -> &Members {
        self.members.get_or_init(|| Members::new(self.database()))
    }

    /// The nth game of a directory under the name that it has in every view.
    fn game_at(&self, games: &[u32], n: usize) -> Option<(Cow<'_, str>, Node)> {
        let &game = games.get(n)?;
        Some((self.game_name(game).into(), Node::Game(game)))
    }

    /// The game of a name in a directory that `holds` it.
    fn game_of_name(&self, name: &str, holds: impl Fn(u32) -> bool) -> Option<Node> {
        let game = game_of_name(name, self.digits).filter(|&game| holds(game))?;
        (self.game_name(game) == name).then_some(Node::Game(game))
    }

    fn game_name(&self, game: u32) -> String {
        let keys = self.database().keys(game);
        let name = self.layout.game_name();
        name.of(self.database(), &keys, game, self.digits)
    }

    fn game_links(&self, game: u32) -> u32 {
        let database = self.database();
        let keys = database.keys(game);
        let views = self.layout.views().map(|(_, view)| match keys.deleted {
            true => 0,
            false => view.directories(database, game, &keys),
        });
        1 + views.sum::<u32>() + self.collections().directories(game)
    }
}
