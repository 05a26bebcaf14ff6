//! Directories that list games: `games/`, views, and their merged files.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::game_set::GameSet;
use super::games::Games;
use super::index::ViewIndex;
use super::inode::{
    KIND_BLOCK, KIND_GAME, KIND_MERGED, KIND_MERGED_FOLDER, KIND_VIEW, LAST_MERGED_FOLDER, Node, ViewId,
};
use super::names::game_of_name;
use super::section::{Content, Existing, Kind, Section};
use chessdb::Keys;
use chessdb_library::library::{BLOCK, block_name, numbered_game_name};
use chessdb_library::made::{Made, Wait};

/// The directories of all views. Number 0 of each is the view's own.
pub(super) struct ViewDirectories(pub(super) Arc<GameSet>);

impl ViewDirectories {
    /// All nodes.
    pub(super) const NODES: &[RangeInclusive<Node>] = &[Node::all_of(KIND_VIEW, KIND_MERGED - 1)];
}

impl Section for ViewDirectories {
    fn top(&self) -> Vec<(String, Node)> {
        let views = self.0.layout().views();
        views
            .map(|(id, view)| (view.name().to_owned(), Node::view(id, 0)))
            .collect()
    }

    fn kind(&self, _: Node) -> Kind {
        Kind::Directory
    }

    fn wait_to_open(&self, node: Node) -> Wait {
        self.0.wait_for_view(ViewId::of(node))
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        let id = ViewId::of(node);
        let exists = match node.number() {
            0 => self.0.layout().view(id).is_some(),
            number => number < self.0.view(id)?.len(),
        };
        exists.then_some(Existing::Directory)
    }

    fn parent(&self, node: Node) -> Node {
        let id = ViewId::of(node);
        match node.number() {
            0 => Node::DATABASE,
            number => Node::view(id, self.0.view(id).map_or(0, |view| view.parent(number))),
        }
    }

    fn links(&self, node: Node) -> u32 {
        // A link count of 1 tells programs such as `find` that subdirectories are not counted.
        if node.number() == 0 {
            return 1;
        }
        let view = self.0.view(ViewId::of(node));
        let children = view.map_or(0, |view| view.children(node.number()).len());
        (children as u32).saturating_add(2)
    }

    fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        if keys.deleted {
            return 0;
        }
        let database = self.0.own_database();
        database.map_or(0, |database| database.directories_of(game, keys))
    }

    fn len(&self, directory: Node) -> usize {
        let view = self.0.view(ViewId::of(directory));
        let number = directory.number();
        view.map_or(0, |view| view.children(number).len() + view.games(number).len())
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let id = ViewId::of(directory);
        let view = self.0.view(id)?;
        let children = view.children(directory.number());
        match children.clone().nth(n) {
            Some(child) => Some((view.name(child)?.into(), Node::view(id, child))),
            None => {
                let games = view.games(directory.number());
                self.0.game_at(&games, n - children.len())
            }
        }
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let id = ViewId::of(directory);
        let view = self.0.view(id)?;
        let child = view.child(directory.number(), name);
        let game = || self.0.game_of_name(name, &view.games(directory.number()));
        child.map(|child| Node::view(id, child)).or_else(game)
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        Some(self.0.view(ViewId::of(directory))?.games(directory.number()))
    }
}

/// The merged files and their directories. Both have the numbers of the corresponding directories of the
/// view.
pub(super) struct Merged(pub(super) Arc<GameSet>);

impl Merged {
    /// All nodes.
    pub(super) const NODES: &[RangeInclusive<Node>] = &[
        Node::MERGED..=Node::MERGED,
        Node::all_of(KIND_MERGED, LAST_MERGED_FOLDER),
    ];
}

impl Merged {
    /// The view of a node; `None` for `merged/` itself.
    fn view(&self, node: Node) -> Option<(ViewId, &ViewIndex)> {
        let id = ViewId::of_merged(node)?;
        Some((id, self.0.view(id)?))
    }

