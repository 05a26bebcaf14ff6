//! Searches: directories of the games that queries find, in `search/` of the present branches.
//!
//! A search is its place and the prefix of its inodes, which belong together as long as a front end has one of these.
//! Its directory follows from the place: it is made when it is looked into, dropped when it takes too much memory, and
//! made again for the next request.

use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lru::LruCache;

use super::ChessFs;
use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::made_searches::MadeSearches;
use super::object::{At, Directory, FIRST_OFFSET, ListedEntry};
use super::outdated::Outdated;
use super::prefixes::{Prefixes, SearchPlace};
use super::types::{FsError, Inode, Kind};
use crate::tree::{NamedSearch, Node, Prefix, SearchName, asked};
use chessdb_library::query::Query;

/// Number of searches that were dropped whose names a front end may keep. Of more, the names of those dropped first are
/// taken back, because it would keep them without end.
const MOST_DROPPED: usize = 1024;

/// The searches in the directories of the present branches.
pub(super) struct Searches {
    state: Mutex<SearchesState>,
    /// Signalled when there are names to take back, and when work ends.
    changed: Condvar,
}

struct SearchesState {
    prefixes: Prefixes,
    made: MadeSearches,
    /// Searches that were made and dropped, and of which a front end has inodes.
    dropped: LruCache<Prefix, ()>,
    /// Searches whose names are to be taken back.
    unused: Vec<Arc<SearchPlace>>,
    is_over: bool,
}

impl Searches {
    /// No searches, with room for so many bytes of what they find.
    pub(super) fn up_to(most_bytes: usize) -> Searches {
        let state = SearchesState {
            prefixes: Prefixes::default(),
            made: MadeSearches::up_to(most_bytes),
            dropped: LruCache::unbounded(),
            unused: Vec::new(),
            is_over: false,
        };
        Searches {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Calls `call` with the prefixes of all branches.
    pub(super) fn with_prefixes<T>(&self, call: impl FnOnce(&mut Prefixes) -> T) -> T {
        call(&mut self.state.lock().prefixes)
    }

    /// The place of the search with this prefix.
    pub(super) fn place(&self, prefix: Prefix) -> Option<Arc<SearchPlace>> {
        self.with_prefixes(|prefixes| prefixes.search(prefix).cloned())
    }

    /// True if the directory of the search with this prefix is not made.
    pub(super) fn must_make(&self, prefix: Prefix) -> bool {
        let state = self.state.lock();
        state.prefixes.search(prefix).is_some() && !state.made.has(prefix)
    }

    /// Adds references to the search with this prefix. Returns false if there is none.
    pub(super) fn hold(&self, prefix: Prefix, times: u64) -> bool {
        self.with_prefixes(|prefixes| prefixes.hold(prefix, times))
    }

    /// Subtracts references to the search with this prefix.
    pub(super) fn release(&self, prefix: Prefix, times: u64) {
        let mut state = self.state.lock();
        state.prefixes.release(prefix, times);
        if !state.prefixes.is_held(prefix) {
            state.dropped.pop(&prefix);
        }
    }

    /// Sets how much memory the directory of a search takes, and drops those used least recently if all together take
    /// too much.
    pub(super) fn set_bytes(&self, prefix: Prefix, bytes: usize) {
        let mut state = self.state.lock();
        state.made.set_bytes(prefix, bytes);
        let dropped = self.trim(&mut state);
        drop(state);
        // A branch may take long to drop.
        drop(dropped);
    }

    /// Drops directories until the limits are kept, and returns them.
    fn trim(&self, state: &mut SearchesState) -> Vec<Arc<DetachedDirectory>> {
        let mut dropped = Vec::new();
        while let Some((prefix, is_listed)) = state.made.too_many() {
            dropped.extend(state.made.remove(prefix));
            state.prefixes.release(prefix, 1);
            if !is_listed && state.prefixes.is_held(prefix) {
                state.dropped.put(prefix, ());
            }
        }
        if state.dropped.len() > MOST_DROPPED {
            while state.dropped.len() > MOST_DROPPED / 2
                && let Some((prefix, ())) = state.dropped.pop_lru()
            {
                let place = state.prefixes.search(prefix).cloned();
                state.unused.extend(place);
            }
            self.changed.notify_all();
        }
        dropped
    }

    /// Waits until names of dropped searches are to be taken back from a front end, each of which keeps the names of the
    /// others. `None` when work has ended.
    ///
    /// Nothing depends on when that happens: a search that is used again meanwhile, or whose directory is open, goes on.
    pub(super) fn unused(&self) -> Option<Vec<Outdated>> {
        let mut state = self.state.lock();
        while state.unused.is_empty() && !state.is_over {
            self.changed.wait(&mut state);
        }
        if state.is_over {
            return None;
        }
        let mut names: BTreeMap<Inode, Vec<String>> = BTreeMap::new();
        for place in state.unused.drain(..) {
            let directory = Inode::of(place.branch, Node::SEARCH);
            names.entry(directory).or_default().push(place.name.clone());
        }
        let outdated = names.into_iter().map(|(inode, names)| Outdated { inode, names });
        Some(outdated.collect())
    }

    /// Lets [`Searches::unused`] return.
    pub(super) fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Removes the searches of branches that the source no longer has, and returns the directories that are made.
    pub(super) fn replace<'a>(
        &self,
        present: &[Arc<BranchFs>],
        gone: impl Iterator<Item = &'a Arc<BranchFs>>,
    ) -> Vec<Arc<DetachedDirectory>> {
        let mut state = self.state.lock();
        // A branch may have been gone before.
        for branch in present {
            branch.is_gone.store(false, Ordering::Relaxed);
        }
        let gone = gone.inspect(|branch| branch.is_gone.store(true, Ordering::Relaxed));
        let gone: HashSet<Prefix> = gone.map(|branch| branch.prefix()).collect();
        if gone.is_empty() {
            return Vec::new();
        }
        let mut directories = Vec::new();
        for (prefix, mut references) in state.prefixes.remove_searches(|branch| gone.contains(&branch)) {
            state.dropped.pop(&prefix);
            let made = state.made.remove(prefix);
            references -= u64::from(made.is_some());
            state.prefixes.leave(prefix, references);
            if let Some(directory) = made {
                directory.branch.references.add(references);
                directories.push(directory);
            }
        }
        directories
    }
}

/// What `info.txt` says of a query.
pub(super) struct SearchText {
    /// As it is written.
    pub(super) text: String,
    /// Its canonical form.
    pub(super) canonical: String,
}

/// `search/` of a branch.
#[derive(Clone, Copy)]
pub(super) struct SearchesFs<'a> {
    pub(super) fs: &'a ChessFs,
    pub(super) at: At<'a>,
}

