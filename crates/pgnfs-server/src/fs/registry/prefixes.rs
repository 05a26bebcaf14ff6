//! Assigns prefixes of inodes. A prefix has only 24 bits, so it is used again, but only once no front end has inodes
//! with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::tree::{Counted, Prefix};

/// Number of searches whose prefixes are kept although nothing needs them: a lookup may be under way that has not
/// counted its reference yet.
const MOST_IDLE: usize = 64;

/// After this many prefixes have been made from hashes, those that no branch uses are released. This is a 16th of all
/// prefixes.
const MOST_HASHED: usize = 1 << 20;

/// The branch in whose `search/` a search is, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::fs) struct SearchPlace {
    pub(in crate::fs) branch: Prefix,
    pub(in crate::fs) name: String,
}

/// The prefixes of branches of the source, of searches, and of dropped branches whose inodes a front end still has.
pub(super) struct Prefixes {
    /// The prefixes of databases and of `all/`, made from their identity hashes.
    hashed: HashSet<Prefix>,
    /// The prefixes of searches: counted numbers.
    searches: Counted<SearchPlace>,
    /// The prefixes of searches that are listed. Being listed holds a search.
    listed: HashSet<Prefix>,
    /// References to inodes of searches and branches of earlier states, retired or dropped. Their prefixes are not used
    /// again.
    left: HashMap<Prefix, u64>,
}

impl Default for Prefixes {
    fn default() -> Prefixes {
        Prefixes::up_to(Prefix::LAST)
    }
}

impl Prefixes {
    /// No prefixes yet. The prefixes of searches will be at most `last`.
    fn up_to(last: Prefix) -> Prefixes {
        Prefixes {
            hashed: HashSet::new(),
            searches: Counted::new(last.number(), MOST_IDLE),
            listed: HashSet::new(),
            left: HashMap::new(),
        }
    }

    /// Assigns a prefix to a branch with this identity hash.
    pub(super) fn of_hash(&mut self, hash: u64) -> Prefix {
        let (searches, left) = (&self.searches, &self.left);
        let is_taken = |prefix: Prefix| searches.key(prefix.number()).is_some() || left.contains_key(&prefix);
        Prefix::free(hash, &mut self.hashed, is_taken)
    }

    /// The prefix of a search, if it has one.
    pub(super) fn known(&mut self, place: &SearchPlace) -> Option<Prefix> {
        self.searches.known(place).map(Prefix::numbered)
    }

    /// Assigns a prefix to a search, unless it has one; `None` if none is free. A listed search keeps its prefix.
    pub(super) fn of_search(&mut self, place: SearchPlace, is_listed: bool) -> Option<Prefix> {
        if let Some(known) = self.known(&place) {
            return Some(known);
        }
        let (hashed, left) = (&self.hashed, &self.left);
        let is_free = |number| {
            let prefix = Prefix::numbered(number);
            !hashed.contains(&prefix) && !left.contains_key(&prefix)
        };
        let number = self.searches.number(place, is_free)?;
        let prefix = Prefix::numbered(number);
        if is_listed && self.listed.insert(prefix) {
            self.searches.hold(number, 1);
        }
        Some(prefix)
    }

    /// The search with this prefix.
    pub(super) fn search(&self, prefix: Prefix) -> Option<&Arc<SearchPlace>> {
        self.searches.key(prefix.number())
    }

    /// True for the prefix of a search that is listed.
    pub(super) fn is_listed(&self, prefix: Prefix) -> bool {
        self.listed.contains(&prefix)
    }

    /// True if something holds the search with this prefix.
    pub(super) fn is_held(&self, prefix: Prefix) -> bool {
        self.searches.references(prefix.number()) > 0
    }

    /// Adds references to the search with this prefix. Returns false if no search has it.
    pub(super) fn hold(&mut self, prefix: Prefix, times: u64) -> bool {
        self.searches.hold(prefix.number(), times)
    }

    /// Subtracts references to the search, or to the earlier branch, with this prefix.
    pub(super) fn release(&mut self, prefix: Prefix, times: u64) {
        self.searches.release(prefix.number(), times);
        if let Some(left) = self.left.get_mut(&prefix) {
            *left = left.saturating_sub(times);
            if *left == 0 {
                self.left.remove(&prefix);
            }
        }
    }

