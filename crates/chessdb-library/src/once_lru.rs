//! A cache of the most recently used values, each made by one thread while others wait for it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use crate::made::Made;

/// A cache of values by their keys, limited by the number of values or of bytes; the least recently used value makes
/// room for the next. Each value is [made](Made) once, by one thread, and the lock is not held meanwhile.
///
/// Values are cheap to clone, such as an `Arc`.
#[derive(Debug)]
pub struct OnceLru<K: Hash + Eq, V>(Mutex<OnceLruState<K, V>>);

#[derive(Debug)]
struct OnceLruState<K: Hash + Eq, V> {
    kept: LruCache<K, V>,
    /// The limit for all kept values together, if there is one.
    room: Option<Room<K, V>>,
    making: HashMap<K, Arc<Made<V>>>,
}

/// A limit for the size of values.
#[derive(Debug)]
struct Room<K, V> {
    most: usize,
    taken: usize,
    of: fn(&K, &V) -> usize,
}

impl<K: Hash + Eq, V> OnceLruState<K, V> {
    /// Adds a value. Returns the values removed to make room for it, which may include itself.
    fn keep(&mut self, key: K, value: V) -> Vec<(K, V)> {
        if let Some(room) = &mut self.room {
            room.taken += (room.of)(&key, &value);
        }
        let mut dropped: Vec<(K, V)> = self.kept.push(key, value).into_iter().collect();
        dropped.iter().for_each(|(key, value)| self.give_back(key, value));
        while self.room.as_ref().is_some_and(|room| room.taken > room.most)
            && let Some((key, value)) = self.kept.pop_lru()
        {
            self.give_back(&key, &value);
            dropped.push((key, value));
        }
        dropped
    }

    fn give_back(&mut self, key: &K, value: &V) {
        if let Some(room) = &mut self.room {
            room.taken -= (room.of)(key, value);
        }
    }
}

impl<K: Clone + Hash + Eq, V: Clone> OnceLru<K, V> {
    /// A cache of up to `most` values. It allocates memory as they are added, not in advance.
    pub fn new(most: NonZeroUsize) -> OnceLru<K, V> {
        OnceLru(Mutex::new(OnceLruState {
            kept: LruCache::sparse(most),
            room: None,
            making: HashMap::new(),
        }))
    }

    /// A cache of values that take up to `most` bytes together. `of` returns the bytes of one value and its key.
    pub fn with_bytes(most: usize, of: fn(&K, &V) -> usize) -> OnceLru<K, V> {
        OnceLru(Mutex::new(OnceLruState {
            kept: LruCache::unbounded(),
            room: Some(Room { most, taken: 0, of }),
            making: HashMap::new(),
        }))
    }

    /// The value of a key, if it is kept. Counts as use.
    pub fn get(&self, key: &K) -> Option<V> {
        self.0.lock().kept.get(key).cloned()
    }

    /// True if the value of a key is kept. Does not count as use.
    pub fn has(&self, key: &K) -> bool {
        self.0.lock().kept.contains(key)
    }

    /// Keeps a value, and replaces an earlier value of this key.
    pub fn put(&self, key: K, value: V) {
        // Dropped after the lock is released, because dropping a large value takes long.
        let dropped = self.0.lock().keep(key, value);
        drop(dropped);
    }

    /// Drops the value of a key if `is_same` is true for it.
    pub fn remove(&self, key: &K, is_same: impl FnOnce(&V) -> bool) {
        let mut state = self.0.lock();
        let found = state.kept.peek(key);
        let dropped = found.is_some_and(is_same).then(|| state.kept.pop(key)).flatten();
        if let Some(value) = &dropped {
            state.give_back(key, value);
        }
        drop(state);
        drop(dropped);
    }

    /// The sum of a number over all values, such as the memory that each takes. Does not count as use.
    pub fn sum(&self, of: impl Fn(&V) -> usize) -> usize {
        self.0.lock().kept.iter().map(|(_, value)| of(value)).sum()
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.0.lock().kept.len()
    }

