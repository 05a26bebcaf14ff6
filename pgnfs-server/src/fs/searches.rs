//! `search/` of a branch: directories of the games that queries find.

use std::sync::Arc;

use super::at::At;
use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::directory::{Directory, FIRST_OFFSET, ListedEntry};
use super::registry::{Registry, SearchPlace};
use super::types::{FsError, Inode, Kind};
use crate::tree::{NamedSearch, Node, Prefix, SearchName, asked};

/// `search/` of a branch.
#[derive(Clone, Copy)]
pub(super) struct SearchesFs<'a> {
    pub(super) registry: &'a Registry,
    pub(super) at: At<'a>,
}

impl SearchesFs<'_> {
    /// The searches that it lists.
    fn listed(&self) -> Vec<&NamedSearch> {
        self.at.branch.branch().searches()
    }

    fn place(&self, name: &str) -> SearchPlace {
        SearchPlace {
            branch: self.at.branch.prefix(),
            name: name.to_owned(),
        }
    }

    /// The directory of a search, which is not made before it is looked into.
    fn search(&self, name: &str, is_listed: bool) -> Result<Inode, FsError> {
        let place = self.place(name);
        let prefix = self.registry.give_prefix(self.at.branch, place, is_listed)?;
        Ok(Inode::of(prefix, Node::DATABASE))
    }
}

impl Directory for SearchesFs<'_> {
    fn len(&self) -> usize {
        self.at.len() + self.listed().len()
    }

    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let Some(listed) = place.checked_sub(self.at.len()) else {
            return self.at.entry_after(offset);
        };
        let listed_searches = self.listed();
        let named = listed_searches.get(listed)?;
        Some(ListedEntry {
            name: named.name.as_str().into(),
            inode: self.search(&named.name, true).ok()?,
            kind: Kind::Directory,
            next: offset + 1,
        })
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let At {
            branch,
            section,
            node,
        } = self.at;
        if let Some(known) = self.registry.prefix_of(&self.place(name)) {
            return Ok(Inode::of(known, Node::DATABASE));
        }
        if self.listed().iter().any(|named| named.name == name) {
            return self.search(name, true);
        }
        match asked(name) {
            Ok(Some(SearchName::Directory(query))) => {
                if branch.branch().unknown_repertoire(&query).is_some() {
                    return Err(FsError::NotFound);
                }
                self.search(name, false)
            }
            // The other names depend on no source.
            Ok(_) => {
                let found = section.child(node, name);
                found.map(|node| branch.inode(node)).ok_or(FsError::NotFound)
            }
            Err(error) => {
                let database = match branch.own_database() {
                    Some(own) => own.entry().name(),
                    None => branch.path(),
                };
                log::log!(branch.wrong_queries.level(), "{database}: search/{name}: {error}");
                Err(FsError::NotFound)
            }
        }
    }

    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        // A listing that lacks some is no listing.
        let listed = self.listed().into_iter();
        let mut found = listed.map(|named| self.search(&named.name, true));
        if let Some(error) = found.find(|found| *found == Err(FsError::Again)) {
            return error.map(|_| ());
        }
        self.at.check(shown)
    }
}

/// The directory of the search with this prefix in `search/` of a branch, which has not searched yet. `None` if its name
/// asks nothing.
pub(super) fn search_directory(
    branch: &BranchFs,
    place: &SearchPlace,
    prefix: Prefix,
) -> Option<DetachedDirectory> {
    let mut listed = branch.branch().searches().into_iter();
    let search = match listed.find(|named| named.name == place.name) {
        Some(named) => NamedSearch::clone(named),
        None => match asked(&place.name) {
            Ok(Some(SearchName::Directory(query))) => NamedSearch {
                name: place.name.clone(),
                text: place.name.clone(),
                query: Arc::new(query),
            },
            _ => return None,
        },
    };
    let directory = Inode::of(place.branch, Node::SEARCH);
    Some(DetachedDirectory::of_search(
        branch.searched(search, prefix),
        directory,
    ))
}