    /// The node that corresponds to a directory of the view.
    fn node(id: ViewId, view: &ViewIndex, directory: u32) -> Node {
        if directory > 0 && view.games(directory).is_empty() {
            Node::merged_folder(id, directory)
        } else {
            Node::merged(id, directory)
        }
    }
}

impl Section for Merged {
    fn kind(&self, node: Node) -> Kind {
        if node.kind() >= KIND_MERGED && node.kind() < KIND_MERGED_FOLDER && node.number() > 0 {
            Kind::File
        } else {
            Kind::Directory
        }
    }

    fn wait_to_open(&self, node: Node) -> Wait {
        ViewId::of_merged(node).map_or(Wait::None, |id| self.0.wait_for_view(id))
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        let is_file = self.kind(node) == Kind::File;
        let exists = match (ViewId::of_merged(node), node.number()) {
            (None, _) => true,
            (Some(id), 0) => node.kind() < KIND_MERGED_FOLDER && self.0.layout().view(id).is_some(),
            (Some(id), number) => {
                let view = self.0.view(id)?;
                let games = view.games(number);
                if is_file {
                    return (!games.is_empty()).then_some(Existing::File(Content::Games(games)));
                }
                view.nests_merged() && !view.children(number).is_empty()
            }
        };
        exists.then_some(Existing::Directory)
    }

    fn parent(&self, node: Node) -> Node {
        let Some(id) = ViewId::of_merged(node) else {
            return Node::DATABASE;
        };
        if node == Node::merged(id, 0) {
            return Node::MERGED;
        }
        let view = self.0.view(id).filter(|view| view.nests_merged());
        match view.map_or(0, |view| view.parent(node.number())) {
            0 => Node::merged(id, 0),
            parent => Node::merged_folder(id, parent),
        }
    }

    fn links(&self, node: Node) -> u32 {
        let folders = match (ViewId::of_merged(node), node.number()) {
            _ if self.kind(node) == Kind::File => return 1,
            (None, _) => self.0.layout().views().count(),
            (Some(id), 0) => match self.0.layout().view(id) {
                // A link count of 1 tells programs such as `find` that subdirectories are not counted.
                Some(view) if view.nests_merged() => return 1,
                _ => 0,
            },
            (Some(id), number) => self.0.view(id).map_or(0, |view| {
                let is_folder = |&child: &u32| view.games(child).is_empty();
                view.children(number).filter(is_folder).count()
            }),
        };
        (folders as u32).saturating_add(2)
    }

    fn len(&self, directory: Node) -> usize {
        match self.view(directory) {
            Some((_, view)) => view.merged_len(directory.number()),
            None => self.0.layout().views().count(),
        }
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let Some((id, view)) = self.view(directory) else {
            let (id, view) = self.0.layout().views().nth(n)?;
            return Some((view.name().to_owned().into(), Node::merged(id, 0)));
        };
        let child = view.merged_at(directory.number(), n)?;
        let node = Merged::node(id, view, child);
        let mut name = view.name(child)?;
        if self.kind(node) == Kind::File {
            name += ".pgn";
        }
        Some((name.into(), node))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let Some((id, view)) = self.view(directory) else {
            let mut views = self.0.layout().views();
            let (id, _) = views.find(|(_, view)| view.name() == name)?;
            return Some(Node::merged(id, 0));
        };
        let child = |name, kind| {
            let child = view.merged_child(directory.number(), name)?;
            Some(Merged::node(id, view, child)).filter(|&node| self.kind(node) == kind)
        };
        let file = name.strip_suffix(".pgn").and_then(|name| child(name, Kind::File));
        file.or_else(|| child(name, Kind::Directory))
    }
}

/// The games of the only database of a branch, and the blocks that contain them.
pub(super) struct Blocks {
    game_set: Arc<GameSet>,
    /// The numbers of the blocks that have games, if not all games are shown.
    filtered: Made<Vec<u32>>,
}

