//! States of directories that the source no longer has, for which a front end still has references.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::fs::branch::BranchFs;
use crate::fs::detached::DetachedDirectory;
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
pub(super) struct RetiredBranches {
    by_prefix: HashMap<Prefix, Retired>,
    /// Those of directories that show games of other directories.
    combined: Vec<Arc<DetachedDirectory>>,
    /// The number of the last one.
    last: u64,
}

impl RetiredBranches {
    /// The state with this prefix.
    pub(super) fn get(&self, prefix: Prefix) -> Option<&Arc<DetachedDirectory>> {
        self.by_prefix.get(&prefix).map(|retired| &retired.directory)
    }

    /// All states.
    pub(super) fn all(&self) -> Vec<Arc<DetachedDirectory>> {
        let states = self.by_prefix.values();
        states.map(|retired| Arc::clone(&retired.directory)).collect()
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
            let number = self.last;
            let prefix = directory.branch.prefix();
            self.by_prefix.insert(prefix, Retired { directory, number });
        }
        self.by_prefix.retain(|prefix, _| !present.contains(prefix));
        let kept = self.all_needed();
        let dropped = self.by_prefix.extract_if(|prefix, _| !kept.contains(prefix));
        let dropped = dropped.map(|(_, retired)| retired.directory).collect();
        let combined = self.by_prefix.values();
        let combined = combined.filter(|retired| retired.branch().own_database().is_none());
        self.combined = combined.map(|retired| Arc::clone(&retired.directory)).collect();
        dropped
    }

    /// Removes a branch to which the last reference was released, and what only it needed. Returns them, because they may
    /// take long to drop.
    pub(super) fn remove_unused(&mut self, prefix: Prefix) -> Vec<Arc<DetachedDirectory>> {
        let mut dropped = Vec::new();
        let mut next = vec![prefix];
        while let Some(prefix) = next.pop() {
            let retired = self.by_prefix.get(&prefix);
            if retired.is_some_and(|retired| !self.needs(retired))
                && let Some(Retired { directory, .. }) = self.by_prefix.remove(&prefix)
            {
                self.combined.retain(|other| !Arc::ptr_eq(other, &directory));
                let databases = directory.branch.databases().iter();
                next.extend(databases.map(|database| database.prefix()));
                dropped.push(directory);
            }
        }
        dropped
    }

    /// True if there are references to a state, or to one that shows its games.
    fn needs(&self, retired: &Retired) -> bool {
        let prefix = retired.branch().prefix();
        let mut combined = self.combined.iter();
        retired.branch().references.exist() || combined.any(|other| other.branch.has_database(prefix))
    }

    /// The prefixes of the last states of each path with references, and of those whose games they show.
    fn all_needed(&self) -> HashSet<Prefix> {
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
