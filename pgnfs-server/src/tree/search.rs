//! `search/`: the description of queries, and links to their canonical names.
//!
//! The directory of a query is that of a branch of its own, with the games that the query finds. It is no node of the
//! branch in which it is looked up.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::branch::Branch;
use super::inode::{KIND_SEARCH_LINK, Node};
use super::search_name::{SYNTAX_FILE, SearchName, asked};
use super::section::{Content, Existing, Kind, Section};
use chessdb_library::query::SYNTAX;

/// `search/`
pub(super) struct SearchDirectory(Arc<Branch>);

impl SearchDirectory {
    pub(super) const NODES: &[RangeInclusive<Node>] = &[
        Node::SEARCH..=Node::SYNTAX,
        Node::all_of(KIND_SEARCH_LINK, KIND_SEARCH_LINK),
    ];

    /// `None` in the directory of a search.
    pub(super) fn new(branch: &Arc<Branch>) -> Option<SearchDirectory> {
        (!branch.is_search()).then(|| SearchDirectory(Arc::clone(branch)))
    }

    /// The target of a link, whose node stands for its name.
    fn target(&self, link: Node) -> Option<String> {
        match asked(&self.0.counted().text(link)?) {
            Ok(Some(SearchName::Link(target))) => Some(target),
            _ => None,
        }
    }
}

impl Section for SearchDirectory {
    fn kind(&self, node: Node) -> Kind {
        match node {
            Node::SEARCH => Kind::Directory,
            Node::SYNTAX => Kind::File,
            _ => Kind::Link,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        Some(match node {
            Node::SEARCH => Existing::Searches,
            Node::SYNTAX => Existing::File(Content::Own),
            _ => Existing::Link(self.target(node)?.into()),
        })
    }

    fn text(&self, _: Node) -> Option<String> {
        Some(SYNTAX.to_owned())
    }

    fn parent(&self, node: Node) -> Node {
        if node == Node::SEARCH {
            Node::DATABASE
        } else {
            Node::SEARCH
        }
    }

    fn links(&self, node: Node) -> u32 {
        if node == Node::SEARCH {
            2 + self.0.searches().len() as u32
        } else {
            1
        }
    }

    fn len(&self, _: Node) -> usize {
        1
    }

    fn entry_at(&self, _: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        (n == 0).then_some((SYNTAX_FILE.into(), Node::SYNTAX))
    }

    fn child(&self, _: Node, name: &str) -> Option<Node> {
        if name == SYNTAX_FILE {
            return Some(Node::SYNTAX);
        }
        match asked(name) {
            Ok(Some(SearchName::Link(_))) => self.0.counted().node(KIND_SEARCH_LINK, name),
            _ => None,
        }
    }
}