    /// The value of a key, which `make` makes if it is not kept.
    pub fn get_or(&self, key: K, make: impl FnOnce() -> V) -> V {
        match self.get_or_make(key, || Ok::<V, Infallible>(make())) {
            Ok(value) => value,
        }
    }

    /// Like [`OnceLru::get_or`], for a value that cannot always be made. See [`Made::get_or_make`].
    ///
    /// # Errors
    /// If `make` fails.
    pub fn get_or_make<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let mut state = self.0.lock();
        if let Some(value) = state.kept.get(&key) {
            return Ok(value.clone());
        }
        // The lock is released while the value is made, so that requests for other keys do not wait. Threads with the same key wait
        // in `Made`.
        let made = Arc::clone(state.making.entry(key.clone()).or_default());
        drop(state);
        let end = End(self, &key, made);
        let value = end.2.get_or_make(make)?;
        Ok(value.clone())
    }
}

/// Keeps a value when its making has ended, even by a panic.
struct End<'a, K: Clone + Hash + Eq, V: Clone>(&'a OnceLru<K, V>, &'a K, Arc<Made<V>>);

impl<K: Clone + Hash + Eq, V: Clone> Drop for End<'_, K, V> {
    fn drop(&mut self) {
        let End(OnceLru(state), key, made) = self;
        let mut state = state.lock();
        // The clone of this thread is dropped below, while the lock is held. So the last waiting thread counts exactly
        // two references: its own and the map's.
        let made = std::mem::take(made);
        let is_same = state
            .making
            .get(*key)
            .is_some_and(|other| Arc::ptr_eq(other, &made));
        // If this thread could not make the value, a waiting thread tries, and only the last one gives up.
        let is_over = made.get().is_some() || Arc::strong_count(&made) == 2;
        let mut dropped = Vec::new();
        if is_same && is_over {
            state.making.remove(*key);
            if let Some(value) = made.get() {
                dropped = state.keep((*key).clone(), value.clone());
            }
        }
        drop(made);
        drop(state);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_made_again() {
        let recent = OnceLru::new(NonZeroUsize::new(2).unwrap());
        recent.put(1, "one");
        recent.put(2, "two");
        assert_eq!(recent.get(&1), Some("one"));
        assert_eq!(recent.get_or_make(3, || Ok::<_, ()>("three")), Ok("three"));
        assert_eq!((recent.get(&2), recent.get(&1)), (None, Some("one")));
        assert_eq!(recent.get_or_make(2, || Err("gone")), Err("gone"));
        assert_eq!(recent.get_or(3, || "another"), "three");
        assert_eq!((recent.sum(|text| text.len()), recent.count()), (8, 2));
        recent.remove(&3, |text| *text == "other");
        assert!(recent.has(&3));
        recent.remove(&3, |text| *text == "three");
        assert!(!recent.has(&3));
    }

    #[test]
    fn values_are_kept_as_long_as_their_bytes_have_room() {
        let recent: OnceLru<u8, String> = OnceLru::with_bytes(10, |_, text| 1 + text.len());
        let put = |key: u8, len: usize| recent.put(key, "x".repeat(len));
        let kept = || (0..9).filter(|key| recent.has(key)).collect::<Vec<u8>>();
        (0..5).for_each(|key| put(key, 1));
        assert_eq!(kept(), [0, 1, 2, 3, 4]);
        assert!(recent.get(&0).is_some());
        put(5, 1);
        assert_eq!(kept(), [0, 2, 3, 4, 5]);
        put(6, 5);
        assert_eq!(kept(), [0, 5, 6]);
        // In its own place it takes no other room.
        put(6, 5);
        put(6, 4);
        assert_eq!(kept(), [0, 5, 6]);
        recent.remove(&6, |_| true);
        assert_eq!(recent.get_or(7, || "x".repeat(5)).len(), 5);
        assert_eq!(kept(), [0, 5, 7]);
        // A value as large as the whole cache is kept alone, and a larger one is not kept.
        put(8, 9);
        assert_eq!(kept(), [8]);
        assert_eq!(recent.get_or(7, || "x".repeat(10)).len(), 10);
        assert!(kept().is_empty());
        put(1, 9);
        assert_eq!(kept(), [1]);
    }
}