impl SearchesFs<'_> {
    /// The searches that it lists.
    fn listed(&self) -> &[NamedSearch] {
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
        let mut state = self.fs.common.searches.state.lock();
        if self.at.branch.is_gone.load(Ordering::Relaxed) {
            return Err(FsError::Stale);
        }
        let prefix = state.prefixes.of_search(self.place(name), is_listed);
        let prefix = prefix.ok_or(FsError::Again)?;
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
        let named = self.listed().get(listed)?;
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
        let known = |prefixes: &mut Prefixes| prefixes.known(&self.place(name));
        if let Some(known) = self.fs.common.searches.with_prefixes(known) {
            return Ok(Inode::of(known, Node::DATABASE));
        }
        if self.listed().iter().any(|named| named.name == name) {
            return self.search(name, true);
        }
        match asked(name) {
            Ok(Some(SearchName::Directory(_))) => self.search(name, false),
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
        let mut listed = self.listed().iter().map(|named| self.search(&named.name, true));
        if let Some(error) = listed.find(|found| *found == Err(FsError::Again)) {
            return error.map(|_| ());
        }
        self.at.check(shown)
    }
}

impl ChessFs {
    /// The directory of the search with this prefix, made if it is not. Its games are found when they are first asked
    /// for. `None` if there is no such search, or the source no longer has its branch.
    pub(super) fn search(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let searches = &self.common.searches;
        let mut state = searches.state.lock();
        if let Some(made) = state.made.get(prefix) {
            return Some(made);
        }
        let place = Arc::clone(state.prefixes.search(prefix)?);
        let parent = self.present_branch(place.branch)?;
        let mut listed = parent.branch().searches().iter();
        let (text, query) = match listed.find(|named| named.name == place.name) {
            Some(named) => (&named.text, Arc::clone(&named.query)),
            None => match asked(&place.name) {
                Ok(Some(SearchName::Directory(query))) => (&place.name, Arc::new(query)),
                _ => return None,
            },
        };
        let branch = parent.searched(SearchText::new(text, &query), &query, prefix);
        let directory = Inode::of(place.branch, Node::SEARCH);
        let directory = Arc::new(DetachedDirectory::of_search(branch, directory));
        let is_listed = state.prefixes.is_listed(prefix);
        state.made.put(prefix, &directory, is_listed);
        state.prefixes.hold(prefix, 1);
        state.dropped.pop(&prefix);
        let dropped = searches.trim(&mut state);
        drop(state);
        // A branch may take long to drop.
        drop(dropped);
        Some(directory)
    }
}

impl SearchText {
    fn new(text: &str, query: &Query) -> SearchText {
        SearchText {
            text: text.to_owned(),
            canonical: query.canonical(),
        }
    }
}
