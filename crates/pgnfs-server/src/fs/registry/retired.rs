//! Directories outside the present state: earlier states of branches, and searches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lru::LruCache;

use crate::fs::branch::{BranchFs, DetachedDirectory};
use crate::tree::Prefix;

/// Maximum number of earlier states of a directory. Inodes of older ones are stale.
const MOST: usize = 4;

/// Earlier states by the prefixes of their inodes.
#[derive(Default)]
pub(super) struct RetiredBranches {
    /// Each with its number: later states have higher ones.
    by_prefix: HashMap<Prefix, (Arc<DetachedDirectory>, u64)>,
    /// Retired directories that show games of other directories.
    combined: Vec<Arc<DetachedDirectory>>,
    /// The number of the last one.
    last: u64,
}

impl RetiredBranches {
    /// The state with this prefix.
    pub(super) fn get(&self, prefix: Prefix) -> Option<&Arc<DetachedDirectory>> {
        self.by_prefix.get(&prefix).map(|(directory, _)| directory)
    }

    /// All states.
    pub(super) fn all(&self) -> Vec<Arc<DetachedDirectory>> {
        let states = self.by_prefix.values();
        states.map(|(directory, _)| Arc::clone(directory)).collect()
    }

    /// Adds directories of branches that the source no longer has. Removes those that are present again, those that are
    /// not needed, and all but the last [`MOST`] of a path. Returns those that are not needed.
    pub(super) fn replace(
        &mut self,
        gone: Vec<Arc<DetachedDirectory>>,
        present: &HashSet<Prefix>,
    ) -> Vec<Arc<DetachedDirectory>> {
        for directory in gone {
            self.last += 1;
            let prefix = directory.branch.prefix();
            self.by_prefix.insert(prefix, (directory, self.last));
        }
        self.by_prefix.retain(|prefix, _| !present.contains(prefix));
        let kept = self.all_needed();
        let dropped = self.by_prefix.extract_if(|prefix, _| !kept.contains(prefix));
        let dropped = dropped.map(|(_, (directory, _))| directory).collect();
        self.combined = self.all();
        self.combined
            .retain(|directory| directory.branch.own_database().is_none());
        dropped
    }

    /// Removes a branch whose last reference was released, and the branches that only it needed. Returns them: the
    /// caller drops them outside the lock, because that may take long.
    pub(super) fn remove_unused(&mut self, prefix: Prefix) -> Vec<Arc<DetachedDirectory>> {
        let mut dropped = Vec::new();
        let mut next = vec![prefix];
        while let Some(prefix) = next.pop() {
            let retired = self.get(prefix);
            if retired.is_some_and(|directory| !self.needs(&directory.branch))
                && let Some((directory, _)) = self.by_prefix.remove(&prefix)
            {
                self.combined.retain(|other| !Arc::ptr_eq(other, &directory));
                let databases = directory.branch.databases().iter();
                next.extend(databases.map(|database| database.prefix()));
                dropped.push(directory);
            }
        }
        dropped
    }

    /// True if a state has references, or another state that shows its games has some.
    fn needs(&self, branch: &BranchFs) -> bool {
        let mut combined = self.combined.iter();
        branch.references.exist() || combined.any(|other| other.branch.has_database(branch.prefix()))
    }

    /// The prefixes of the last states of each path with references, and of those whose games they show.
    fn all_needed(&self) -> HashSet<Prefix> {
        let states = self.by_prefix.values();
        let mut used: Vec<(u64, &BranchFs)> = states
            .map(|(directory, number)| (*number, &*directory.branch))
            .filter(|(_, branch)| branch.references.exist())
            .collect();
        used.sort_unstable_by_key(|&(number, _)| std::cmp::Reverse(number));
        let mut states: HashMap<&str, HashSet<Prefix>> = HashMap::new();
        used.retain(|(_, branch)| {
            let states = states.entry(branch.path()).or_default();
            // Searches of a state go with it.
            states.contains(&branch.state()) || states.len() < MOST && states.insert(branch.state())
        });
        let shown = used.iter().flat_map(|(_, branch)| branch.databases());
        let shown = shown.map(|database| database.prefix());
        used.iter()
            .map(|(_, branch)| branch.prefix())
            .chain(shown)
            .collect()
    }
}

/// Maximum number of searches that are kept, besides those that are listed.
const MOST_SEARCHES: usize = 64;

/// Directories of searches by their prefixes. A directory that a request uses is not dropped: dropping would free no
/// memory, and the next request would search again.
pub(super) struct SearchCache {
    made: LruCache<Prefix, CachedSearch>,
    bytes: usize,
    most_bytes: usize,
}

struct CachedSearch {
    directory: Arc<DetachedDirectory>,
    bytes: usize,
    /// True for a search of `--search`, which only `most_bytes` limits. Of all others, [`MOST_SEARCHES`] are kept.
    is_listed: bool,
}

impl SearchCache {
    /// An empty cache of at most `most_bytes`.
    pub(super) fn up_to(most_bytes: usize) -> SearchCache {
        SearchCache {
            made: LruCache::unbounded(),
            bytes: 0,
            most_bytes,
        }
    }

    /// The directory of a search, if it was made. Counts as a use.
    pub(super) fn get(&mut self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        self.made.get(&prefix).map(|made| Arc::clone(&made.directory))
    }

    /// True if the directory of a search was made.
    pub(super) fn has(&self, prefix: Prefix) -> bool {
        self.made.contains(&prefix)
    }

    /// Stores the new directory of a search.
    pub(super) fn put(&mut self, prefix: Prefix, directory: &Arc<DetachedDirectory>, is_listed: bool) {
        let made = CachedSearch {
            directory: Arc::clone(directory),
            bytes: 0,
            is_listed,
        };
        self.made.put(prefix, made);
    }

    /// Sets how many bytes a search takes.
    pub(super) fn set_bytes(&mut self, prefix: Prefix, bytes: usize) {
        if let Some(made) = self.made.peek_mut(&prefix) {
            self.bytes = self.bytes - made.bytes + bytes;
            made.bytes = bytes;
        }
    }

    /// Removes a search.
    pub(super) fn remove(&mut self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let made = self.made.pop(&prefix)?;
        self.bytes -= made.bytes;
        Some(made.directory)
    }

    /// The search to drop next, and whether it is listed. `None` while the limits are kept, or if requests use all
    /// others.
    pub(super) fn too_many(&self) -> Option<(Prefix, bool)> {
        // The one used least recently comes first.
        let unused = || self.made.iter().rev().filter(|(_, made)| !made.is_in_use());
        let others = self.made.iter().filter(|(_, made)| !made.is_listed).count();
        let surplus = unused().find(|(_, made)| others > MOST_SEARCHES && !made.is_listed);
        let next = surplus.or_else(|| unused().next().filter(|_| self.bytes > self.most_bytes));
        next.map(|(&prefix, made)| (prefix, made.is_listed))
    }
}

impl CachedSearch {
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.directory) > 1 || Arc::strong_count(&self.directory.branch) > 1
    }
}
