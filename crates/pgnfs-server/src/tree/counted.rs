//! Interned keys: a number for each text that is too long to be part of an inode, reference-counted by front ends.
//!
//! `tests/interleavings/counted.rs` plays look-ups against forgetting with loom.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use lru::LruCache;

/// Interned keys. A number keeps its key while it has references, and for a while afterwards: until `most_idle` other
/// numbers without references were used more recently. It goes to another key only after all other numbers have been
/// used.
pub struct Counted<K: ?Sized> {
    by_key: HashMap<Arc<K>, u32>,
    by_number: HashMap<u32, Counting<K>>,
    /// The numbers without references, the least recently used first.
    idle: LruCache<u32, ()>,
    most_idle: usize,
    last: u32,
    most: u32,
}

struct Counting<K: ?Sized> {
    key: Arc<K>,
    references: u64,
}

impl<K: Eq + Hash + ?Sized> Counted<K> {
    /// Numbers from 1 to `most`. At most `most_idle` keys without references keep their number.
    pub fn new(most: u32, most_idle: usize) -> Counted<K> {
        Counted {
            by_key: HashMap::new(),
            by_number: HashMap::new(),
            idle: LruCache::unbounded(),
            most_idle: most_idle.max(1),
            last: 0,
            most,
        }
    }

    /// The number of a key, if it has one.
    pub fn known(&mut self, key: &K) -> Option<u32> {
        let number = *self.by_key.get(key)?;
        self.idle.promote(&number);
        Some(number)
    }

    /// The number of a key. A new key gets the next number that no other key has and for which `is_free` is true;
    /// `None` if all numbers are in use.
    pub fn number(&mut self, key: impl Into<Arc<K>>, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        let key = key.into();
        if let Some(known) = self.known(&key) {
            return Some(known);
        }
        let number = self.next(is_free)?;
        self.last = number;
        self.by_key.insert(Arc::clone(&key), number);
        let references = 0;
        self.by_number.insert(number, Counting { key, references });
        self.rest(number);
        Some(number)
    }

    fn next(&self, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        // Continues after the last number instead of taking the lowest free one, so that a released number gets another
        // meaning as late as possible.
        let mut next = (self.last + 1..=self.most).chain(1..=self.last);
        next.find(|number| !self.by_number.contains_key(number) && is_free(*number))
    }

    /// The key of a number, if it is remembered.
    pub fn key(&self, number: u32) -> Option<&Arc<K>> {
        Some(&self.by_number.get(&number)?.key)
    }

    /// The number of references to a number.
    pub fn references(&self, number: u32) -> u64 {
        let counting = self.by_number.get(&number);
        counting.map_or(0, |counting| counting.references)
    }

    /// Removes the keys for which `is_wanted` is true. Returns their numbers, each with its number of references.
    pub fn remove_where(&mut self, is_wanted: impl Fn(&K) -> bool) -> Vec<(u32, u64)> {
        let removed = self.by_number.extract_if(|_, counting| is_wanted(&counting.key));
        let removed: Vec<_> = removed.collect();
        for (number, counting) in &removed {
            self.by_key.remove(&counting.key);
            self.idle.pop(number);
        }
        let numbers = removed.into_iter();
        numbers
            .map(|(number, counting)| (number, counting.references))
            .collect()
    }

    /// Adds references to a number. Returns false if it is not remembered.
    pub fn hold(&mut self, number: u32, times: u64) -> bool {
        let Some(counting) = self.by_number.get_mut(&number) else {
            return false;
        };
        counting.references += times;
        if counting.references > 0 {
            self.idle.pop(&number);
        }
        true
    }

    /// Subtracts references to a number.
    pub fn release(&mut self, number: u32, times: u64) {
        let Some(counting) = self.by_number.get_mut(&number) else {
            return;
        };
        let before = counting.references;
        counting.references = before.saturating_sub(times);
        if before > 0 && counting.references == 0 {
            self.rest(number);
        }
    }

    /// Keeps a number without references, and removes the oldest ones beyond the maximum.
    fn rest(&mut self, number: u32) {
        self.idle.put(number, ());
        while self.idle.len() > self.most_idle
            && let Some((oldest, ())) = self.idle.pop_lru()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, number: u32) {
        if let Some(forgotten) = self.by_number.remove(&number) {
            self.by_key.remove(&forgotten.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(_: u32) -> bool {
        true
    }

    #[test]
    fn a_number_means_one_key_while_there_are_references() {
        let mut counted = Counted::<str>::new(u32::MAX, 2);
        assert_eq!(counted.number("a", any), Some(1));
        assert!(counted.hold(1, 2));
        for (n, key) in ["b", "c", "d", "e"].into_iter().enumerate() {
            assert_eq!(counted.number(key, any), Some(n as u32 + 2));
        }
        assert_eq!(counted.key(1).map(|key| &**key), Some("a"));
        // Those without references are forgotten, the oldest first.
        assert_eq!(counted.key(2), None);
        assert_eq!(counted.known("c"), None);
        assert!(!counted.hold(3, 1));
        assert_eq!((counted.known("d"), counted.known("e")), (Some(4), Some(5)));
        assert_eq!(counted.number("b", any), Some(6));
        counted.release(1, 1);
        counted.release(1, 1);
        counted.number("f", any);
        assert!(counted.key(1).is_some());
        counted.number("g", any);
        assert_eq!(counted.key(1), None);
        assert_eq!(counted.number("a", any), Some(9));
        assert_eq!((counted.by_key.len(), counted.by_number.len()), (2, 2));
    }

    #[test]
    fn numbers_go_round_and_leave_out_those_that_are_used() {
        let mut counted = Counted::<str>::new(4, 1);
        assert_eq!(counted.number("a", any), Some(1));
        assert!(counted.hold(1, 1));
        assert_eq!(counted.number("b", |number| number != 2), Some(3));
        assert_eq!(counted.number("c", any), Some(4));
        assert!(counted.hold(4, 1));
        assert_eq!(counted.number("d", any), Some(2));
        assert!(counted.hold(2, 1));
        assert_eq!(counted.number("e", any), Some(3));
        assert!(counted.hold(3, 1));
        assert_eq!(counted.number("f", any), None);
        assert_eq!(counted.number("a", any), Some(1));
        counted.release(4, 1);
        assert_eq!(
            counted.number("f", any),
            None,
            "one without references is remembered"
        );
        counted.release(2, 1);
        assert_eq!(counted.number("f", any), Some(4));
    }
}
