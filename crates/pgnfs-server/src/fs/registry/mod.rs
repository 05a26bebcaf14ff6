//! The branches outside the present state, by the prefixes of their inodes: searches, and branches that the source no
//! longer has.
//!
//! A search has a place in the tree and a prefix, which it keeps while a front end has an inode with this prefix. Its
//! directory can be made from the place alone: it is made on first use, dropped when it takes too much memory, and made
//! again by the next request. A branch that the source no longer has is retired: it is kept while a front end has
//! inodes of it. If it is dropped nevertheless, its prefix stays reserved.

mod prefixes;
mod retired;

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lru::LruCache;

use super::branch::{BranchFs, DetachedDirectory};
use super::types::{FsError, Inode, Outdated};
use crate::tree::{Node, Prefix};
use prefixes::Prefixes;
pub(super) use prefixes::SearchPlace;
use retired::{RetiredBranches, SearchCache};

/// Number of dropped searches whose names a front end may keep. Beyond that, the names of those dropped first are
/// evicted from its cache, because it would keep them forever.
const MOST_DROPPED: usize = 1024;

/// All prefixes in use, and the branches that are not of the present state.
pub(super) struct Registry {
    /// One lock for everything: a prefix and its references move between the parts of the state in one step.
    state: Mutex<RegistryState>,
    /// Signalled when there are names to evict, and when work ends.
    changed: Condvar,
}

struct RegistryState {
    prefixes: Prefixes,
    made: SearchCache,
    retired: RetiredBranches,
    /// Searches whose directories were dropped while a front end still has inodes of them.
    dropped: LruCache<Prefix, ()>,
    /// Searches whose names must be evicted from a front end's cache.
    unused: Vec<Arc<SearchPlace>>,
    is_over: bool,
}

impl Registry {
    /// An empty registry. The results of its searches take at most `most_bytes`.
    pub(super) fn up_to(most_bytes: usize) -> Registry {
        let state = RegistryState {
            prefixes: Prefixes::default(),
            made: SearchCache::up_to(most_bytes),
            retired: RetiredBranches::default(),
            dropped: LruCache::unbounded(),
            unused: Vec::new(),
            is_over: false,
        };
        Registry {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// The directory with this prefix, of a retired branch or of a search. `make` makes the directory of a search if it
    /// does not exist; its games are found on first use.
    pub(super) fn directory(
        &self,
        prefix: Prefix,
        make: impl FnOnce(&SearchPlace) -> Option<DetachedDirectory>,
    ) -> Option<Arc<DetachedDirectory>> {
        let mut state = self.state.lock();
        if let Some(known) = state.known(prefix) {
            return Some(known);
        }
        let place = Arc::clone(state.prefixes.search(prefix)?);
        // Made under the lock, so that no two requests make it twice. Its games are found later, on first use.
        let directory = make(&place)?;
        let is_listed = state.prefixes.is_listed(prefix);
        Some(self.put(state, prefix, directory, is_listed))
    }

    /// The directory of a search in `branch`; assigns a prefix to the search. `make` makes the directory with this
    /// prefix if it does not exist; its games are found on first use.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the source no longer has the branch; [`FsError::Again`] if no prefix is free.
    pub(super) fn search(
        &self,
        branch: &BranchFs,
        place: SearchPlace,
        is_listed: bool,
        make: impl FnOnce(Prefix) -> DetachedDirectory,
    ) -> Result<Arc<DetachedDirectory>, FsError> {
        let mut state = self.state.lock();
        let prefix = state.give_prefix(branch, place, is_listed)?;
        if let Some(known) = state.known(prefix) {
            return Ok(known);
        }
        Ok(self.put(state, prefix, make(prefix), is_listed))
    }

    /// Stores the new directory of a search.
    fn put(
        &self,
        mut state: MutexGuard<'_, RegistryState>,
        prefix: Prefix,
        directory: DetachedDirectory,
        is_listed: bool,
    ) -> Arc<DetachedDirectory> {
        let directory = Arc::new(directory);
        state.made.put(prefix, &directory, is_listed);
        // A stored directory counts as a reference to its prefix, until it is dropped.
        state.prefixes.hold(prefix, 1);
        state.dropped.pop(&prefix);
        let dropped = self.trim(&mut state);
        drop(state);
        // A branch may take long to drop.
        drop(dropped);
        directory
    }

    /// Adds a reference to each of these inodes, which have this prefix. `present` has the branches of the source.
    /// Returns those whose nodes were dropped in the meantime.
    pub(super) fn hold<'a>(
        &self,
        prefix: Prefix,
        inodes: &[Inode],
        present: impl Fn(Prefix) -> Option<&'a Arc<BranchFs>>,
    ) -> Vec<Inode> {
        let mut state = self.state.lock();
        let times = inodes.len() as u64;
        if state.prefixes.hold(prefix, times) {
            // The nodes of a search are counted in the branch that is searched.
            let searched = state.searched(prefix, present);
            let gone = searched.map_or_else(|| inodes.to_vec(), |searched| searched.hold_nodes(inodes));
            state.prefixes.release(prefix, gone.len() as u64);
            return gone;
        }
        let retired = state.retired.get(prefix);
        let gone = retired.map_or_else(|| inodes.to_vec(), |retired| retired.branch.hold(inodes));
        state.prefixes.hold_orphan(prefix, times - gone.len() as u64);
        gone
    }

    /// Subtracts references to a node of the branch with this prefix. Returns directories that nothing needs any more:
    /// the caller drops them outside the lock, because that may take long.
    pub(super) fn release<'a>(
        &self,
        prefix: Prefix,
        node: Node,
        times: u64,
        present: impl Fn(Prefix) -> Option<&'a Arc<BranchFs>>,
    ) -> Vec<Arc<DetachedDirectory>> {
        let mut state = self.state.lock();
        let mut dropped = Vec::new();
        if let Some(retired) = state.retired.get(prefix) {
            if retired.branch.release(node, times) {
                dropped = state.retired.remove_unused(prefix);
            }
        } else if let Some(searched) = state.searched(prefix, present) {
            searched.game_set().release(node, times);
        }
        state.prefixes.release(prefix, times);
        if !state.prefixes.is_held(prefix) {
            state.dropped.pop(&prefix);
        }
        dropped
    }