impl Blocks {
    /// `None` if the branch has several databases.
    pub(super) fn new(game_set: &Arc<GameSet>) -> Option<Blocks> {
        game_set.only_database()?;
        Some(Blocks {
            game_set: Arc::clone(game_set),
            filtered: Made::new(),
        })
    }

    fn digits(&self) -> usize {
        let database = self.game_set.only_database();
        database.map_or(1, |database| database.digits())
    }

    /// Number of blocks that have games.
    fn len(&self) -> usize {
        match self.filtered() {
            Some(blocks) => blocks.len(),
            None => self.game_set.games_of(0).len().div_ceil(BLOCK as usize),
        }
    }

    /// The nth block that has games.
    fn nth(&self, n: usize) -> Option<u32> {
        match self.filtered() {
            Some(blocks) => blocks.get(n).copied(),
            None => (n < self.len()).then_some(n as u32),
        }
    }

    fn filtered(&self) -> Option<&[u32]> {
        let mut rest = self.game_set.selected(0)?;
        Some(self.filtered.get_or(|| {
            let mut blocks = Vec::new();
            while let Some(&first) = rest.first() {
                let block = first / BLOCK;
                blocks.push(block);
                let next = rest.partition_point(|game| game / BLOCK <= block);
                rest = rest.get(next..).unwrap_or_default();
            }
            blocks
        }))
    }

    /// The games of a block; none for `games/` itself.
    fn games_in(&self, directory: Node) -> Games<'_> {
        if directory == Node::GAMES {
            return Games::NONE;
        }
        let first = directory.number().saturating_mul(BLOCK);
        self.game_set.games_between(first..first.saturating_add(BLOCK))
    }
}

impl Section for Blocks {
    fn kind(&self, node: Node) -> Kind {
        match node.as_game() {
            Some(_) => Kind::File,
            None => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        match (node.kind(), node.number()) {
            (KIND_GAME, game) => {
                let games = self.game_set.games_between(game..game.saturating_add(1));
                (!games.is_empty()).then_some(Existing::File(Content::Game(game)))
            }
            (KIND_BLOCK, _) => (!self.games_in(node).is_empty()).then_some(Existing::Directory),
            _ => Some(Existing::Directory),
        }
    }

    fn parent(&self, node: Node) -> Node {
        match (node.kind(), node.number()) {
            (KIND_GAME, game) => Node::block(game / BLOCK),
            (KIND_BLOCK, _) => Node::GAMES,
            _ => Node::DATABASE,
        }
    }

    fn links(&self, directory: Node) -> u32 {
        match directory {
            Node::GAMES => (Blocks::len(self) as u32).saturating_add(2),
            _ => 2,
        }
    }

    fn directories_of(&self, _game: u32, _: &Keys) -> u32 {
        1
    }

    fn len(&self, directory: Node) -> usize {
        match directory {
            Node::GAMES => Blocks::len(self),
            _ => self.games_in(directory).len(),
        }
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let digits = self.digits();
        if directory == Node::GAMES {
            let block = self.nth(n)?;
            return Some((block_name(block, digits).into(), Node::block(block)));
        }
        let game = self.games_in(directory).get(n)?;
        Some((numbered_game_name(game, digits).into(), Node::game(game)))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let digits = self.digits();
        if directory == Node::GAMES {
            let first: u32 = name.split('-').next()?.parse().ok()?;
            let block = first.checked_sub(1)? / BLOCK;
            let node = Node::block(block);
            let is_name = !self.games_in(node).is_empty() && block_name(block, digits) == name;
            return is_name.then_some(node);
        }
        let game = game_of_name(name, digits)?;
        let is_here = self.games_in(directory).position(game).is_some();
        (is_here && numbered_game_name(game, digits) == name).then_some(Node::game(game))
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        (directory != Node::GAMES).then(|| self.games_in(directory))
    }
}
