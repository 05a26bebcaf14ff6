//! The entries of a directory that are few and known from the beginning.

use super::inode::Node;
use crate::library::TakenNames;

/// Names and nodes, sorted by name. Of equal names, the later ones get ` (2)` and so on.
pub(super) struct Top(Vec<(String, Node)>);

impl Top {
    pub(super) fn new(names: impl Iterator<Item = (String, Node)>) -> Top {
        let mut taken = TakenNames::default();
        let mut entries: Vec<(String, Node)> =
            names.map(|(name, node)| (taken.take_name(&name), node)).collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Top(entries)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> {
        self.0.iter().map(|&(_, node)| node)
    }

    pub(super) fn get(&self, n: usize) -> Option<(&str, Node)> {
        self.0.get(n).map(|(name, node)| (name.as_str(), *node))
    }

    pub(super) fn find(&self, name: &str) -> Option<Node> {
        let found = self
            .0
            .binary_search_by(|(entry, _)| entry.as_str().cmp(name))
            .ok()?;
        self.0.get(found).map(|&(_, node)| node)
    }
}