    /// Retires the branches `gone`, which the source no longer has, with their directories and searches. `present` are
    /// the branches that it has now.
    ///
    /// Returns directories that nothing needs any more: the caller drops them outside the lock, because that may take
    /// long.
    pub(super) fn replace<'a>(
        &self,
        gone: Vec<DetachedDirectory>,
        present: impl Iterator<Item = &'a Arc<BranchFs>>,
    ) -> Vec<Arc<DetachedDirectory>> {
        let mut state = self.state.lock();
        // A branch can come back after it was gone.
        let present = present.inspect(|branch| branch.is_gone.store(false, Ordering::Relaxed));
        let present: HashSet<Prefix> = present.map(|branch| branch.prefix()).collect();
        let mut directories: Vec<Arc<DetachedDirectory>> = gone.into_iter().map(Arc::new).collect();
        let prefix = |directory: &Arc<DetachedDirectory>| {
            directory.branch.is_gone.store(true, Ordering::Relaxed);
            directory.branch.prefix()
        };
        let gone: HashSet<Prefix> = directories.iter().map(prefix).collect();
        directories.extend(state.leave_searches(&gone));
        let dropped = state.retired.replace(directories, &present);
        for DetachedDirectory { branch, .. } in dropped.iter().map(Arc::as_ref) {
            state.prefixes.orphan(branch.prefix(), branch.references.count());
        }
        dropped
    }

    /// The retired branches with their directories.
    pub(super) fn retired(&self) -> Vec<Arc<DetachedDirectory>> {
        self.state.lock().retired.all()
    }
}

/// Prefixes.
impl Registry {
    /// A prefix for a branch with this identity hash.
    pub(super) fn prefix_of_hash(&self, hash: u64) -> Prefix {
        self.state.lock().prefixes.of_hash(hash)
    }

    /// Releases prefixes made from hashes that are not among `used`, if they are very many.
    pub(super) fn release_hashed(&self, used: impl Iterator<Item = Prefix>) {
        self.state.lock().prefixes.release_hashed(used);
    }

    /// The prefix of a search, if it has one.
    pub(super) fn prefix_of(&self, search: &SearchPlace) -> Option<Prefix> {
        self.state.lock().prefixes.known(search)
    }

    /// Gives a prefix to a listed search in `branch`. The search keeps it.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the source no longer has the branch; [`FsError::Again`] if no prefix is free.
    pub(super) fn give_prefix(&self, branch: &BranchFs, listed: SearchPlace) -> Result<Prefix, FsError> {
        self.state.lock().give_prefix(branch, listed, true)
    }
}

