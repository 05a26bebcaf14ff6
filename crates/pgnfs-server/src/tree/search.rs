//! `search/`: the description of queries, and links to their canonical names. The directory of a query is not a node
//! here: it is a separate branch with the games that the query finds.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::game_set::GameSet;
use super::inode::{KIND_SEARCH_LINK, Node};
use super::layout::{NamedSearch, SYNTAX_FILE, SearchName, SearchRefusal};
use super::section::{Content, Existing, Kind, Section};
use chessdb_library::query::{Query, SYNTAX};

/// `search/`
pub(super) struct SearchDirectory(Arc<GameSet>);

impl SearchDirectory {
    pub(super) const NODES: &[RangeInclusive<Node>] = &[
        Node::SEARCH..=Node::SYNTAX,
        Node::all_of(KIND_SEARCH_LINK, KIND_SEARCH_LINK),
    ];

    /// `None` in the directory of a search.
    pub(super) fn new(game_set: &Arc<GameSet>) -> Option<SearchDirectory> {
        (!game_set.is_search()).then(|| SearchDirectory(Arc::clone(game_set)))
    }

    /// The target of a link; its node has the name.
    fn target(&self, link: Node) -> Option<String> {
        match SearchName::read(&self.0.counted().text(link)?) {
            Ok(SearchName::Link(target)) => Some(target),
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
        (name == SYNTAX_FILE).then_some(Node::SYNTAX)
    }
}

/// Its searches.
impl GameSet {
    /// The searches that `search/` lists: those whose repertoires are known here.
    pub fn searches(&self) -> Vec<&NamedSearch> {
        let searches = self.layout().searches().iter();
        searches
            .filter(|search| self.check_repertoires(&search.query).is_ok())
            .collect()
    }

    /// True if `search/` lists a search with this name, or would list it if its repertoires were known.
    pub fn lists(&self, name: &str) -> bool {
        self.layout().searches().iter().any(|listed| listed.name == name)
    }

    /// The meaning of a name in `search/`.
    ///
    /// # Errors
    /// If it is not a valid search here.
    pub fn search(&self, name: &str) -> Result<SearchName, SearchRefusal> {
        let mut listed = self.layout().searches().iter();
        let search = match listed.find(|listed| listed.name == name) {
            Some(listed) => SearchName::Directory(listed.clone()),
            None => SearchName::read(name)?,
        };
        if let SearchName::Directory(search) = &search {
            self.check_repertoires(&search.query)?;
        }
        Ok(search)
    }

    /// The search for a query.
    ///
    /// # Errors
    /// If it is not valid here.
    pub fn search_for(&self, query: &Query) -> Result<NamedSearch, SearchRefusal> {
        if !query.has_fields() {
            return Err(SearchRefusal::NoField);
        }
        self.check_repertoires(query)?;
        let name = query.name();
        Ok(NamedSearch {
            text: name.clone(),
            name,
            query: Arc::new(query.clone()),
        })
    }

    /// Checks that each repertoire of a query is a database here, and not too large.
    fn check_repertoires(&self, query: &Query) -> Result<(), SearchRefusal> {
        if !query.repertoires().is_empty() {
            query.check_repertoires(&self.repertoires())?;
        }
        Ok(())
    }

    /// The link in `search/` with this name. `None` if front ends have all numbers.
    pub fn search_link(&self, name: &str) -> Option<Node> {
        self.counted().node(KIND_SEARCH_LINK, name)
    }
}
