//! What stands where in a database's directory.

use std::borrow::Cow;
use std::ops::Range;
use std::slice;
use std::sync::{Arc, OnceLock};

use super::collections::Collections;
use super::index::ViewIndex;
use super::inode::{Node, ViewId};
use super::members::Members;
use super::names::{BLOCK, block_name, digits, game_name, game_of_name, numbered_game_name};
use super::views::{VIEWS, View};
use crate::formats::{Database, Member};
use crate::library::LibraryEntry;

/// The directory of one database. Views, folders and members are read when somebody first looks at them.
pub struct DatabaseTree {
    entry: Arc<LibraryEntry>,
    digits: usize,
    views: Vec<OnceLock<ViewIndex>>,
    collections: OnceLock<Collections>,
    members: OnceLock<Members>,
    top: OnceLock<Vec<(&'static str, Node)>>,
}

impl DatabaseTree {
    /// The directory of a database.
    pub fn new(entry: Arc<LibraryEntry>) -> DatabaseTree {
        DatabaseTree {
            digits: digits(entry.database.len()),
            entry,
            views: VIEWS.iter().map(|_| OnceLock::new()).collect(),
            collections: OnceLock::new(),
            members: OnceLock::new(),
            top: OnceLock::new(),
        }
    }

    /// The database and its files.
    pub fn entry(&self) -> &LibraryEntry {
        &self.entry
    }

    /// The same, to be kept.
    pub fn shared_entry(&self) -> Arc<LibraryEntry> {
        Arc::clone(&self.entry)
    }

    /// Digits of the numbers of games.
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// True for a node that the database has.
    pub fn has(&self, node: Node) -> bool {
        match node {
            Node::Database | Node::All | Node::Info | Node::Problems | Node::Games | Node::Merged => true,
            Node::Block(block) => block < self.blocks(),
            Node::Game(game) => game < self.database().len(),
            Node::MemberDirectory(directory) => !self.members().files(directory).is_empty(),
            Node::Member(member) => self.member(member).is_some(),
            Node::Collection(folder) => folder < self.collections().len(),
            Node::Document(document) => (document as usize) < self.database().documents().len(),
            Node::View(view, 0) | Node::MergedView(view) => View::of(view).is_some(),
            Node::View(view, directory) => self.view(view).is_some_and(|index| directory < index.len()),
            Node::MergedFile(..) => self.merged_games(node).is_some(),
        }
    }