/// The memory of searches, and their names.
impl Registry {
    /// True for a search whose directory would have to be made.
    pub(super) fn must_make(&self, prefix: Prefix) -> bool {
        let state = self.state.lock();
        state.prefixes.search(prefix).is_some() && !state.made.has(prefix)
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

    /// Drops directories of searches until the limits are kept, and returns them.
    fn trim(&self, state: &mut RegistryState) -> Vec<Arc<DetachedDirectory>> {
        let dropped = state.drop_searches();
        if state.take_back_names() {
            self.changed.notify_all();
        }
        dropped
    }

    /// Waits until names of dropped searches must be evicted from a front end's cache, and returns them. `None` when
    /// work has ended. They are returned together: while a front end has one of them, it keeps the others, too.
    ///
    /// A search may be used again before its name is evicted, or its directory may be open: it then simply continues.
    pub(super) fn unused_searches(&self) -> Option<Vec<Outdated>> {
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

    /// Lets [`Registry::unused_searches`] return.
    pub(super) fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }
}

impl RegistryState {
    fn give_prefix(
        &mut self,
        branch: &BranchFs,
        search: SearchPlace,
        is_listed: bool,
    ) -> Result<Prefix, FsError> {
        if branch.is_gone.load(Ordering::Relaxed) {
            return Err(FsError::Stale);
        }
        self.prefixes.of_search(search, is_listed).ok_or(FsError::Again)
    }

    /// The directory with this prefix, if there is one.
    fn known(&mut self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let retired = self.retired.get(prefix).cloned();
        retired.or_else(|| self.made.get(prefix))
    }

    /// The branch that the search with this prefix searches.
    fn searched<'a>(
        &self,
        prefix: Prefix,
        present: impl Fn(Prefix) -> Option<&'a Arc<BranchFs>>,
    ) -> Option<&'a Arc<BranchFs>> {
        present(self.prefixes.search(prefix)?.branch)
    }

    /// Removes the searches of branches that are gone, and keeps their references. Returns the directories that had
    /// been made for them.
    fn leave_searches(&mut self, gone: &HashSet<Prefix>) -> Vec<Arc<DetachedDirectory>> {
        let mut directories = Vec::new();
        for (prefix, mut references) in self.prefixes.remove_searches(|branch| gone.contains(&branch)) {
            self.dropped.pop(&prefix);
            let made = self.made.remove(prefix);
            // Without the stored directory's own reference, see `put`: the rest belongs to front ends.
            references -= u64::from(made.is_some());
            self.prefixes.orphan(prefix, references);
            if let Some(directory) = made {
                directory.branch.references.add(references);
                directories.push(directory);
            }
        }
        directories
    }

    fn drop_searches(&mut self) -> Vec<Arc<DetachedDirectory>> {
        let mut dropped = Vec::new();
        while let Some((prefix, is_listed)) = self.made.too_many() {
            dropped.extend(self.made.remove(prefix));
            self.prefixes.release(prefix, 1);
            if !is_listed && self.prefixes.is_held(prefix) {
                self.dropped.put(prefix, ());
            }
        }
        dropped
    }

    /// If a front end may keep the names of too many dropped searches, marks the half that was dropped first for
    /// eviction.
    fn take_back_names(&mut self) -> bool {
        let are_many = self.dropped.len() > MOST_DROPPED;
        // Down to half of the limit, so that the front end is not called again for each further search.
        while are_many
            && self.dropped.len() > MOST_DROPPED / 2
            && let Some((prefix, ())) = self.dropped.pop_lru()
        {
            let place = self.prefixes.search(prefix).cloned();
            self.unused.extend(place);
        }
        are_many
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inodes_that_are_gone_do_not_keep_the_prefix_of_a_dropped_branch() {
        let registry = Registry::up_to(0);
        let hash = 7 << 40 | 7;
        let prefix = Prefixes::default().of_hash(hash);
        // The branch was dropped while a front end had one inode of it.
        registry.state.lock().prefixes.orphan(prefix, 1);
        let inode = Inode::of(prefix, Node::DATABASE);
        for inodes in [&[inode][..], &[inode, inode]] {
            assert_eq!(registry.hold(prefix, inodes, |_| None), inodes);
        }
        assert_ne!(
            registry.prefix_of_hash(hash),
            prefix,
            "a front end has an inode with it"
        );
        registry.release(prefix, Node::DATABASE, 1, |_| None);
        assert_eq!(registry.prefix_of_hash(hash), prefix);
    }
}
