//! The entries of a directory that are few and known from the beginning.

use std::borrow::Cow;

use super::inode::Node;
use super::section::{Existing, Kind, Section};
use chessdb_library::library::TakenNames;

/// The directory of a database, or of all databases. As a section, its only node is [`Node::DATABASE`].
pub trait HasTop: Send + Sync {
    /// The entries of the directory.
    fn entries(&self) -> &Top;

    /// The kind of a node below the directory, judged by its number alone.
    fn kind_below(&self, node: Node) -> Kind;
}

impl<T: HasTop> Section for T {
    fn kind(&self, _: Node) -> Kind {
        Kind::Directory
    }

    fn open(&self, _: Node) -> Option<Existing<'_>> {
        Some(Existing::Directory)
    }

    fn links(&self, _: Node) -> u32 {
        let entries = self.entries().0.iter();
        let directories = entries.filter(|&&(_, node)| self.kind_below(node) == Kind::Directory);
        2 + directories.count() as u32
    }

    fn len(&self, _: Node) -> usize {
        self.entries().0.len()
    }

    fn entry_at(&self, _: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let (name, node) = self.entries().0.get(n)?;
        Some((name.into(), *node))
    }

    fn child(&self, _: Node, name: &str) -> Option<Node> {
        let entries = &self.entries().0;
        let found = entries.binary_search_by(|(entry, _)| entry.as_str().cmp(name));
        entries.get(found.ok()?).map(|&(_, node)| node)
    }
}

/// Names and nodes, sorted by name. Of equal names, the later ones get ` (2)` and so on.
pub struct Top(Vec<(String, Node)>);

impl Top {
    pub(super) fn new(names: impl Iterator<Item = (String, Node)>) -> Top {
        let mut taken = TakenNames::default();
        let mut entries: Vec<(String, Node)> =
            names.map(|(name, node)| (taken.take_name(&name), node)).collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Top(entries)
    }
}
