//! `search/` of a branch: directories of the games that queries find.

use std::sync::Arc;

use super::branch::{BranchFs, Copies, DetachedDirectory};
use super::branch_node::BranchNode;
use super::registry::{Registry, SearchPlace};
use super::remote::RunOn;
use super::state::ChessFs;
use super::types::{Directory, Entry, FIRST_OFFSET, FsError, Inode, Kind, NAME_MAX};
use crate::tree::{NamedSearch, Node, Prefix, SearchName, SearchRefusal};
use chessdb_library::made::Wait;
use chessdb_library::positions::Answers;
use chessdb_library::query::Query;

/// `search/` of a branch.
pub(super) struct SearchesFs<'a> {
    pub(super) registry: &'a Registry,
    pub(super) node: &'a BranchNode<'a>,
}

impl SearchesFs<'_> {
    /// The searches that it lists.
    fn listed(&self) -> Vec<&NamedSearch> {
        self.node.branch.game_set().searches()
    }

    fn place(&self, name: &str) -> SearchPlace {
        SearchPlace {
            branch: self.node.branch.prefix(),
            name: name.to_owned(),
        }
    }

    /// The directory of a listed search, which is made only on first use.
    fn listed_search(&self, name: &str) -> Result<Inode, FsError> {
        let prefix = self.registry.give_prefix(self.node.branch, self.place(name))?;
        Ok(Inode::of(prefix, Node::DATABASE))
    }
}

impl Directory for SearchesFs<'_> {
    fn len(&self) -> usize {
        self.node.len() + self.listed().len()
    }

    fn entry_after(&self, offset: u64) -> Option<Entry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let Some(listed) = place.checked_sub(self.node.len()) else {
            return self.node.entry_after(offset);
        };
        let listed_searches = self.listed();
        let named = listed_searches.get(listed)?;
        let inode = self.listed_search(&named.name).ok()?;
        Some(Entry::new(&*named.name, inode, Kind::Directory, offset + 1))
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let BranchNode {
            branch,
            section,
            node,
            ..
        } = *self.node;
        if let Some(known) = self.registry.prefix_of(&self.place(name)) {
            return Ok(Inode::of(known, Node::DATABASE));
        }
        if let Some(node) = section.child(node, name) {
            return Ok(branch.inode(node));
        }
        match branch.game_set().search(name) {
            Ok(SearchName::Directory(search)) => {
                let found = directory_of(self.registry, branch, search)?;
                Ok(found.folder.inode)
            }
            // A link depends on no source.
            Ok(SearchName::Link(_)) => {
                let link = branch.game_set().search_link(name);
                link.map(|node| branch.inode(node)).ok_or(FsError::NotFound)
            }
            Err(refusal) => {
                if let SearchRefusal::Query(error) = &refusal {
                    let database = match branch.own_database() {
                        Some(own) => own.served_entry().name(),
                        None => branch.path(),
                    };
                    log::log!(branch.wrong_queries.level(), "{database}: search/{name}: {error}");
                }
                // Names that start with a dot are not recorded: file managers and shells look them up on their own.
                let is_hidden = name.starts_with('.');
                Err(if is_hidden {
                    FsError::NotFound
                } else {
                    refusal.into()
                })
            }
        }
    }

    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        // If a search has no prefix, the whole listing fails; leaving it out would be wrong.
        for named in self.listed() {
            self.listed_search(&named.name)?;
        }
        self.node.check(shown)
    }
}

/// The directory of a search in a branch. A new one has not searched yet.
///
/// # Errors
/// [`FsError::Stale`] if the source no longer has the branch; [`FsError::Again`] if no prefix is free.
fn directory_of(
    registry: &Registry,
    branch: &BranchFs,
    search: NamedSearch,
) -> Result<Arc<DetachedDirectory>, FsError> {
    let place = SearchPlace {
        branch: branch.prefix(),
        name: search.name.clone(),
    };
    let is_listed = branch.game_set().lists(&search.name);
    registry.search(branch, place, is_listed, |prefix| {
        new_directory(branch, search, prefix)
    })
}

fn new_directory(branch: &BranchFs, search: NamedSearch, prefix: Prefix) -> DetachedDirectory {
    let directory = Inode::of(branch.prefix(), Node::SEARCH);
    DetachedDirectory::of_search(branch.searched(search, prefix), directory)
}

impl ChessFs {
    /// Makes the directory of the search with this prefix again from its name. `None` if the name is not a valid search
    /// any more.
    pub(super) fn search_again(&self, place: &SearchPlace, prefix: Prefix) -> Option<DetachedDirectory> {
        let branch = self.present_branch(place.branch)?;
        match branch.game_set().search(&place.name) {
            Ok(SearchName::Directory(search)) => Some(new_directory(branch, search, prefix)),
            _ => None,
        }
    }

    /// Calls `question` with all games or the games of a search, and returns its result. With `once`, copies of a game count
    /// once, among all databases or in the database at this path. The games of a search are kept as in `search/`, so
    /// that the search runs once, unless its name is too long for `search/`. May take long.
    ///
    /// # Errors
    /// The errors of `question`; [`FsError::NotFound`] if there is no database; [`FsError::Refused`] if the query is
    /// not valid here; [`FsError::Io`] if a database has changed.
    pub fn with_answers<T>(
        &self,
        search: Option<&Query>,
        once: Option<&str>,
        question: impl FnOnce(&Answers) -> Result<T, FsError>,
    ) -> Result<T, FsError> {
        let own = once
            .filter(|path| !path.is_empty())
            .and_then(|path| self.branch_at(path));
        let copies = || match (once, own) {
            (None, _) => Copies::All,
            (Some(_), None) => Copies::Best,
            (Some(_), Some(own)) => Copies::BestOf(own),
        };
        let all = self.all_games().ok_or(FsError::NotFound)?;
        let Some(query) = search else {
            return all.with_answers(copies(), question);
        };
        let named = all.game_set().search_for(query)?;
        let kept = (named.name.len() <= NAME_MAX).then(|| directory_of(self.registry(), all, named));
        match kept.transpose() {
            Ok(Some(found)) => {
                let answer = found.branch.with_answers(copies(), question);
                self.update_memory_use(&found.branch);
                answer
            }
            // The name is too long, or the source has changed meanwhile. `all` still has its games: search them without
            // keeping the result.
            Ok(None) | Err(FsError::Stale) => {
                let copies = match copies() {
                    Copies::Best => Copies::BestFor(query),
                    copies => copies,
                };
                all.with_answers(copies, |answers| question(&answers.among(query, &|_| ())))
            }
            Err(error) => Err(error),
        }
    }

    /// The threads that may call such a question.
    pub fn run_question_on(&self) -> RunOn {
        RunOn::of(self.all_games().and_then(|all| all.remote()), Wait::Own)
    }

    /// After a request in the directory of a search, updates the memory that the directory takes.
    pub(super) fn update_memory_use(&self, branch: &BranchFs) {
        if branch.search.is_some() {
            self.registry().set_bytes(branch.prefix(), branch.bytes());
        }
    }
}