    /// The nth entry of a directory; none behind the last.
    pub fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let number = u32::try_from(n).ok()?;
        match directory {
            Node::Database => self.top().get(n).map(|&(name, node)| (name.into(), node)),
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
            Node::Merged => View::all()
                .nth(n)
                .map(|(id, view)| (view.name.into(), Node::MergedView(id))),
            Node::MergedView(id) => {
                let view = self.view(id)?;
                let directory = view.merged_at(n)?;
                let name = view.name(self.database(), directory)? + ".pgn";
                Some((name.into(), Node::MergedFile(id, directory)))
            }
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
                let game =
                    game_of_name(name).filter(|&game| game < database.len() && game / BLOCK == block)?;
                (numbered_game_name(game, self.digits) == name).then_some(Node::Game(game))
            }
            Node::View(id, directory) => {
                let view = self.view(id)?;
                let child = view.child(database, directory, name);
                child
                    .map(|child| Node::View(id, child))
                    .or_else(|| self.game_of_name(view.games(directory), name))
            }
            Node::Collection(folder) => {
                let collections = self.collections();
                let child = collections.child(folder, name);
                child
                    .map(Node::Collection)
                    .or_else(|| self.game_of_name(collections.games(folder), name))
            }
            Node::MemberDirectory(directory) => self.members().child(directory, name).map(Node::Member),
            Node::Merged => View::all()
                .find(|(_, view)| view.name == name)
                .map(|(id, _)| Node::MergedView(id)),
            Node::MergedView(id) => {
                let child = self
                    .view(id)?
                    .merged_child(database, name.strip_suffix(".pgn")?)?;
                Some(Node::MergedFile(id, child))
            }
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
            Node::MergedFile(id, _) => Node::MergedView(id),
            _ => Node::Database,
        }
    }

    /// The number of directories that show a file, or 2 and one for each subdirectory; 1 for a view's own
    /// directory, whose subdirectories would have to be counted first.
    pub fn links(&self, node: Node) -> u32 {
        let subdirectories = match node {
            Node::Game(game) => return self.game_links(game),
            Node::View(_, 0) => return 1,
            _ if !node.is_directory() => return 1,
            Node::Database => self.top().iter().filter(|(_, node)| node.is_directory()).count() as u32,
            Node::Games => self.blocks(),
            Node::View(id, directory) => self
                .view(id)
                .map_or(0, |view| view.children(directory).len() as u32),
            Node::Collection(folder) => self.collections().children(folder).len() as u32,
            Node::Merged => VIEWS.len() as u32,
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

    /// The games that a directory lists behind `game`, or all of them; none where it does not hold `game`.
    pub fn games_behind(&self, directory: Node, game: Option<u32>) -> Option<DirectoryGames<'_>> {
        let listed = match directory {
            Node::Block(block) => {
                let first = block.checked_mul(BLOCK)?;
                let end = first.saturating_add(BLOCK).min(self.database().len());
                return match game {
                    Some(game) if (first..end).contains(&game) => {
                        Some(DirectoryGames::Numbers(game + 1..end))
                    }
                    Some(_) => None,
                    None => Some(DirectoryGames::Numbers(first..end)),
                };
            }
            Node::View(id, directory) => self.view(id)?.games(directory),
            Node::Collection(folder) => self.collections().games(folder),
            _ => return None,
        };
        let start = match game {
            Some(game) => listed.binary_search(&game).ok()? + 1,
            None => 0,
        };
        Some(DirectoryGames::Listed(listed.get(start..)?.iter()))
    }

    /// The number of entries of a directory.
    pub fn entries(&self, directory: Node) -> usize {
        match directory {
            Node::Database => self.top().len(),
            Node::Games => self.blocks() as usize,
            Node::View(id, directory) => self.view(id).map_or(0, |view| {
                view.children(directory).len() + view.games(directory).len()
            }),
            Node::Collection(folder) => {
                let collections = self.collections();
                collections.children(folder).len() + collections.games(folder).len()
            }
            Node::MemberDirectory(directory) => self.members().files(directory).len(),
            Node::Merged => VIEWS.len(),
            Node::MergedView(id) => self.view(id).map_or(0, ViewIndex::merged_len),
            Node::Block(_) => self.games_behind(directory, None).map_or(0, Iterator::count),
            _ => 0,
        }
    }

    /// A raw file inside the database.
    pub fn member(&self, member: u32) -> Option<&Member> {
        self.members().get(member)
    }

    /// True where a look at a node has to sort all games into a view first.
    pub fn must_build(&self, node: Node) -> bool {
        match node {
            Node::View(id, _) | Node::MergedView(id) | Node::MergedFile(id, _) => self
                .views
                .get(id.index())
                .is_some_and(|index| index.get().is_none()),
            _ => false,
        }
    }

    /// Names of the entries of the database's directory.
    pub fn top_names(&self) -> impl Iterator<Item = &'static str> {
        self.top().iter().map(|&(name, _)| name)
    }

    fn database(&self) -> &dyn Database {
        &*self.entry.database
    }

    fn blocks(&self) -> u32 {
        self.database().len().div_ceil(BLOCK)
    }

    fn top(&self) -> &[(&'static str, Node)] {
        self.top.get_or_init(|| {
            let mut top = vec![
                ("all.pgn", Node::All),
                ("games", Node::Games),
                ("info.txt", Node::Info),
                ("merged", Node::Merged),
                ("problems.txt", Node::Problems),
            ];
            top.extend(View::all().map(|(id, view)| (view.name, Node::View(id, 0))));
            let members = self.members().directories();
            top.extend(
                (0..)
                    .zip(members)
                    .map(|(n, name)| (name, Node::MemberDirectory(n))),
            );
            let documents = (0..).zip(self.database().documents());
            top.extend(documents.map(|(n, &name)| (name, Node::Document(n))));
            if !self.collections().is_empty() {
                top.push(("collections", Node::Collection(0)));
            }
            top.sort_unstable_by_key(|&(name, _)| name);
            top
        })
    }

    fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let view = View::of(id)?;
        let index = self.views.get(id.index())?;
        Some(index.get_or_init(|| ViewIndex::new(view, self.database())))
    }

    fn collections(&self) -> &Collections {
        self.collections.get_or_init(|| Collections::new(self.database()))
    }

    fn members(&self) -> &Members {
        self.members.get_or_init(|| Members::new(self.database()))
    }

    /// The nth game of a directory under the name that it has in every view.
    fn game_at(&self, games: &[u32], n: usize) -> Option<(Cow<'_, str>, Node)> {
        let &game = games.get(n)?;
        Some((self.game_name(game).into(), Node::Game(game)))
    }

    /// The game of a name in a directory.
    fn game_of_name(&self, games: &[u32], name: &str) -> Option<Node> {
        let game = game_of_name(name)?;
        games.binary_search(&game).ok()?;
        (self.game_name(game) == name).then_some(Node::Game(game))
    }

    fn game_name(&self, game: u32) -> String {
        let keys = self.database().keys(game);
        game_name(self.database(), &keys, game, self.digits)
    }

    fn game_links(&self, game: u32) -> u32 {
        let database = self.database();
        let keys = database.keys(game);
        let views = VIEWS.iter().map(|view| match keys.deleted {
            true => 0,
            false => view.directories(database, &keys),
        });
        1 + views.sum::<u32>() + self.collections().directories(game)
    }
}

/// Games of a directory in its order.
pub enum DirectoryGames<'a> {
    /// Those of a directory of `games/`.
    Numbers(Range<u32>),
    /// Those of another.
    Listed(slice::Iter<'a, u32>),
}

impl Iterator for DirectoryGames<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            DirectoryGames::Numbers(games) => games.next(),
            DirectoryGames::Listed(games) => games.next().copied(),
        }
    }
}
