//! The cache of decoded games.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lru::LruCache;

use super::status::CacheStatus;
use super::types::Inode;

/// Bytes that an entry costs in addition to its text: LRU list, hash table, and fragmentation of the heap. Measured:
/// about 150 for a text of 500 bytes.
const OVERHEAD: usize = 160;

/// The most recently used texts, bounded in bytes. Texts are decoded and freed outside its lock.
pub(super) struct TextCache {
    capacity: usize,
    texts: Mutex<Cached>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The cached texts and the sum of their costs in bytes.
struct Cached {
    by_inode: LruCache<Inode, Arc<[u8]>>,
    bytes: usize,
}

impl TextCache {
    pub(super) fn new(capacity: usize) -> TextCache {
        TextCache {
            capacity,
            texts: Mutex::new(Cached {
                by_inode: LruCache::unbounded(),
                bytes: 0,
            }),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Returns the text of a game, if it is cached.
    pub(super) fn get(&self, game: Inode) -> Option<Arc<[u8]>> {
        let mut texts = self.texts.lock();
        let text = texts.by_inode.get(&game).cloned();
        let counter = if text.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        text
    }

    /// Number and size of the cached texts, and how often lookups succeeded.
    pub(super) fn status(&self) -> CacheStatus {
        let texts = self.texts.lock();
        CacheStatus {
            games: texts.by_inode.len(),
            bytes: texts.bytes,
            capacity: self.capacity,
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// True if the text of a game is cached. This counts neither as a hit or miss nor as a use.
    pub(super) fn has(&self, game: Inode) -> bool {
        let texts = self.texts.lock();
        texts.by_inode.contains(&game)
    }

    /// Caches the text of a game, unless it is larger than the whole cache.
    ///
    /// Long texts are cached, too: they are read in many pieces, and each piece would otherwise decode the
    /// game again.
    pub(super) fn put(&self, game: Inode, text: Arc<[u8]>) {
        if cost(&text) > self.capacity {
            return;
        }
        // Freed after the lock is released, because freeing many texts takes long.
        let mut driven_out = Vec::new();
        let mut texts = self.texts.lock();
        texts.bytes += cost(&text);
        if let Some(old) = texts.by_inode.put(game, text) {
            texts.bytes -= cost(&old);
            driven_out.push(old);
        }
        while texts.bytes > self.capacity
            && let Some((_, old)) = texts.by_inode.pop_lru()
        {
            texts.bytes -= cost(&old);
            driven_out.push(old);
        }
        drop(texts);
    }

    /// True if `games` texts of typical length take only a small part of the cache.
    pub(super) fn has_room_for(&self, games: usize) -> bool {
        const USUAL: usize = 2048;
        games.saturating_mul(USUAL) <= self.capacity / 8
    }
}

fn cost(text: &[u8]) -> usize {
    text.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(len: usize) -> Arc<[u8]> {
        vec![b'x'; len].into()
    }

    #[test]
    fn the_cache_is_bounded_in_bytes() {
        let cache = TextCache::new(10 * (1000 + OVERHEAD));
        for n in 0..20 {
            cache.put(Inode(n), text(1000));
            cache.get(Inode(0));
        }
        let kept: Vec<u64> = (0..20).filter(|&n| cache.get(Inode(n)).is_some()).collect();
        assert_eq!(kept, [0, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn a_text_replaces_an_older_one_of_its_game() {
        let cache = TextCache::new(4 * (1000 + OVERHEAD));
        for _ in 0..10 {
            cache.put(Inode(1), text(1000));
        }
        cache.put(Inode(2), text(1000));
        assert!(cache.get(Inode(1)).is_some() && cache.get(Inode(2)).is_some());
    }

    #[test]
    fn a_text_larger_than_the_cache_is_not_kept() {
        let cache = TextCache::new(4000);
        cache.put(Inode(1), text(4000 - OVERHEAD));
        cache.put(Inode(2), text(4001 - OVERHEAD));
        assert!(cache.get(Inode(1)).is_some() && cache.get(Inode(2)).is_none());
        let nothing = TextCache::new(0);
        nothing.put(Inode(1), text(1));
        assert!(nothing.get(Inode(1)).is_none());
    }
}
