//! The most recently used values of something that costs time to make again.

use std::convert::Infallible;
use std::hash::Hash;
use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// Up to a number of values by their keys; the least recently used one makes room for the next.
///
/// Values are cheap to clone, such as an `Arc`. No lock is held while a value is made, so two threads may make the same
/// one.
#[derive(Debug)]
pub struct Recent<K: Hash + Eq, V>(Mutex<LruCache<K, V>>);

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    /// Room for `most` values, which is taken as they come.
    pub fn new(most: NonZeroUsize) -> Recent<K, V> {
        Recent(Mutex::new(LruCache::sparse(most)))
    }

    /// The value of a key, if it is kept.
    pub fn get(&self, key: &K) -> Option<V> {
        self.0.lock().get(key).cloned()
    }

    /// True if the value of a key is kept. This is no use of it.
    pub fn has(&self, key: &K) -> bool {
        self.0.lock().contains(key)
    }

    /// Keeps a value, in place of an earlier one of this key.
    pub fn put(&self, key: K, value: V) {
        // What is dropped may be large.
        let dropped = self.0.lock().push(key, value);
        drop(dropped);
    }

    /// The sum of a number for each value, such as the memory that it takes. This is no use of them.
    pub fn sum(&self, of: impl Fn(&V) -> usize) -> usize {
        self.0.lock().iter().map(|(_, value)| of(value)).sum()
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// The kept value of a key, or else the one that `make` returns, which is kept.
    pub fn get_or(&self, key: K, make: impl FnOnce() -> V) -> V {
        match self.get_or_make(key, || Ok::<V, Infallible>(make())) {
            Ok(value) => value,
        }
    }

    /// Like [`Recent::get_or`], for a value that cannot always be made.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get_or_make<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some(value) = self.get(&key) {
            return Ok(value);
        }
        let value = make()?;
        self.put(key, value.clone());
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_made_again() {
        let recent = Recent::new(NonZeroUsize::new(2).unwrap());
        recent.put(1, "one");
        recent.put(2, "two");
        assert_eq!(recent.get(&1), Some("one"));
        assert_eq!(recent.get_or_make(3, || Ok::<_, ()>("three")), Ok("three"));
        assert_eq!((recent.get(&2), recent.get(&1)), (None, Some("one")));
        assert_eq!(recent.get_or_make(2, || Err("gone")), Err("gone"));
        assert_eq!(recent.get_or(3, || "another"), "three");
        assert_eq!((recent.sum(|text| text.len()), recent.count()), (8, 2));
    }
}
