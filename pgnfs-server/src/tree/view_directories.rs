//! The views in the directory of a branch.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::GameSet;
use super::games::Games;
use super::inode::{KIND_MERGED, KIND_VIEW, Node, ViewId};
use super::section::{Existing, Kind, Section};
use chessdb::Keys;
use chessdb_library::made::Wait;

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

    fn wait(&self, node: Node) -> Wait {
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
        // 1 means that the subdirectories are not counted.
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