    /// Removes the searches of some branches. Returns their prefixes and numbers of references, without the reference
    /// for being listed.
    pub(super) fn remove_searches(&mut self, of: impl Fn(Prefix) -> bool) -> Vec<(Prefix, u64)> {
        let removed = self.searches.remove_where(|place| of(place.branch)).into_iter();
        let removed = removed.map(|(number, references)| {
            let prefix = Prefix::numbered(number);
            let own = u64::from(self.listed.remove(&prefix));
            (prefix, references - own)
        });
        removed.collect()
    }

    /// Keeps counting the references to a search or branch that the present state no longer has.
    pub(super) fn orphan(&mut self, prefix: Prefix, references: u64) {
        if references > 0 {
            self.left.insert(prefix, references);
        }
    }

    /// Adds references to a search of an earlier state.
    pub(super) fn hold_orphan(&mut self, prefix: Prefix, times: u64) {
        if let Some(left) = self.left.get_mut(&prefix) {
            *left += times;
        }
    }

    /// Releases prefixes made from hashes that are not among `used`, if they are very many.
    pub(super) fn release_hashed(&mut self, used: impl Iterator<Item = Prefix>) {
        if self.hashed.len() > MOST_HASHED {
            self.hashed = used.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> SearchPlace {
        SearchPlace {
            branch: Prefix::numbered(7),
            name: name.to_owned(),
        }
    }

    #[test]
    fn no_prefix_is_given_while_a_front_end_has_inodes_with_it() {
        let mut prefixes = Prefixes::up_to(Prefix::numbered(4));
        let database = prefixes.of_hash(2 << 40 | 2);
        assert_eq!(database.number(), 2);
        // What remains of a removed branch.
        prefixes.orphan(Prefix::numbered(3), 2);
        let numbers = |prefixes: &mut Prefixes, names: &[&str]| -> Vec<Option<u32>> {
            let number = |name: &&str| {
                let prefix = prefixes.of_search(place(name), false)?;
                assert!(prefixes.hold(prefix, 1));
                Some(prefix.number())
            };
            names.iter().map(number).collect()
        };
        assert_eq!(numbers(&mut prefixes, &["a", "b", "c"]), [Some(1), Some(4), None]);
        prefixes.release(Prefix::numbered(3), 1);
        assert_eq!(numbers(&mut prefixes, &["c"]), [None]);
        prefixes.release(Prefix::numbered(3), 1);
        assert_eq!(numbers(&mut prefixes, &["c", "a"]), [Some(3), Some(1)]);
        // A database does not get the prefix of a search.
        assert_eq!(prefixes.of_hash(1).number(), 5);
    }

    #[test]
    fn the_prefix_of_a_search_that_is_retired_is_not_given_again() {
        let mut prefixes = Prefixes::up_to(Prefix::numbered(1));
        let retired = prefixes.of_search(place("a"), false).unwrap();
        prefixes.hold(retired, 1);
        let removed = prefixes.remove_searches(|_| true);
        assert_eq!(removed, [(retired, 1)]);
        prefixes.orphan(retired, 1);
        prefixes.hold_orphan(retired, 1);
        for _ in 0..2 {
            assert_eq!(prefixes.of_search(place("b"), false), None);
            prefixes.release(retired, 1);
        }
        assert_eq!(prefixes.of_search(place("b"), false), Some(retired));
        assert_ne!(prefixes.of_hash(1), retired);
    }

    #[test]
    fn a_listed_search_keeps_its_prefix_as_long_as_its_branch() {
        let mut prefixes = Prefixes::default();
        let listed = prefixes.of_search(place("listed"), true).unwrap();
        for n in 0..1000 {
            prefixes.of_search(place(&n.to_string()), false).unwrap();
        }
        assert_eq!(prefixes.known(&place("listed")), Some(listed));
        assert_eq!(prefixes.known(&place("0")), None);
        prefixes.hold(listed, 5);
        let removed = prefixes.remove_searches(|branch| branch == Prefix::numbered(7));
        assert!(removed.contains(&(listed, 5)), "{removed:?}");
        assert_eq!(removed.len(), 1 + MOST_IDLE);
        assert_eq!(prefixes.search(listed), None);
    }
}
