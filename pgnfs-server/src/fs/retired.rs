//! States of directories that the source no longer has, for which a front end still has references.

use parking_lot::RwLock;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use crate::tree::Prefix;

/// Maximum number of earlier states of a directory. Inodes of older ones are stale.
const MOST: usize = 4;

/// An earlier state of a directory.
struct Retired {
    directory: Arc<DetachedDirectory>,
    /// Later states have higher numbers.
    number: u64,
}

impl Retired {
    fn branch(&self) -> &BranchFs {
        &self.directory.branch
    }
}

/// Earlier states by the prefixes of their inodes.
#[derive(Default)]
pub(super) struct RetiredBranches(RwLock<States>);

#[derive(Default)]
struct States {
    by_prefix: HashMap<Prefix, Retired>,
    /// Those of directories that show games of other directories.
    combined: Vec<Arc<DetachedDirectory>>,
    /// The number of the last one.
    last: u64,
}

impl RetiredBranches {
    /// The state with this prefix.
    pub(super) fn get(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let states = self.0.read();
        let retired = states.by_prefix.get(&prefix)?;
        Some(Arc::clone(&retired.directory))
    }

    /// All states.
    pub(super) fn all(&self) -> Vec<Arc<DetachedDirectory>> {
        let states = self.0.read();
        let states = states.by_prefix.values();
        states.map(|retired| Arc::clone(&retired.directory)).collect()
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.0.read().by_prefix.len()
    }

    /// Adds directories of branches that the source no longer has. Removes those for which `is_present` is true, those
    /// that are not needed, and all but the last [`MOST`] of a path. Returns the prefixes of those to which there are
    /// still references, with their numbers.
    pub(super) fn replace(
        &self,
        gone: impl Iterator<Item = Arc<DetachedDirectory>>,
        is_present: impl Fn(Prefix) -> bool,
    ) -> Vec<(Prefix, u64)> {
        let mut states = self.0.write();
        for directory in gone {
            states.last += 1;
            let number = states.last;
            let prefix = directory.branch.prefix();
            states.by_prefix.insert(prefix, Retired { directory, number });
        }
        states.by_prefix.retain(|&prefix, _| !is_present(prefix));
        let kept = states.needed();
        let dropped: Vec<_> = states
            .by_prefix
            .extract_if(|prefix, _| !kept.contains(prefix))
            .collect();
        let combined = states.by_prefix.values();
        let combined = combined.filter(|retired| retired.branch().own_database().is_none());
        states.combined = combined.map(|retired| Arc::clone(&retired.directory)).collect();
        drop(states);
        // A branch may take long to drop.
        let left = dropped.into_iter();
        let left = left.map(|(prefix, retired)| (prefix, retired.branch().references.count()));
        left.filter(|&(_, references)| references > 0).collect()
    }

    /// Calls `hold` with the branch with this prefix, which cannot be removed meanwhile. `None` if there is none.
    pub(super) fn with<T>(&self, prefix: Prefix, hold: impl FnOnce(&BranchFs) -> T) -> Option<T> {
        let states = self.0.read();
        let retired = states.by_prefix.get(&prefix);
        retired.map(|retired| hold(retired.branch()))
    }

    /// Removes a branch to which the last reference was released, and what only it needed. Returns them, because they may
    /// take long to drop.
    pub(super) fn remove_unused(&self, prefix: Prefix) -> Vec<Arc<DetachedDirectory>> {
        let mut states = self.0.write();
        let mut dropped = Vec::new();
        let mut next = vec![prefix];
        while let Some(prefix) = next.pop() {
            if states
                .by_prefix
                .get(&prefix)
                .is_some_and(|retired| !states.needs(retired))
                && let Some(retired) = states.by_prefix.remove(&prefix)
            {
                let Retired { directory, .. } = retired;
                states.combined.retain(|other| !Arc::ptr_eq(other, &directory));
                let databases = directory.branch.databases().iter();
                next.extend(databases.map(|database| database.prefix()));
                dropped.push(directory);
            }
        }
        dropped
    }
}

impl States {
    /// True if there are references to a state, or to one that shows its games.
    fn needs(&self, retired: &Retired) -> bool {
        let prefix = retired.branch().prefix();
        let mut combined = self.combined.iter();
        retired.branch().references.exist() || combined.any(|other| other.branch.has_database(prefix))
    }

    /// The prefixes of the last states of each path with references, and of those whose games they show.
    fn needed(&self) -> HashSet<Prefix> {
        let mut used: Vec<&Retired> = self.by_prefix.values().collect();
        used.retain(|retired| retired.branch().references.exist());
        used.sort_unstable_by_key(|retired| std::cmp::Reverse(retired.number));
        let mut states: HashMap<&str, HashSet<Prefix>> = HashMap::new();
        used.retain(|retired| {
            let (branch, states) = (
                retired.branch(),
                states.entry(retired.branch().path()).or_default(),
            );
            // Searches of a state go with it.
            states.contains(&branch.state()) || states.len() < MOST && states.insert(branch.state())
        });
        let shown = used.iter().flat_map(|retired| retired.branch().databases());
        let shown = shown.map(|database| database.prefix());
        used.iter()
            .map(|retired| retired.branch().prefix())
            .chain(shown)
            .collect()
    }
}
