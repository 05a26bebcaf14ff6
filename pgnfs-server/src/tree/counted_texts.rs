//! The directories and links whose numbers are [counted](Counted), because nothing that is short tells them from others.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

use super::counted::Counted;
use super::inode::{KIND_RANKS, KIND_SEARCH_LINK, Node};

/// Number of texts of each kind that are remembered though no front end has their inodes.
const MOST_IDLE: usize = 1024;

/// The texts of such nodes, in the directories of the same databases.
#[derive(Default)]
pub(super) struct CountedTexts(OnceLock<Box<TextsByKind>>);

type TextsByKind = [Mutex<Counted<str>>; 2];

impl Node {
    /// True if its number is counted.
    pub(super) const fn is_counted(self) -> bool {
        matches!(self.kind(), KIND_RANKS | KIND_SEARCH_LINK)
    }
}

impl CountedTexts {
    fn of(&self, kind: u8) -> &Mutex<Counted<str>> {
        let none = || Box::new([(), ()].map(|()| Mutex::new(Counted::new(u32::MAX, MOST_IDLE))));
        let [ranks, links] = &**self.0.get_or_init(none);
        if kind == KIND_RANKS { ranks } else { links }
    }

    /// The node of a text. `None` if front ends have all numbers.
    pub(super) fn node(&self, kind: u8, text: &str) -> Option<Node> {
        let number = self.of(kind).lock().number(text, |_| true)?;
        Some(Node::new(kind, number))
    }

    /// The text of a node, if it is remembered.
    pub(super) fn text(&self, node: Node) -> Option<Arc<str>> {
        self.of(node.kind()).lock().key(node.number()).cloned()
    }

    /// Adds a reference to a node. Returns false if it is no longer remembered.
    pub(super) fn hold(&self, node: Node) -> bool {
        !node.is_counted() || self.of(node.kind()).lock().hold(node.number(), 1)
    }

    /// Subtracts references to a node.
    pub(super) fn release(&self, node: Node, times: u64) {
        if node.is_counted() {
            self.of(node.kind()).lock().release(node.number(), times);
        }
    }
}
