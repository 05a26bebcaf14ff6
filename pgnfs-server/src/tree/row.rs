//! A kind of section, as a row of a table.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::Branch;
use super::inode::Node;
use super::section::Section;

/// A kind of section: its properties that are the same in every branch.
pub struct Row {
    /// Names in the directory, with their nodes. No user's view can have one of them.
    pub names: &'static [(&'static str, Node)],
    /// The nodes of the section: whole kinds of nodes, or some of the nodes that a branch has once.
    pub nodes: &'static [RangeInclusive<Node>],
    /// True if the section is left out when there is no index of positions.
    pub needs_index: bool,
    /// Creates the section of a branch; `None` if this branch has none. Builds and reads nothing.
    pub new: fn(&Arc<Branch>) -> Option<Box<dyn Section>>,
}

impl Row {
    /// True for a node of the section.
    pub(super) const fn has(&self, node: Node) -> bool {
        let mut n = 0;
        while n < self.nodes.len() {
            let nodes = &self.nodes[n];
            if nodes.start().code() <= node.code() && node.code() <= nodes.end().code() {
                return true;
            }
            n += 1;
        }
        false
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.iter().map(|(name, _)| name);
        f.debug_list().entries(names).entries(self.nodes).finish()
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.names, self.nodes) == (other.names, other.nodes)
    }
}

impl Eq for Row {}
