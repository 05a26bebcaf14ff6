//! `merged/`: the games of each directory of a view in one file.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::GameSet;
use super::index::ViewIndex;
use super::inode::{KIND_MERGED, KIND_MERGED_FOLDER, LAST_MERGED_FOLDER, Node, ViewId};
use super::section::{Content, Existing, Kind, Section};
use chessdb_library::made::Wait;

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

    fn wait(&self, node: Node) -> Wait {
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
                // 1 means that the subdirectories are not counted.
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
