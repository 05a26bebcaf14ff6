//! A cache of the pages that were read last, shared by all files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::page::Page;

/// Maximum number of bytes of all pages.
const MOST: usize = 128 << 20;

/// This many pages of the size of the largest one always fit. The neighbours of a row are often read next, a game reads
/// a page of each column, and two threads may read different groups of rows.
const LARGE: usize = 3;

/// A page: the number of its file, its column in a group of rows, and its number there.
pub(super) type Place = (u64, u32, u32);

/// The cached pages.
#[derive(Debug)]
struct Kept {
    pages: LruCache<Place, Arc<Page>>,
    bytes: usize,
    /// The sizes of the pages, each with the number of pages of that size.
    sizes: BTreeMap<usize, usize>,
}

impl Kept {
    fn new() -> Kept {
        Kept {
            pages: LruCache::unbounded(),
            bytes: 0,
            sizes: BTreeMap::new(),
        }
    }

    /// Stores a page, and drops older pages to make room.
    fn put(&mut self, place: Place, read: &Arc<Page>) {
        self.bytes += read.size();
        *self.sizes.entry(read.size()).or_default() += 1;
        if let Some(old) = self.pages.put(place, Arc::clone(read)) {
            self.count_out(&old);
        }
        while self.bytes > self.most() {
            let Some((_, old)) = self.pages.pop_lru() else {
                break;
            };
            self.count_out(&old);
        }
    }

    /// Drops the pages of a file.
    fn forget(&mut self, file: u64) {
        let own = self.pages.iter().map(|(place, _)| *place);
        let own: Vec<Place> = own.filter(|(of, ..)| *of == file).collect();
        for place in own {
            if let Some(old) = self.pages.pop(&place) {
                self.count_out(&old);
            }
        }
    }

    /// The number of bytes that the cached pages may take.
    fn most(&self) -> usize {
        let largest = self.sizes.last_key_value().map_or(0, |(size, _)| *size);
        MOST.max(LARGE * largest)
    }

    fn count_out(&mut self, page: &Page) {
        self.bytes -= page.size();
        if let Entry::Occupied(mut number) = self.sizes.entry(page.size()) {
            *number.get_mut() -= 1;
            if *number.get() == 0 {
                number.remove();
            }
        }
    }
}

fn kept() -> MutexGuard<'static, Kept> {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(|| Mutex::new(Kept::new()));
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pages of one file, which are dropped with it.
#[derive(Debug)]
pub(super) struct Cache {
    file: u64,
}

impl Cache {
    /// The cache of another file.
    pub(super) fn new() -> Cache {
        static FILES: AtomicU64 = AtomicU64::new(0);
        Cache {
            file: FILES.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// A page of a column in a group of rows.
    pub(super) fn get(&self, chunk: u32, page: u32) -> Option<Arc<Page>> {
        kept().pages.get(&(self.file, chunk, page)).cloned()
    }

    /// Adds a page to the cache.
    pub(super) fn put(&self, chunk: u32, page: u32, read: &Arc<Page>) {
        kept().put((self.file, chunk, page), read);
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        kept().forget(self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the pages that are still in the cache after pages of these sizes were added.
    fn kept_of(sizes: &[usize]) -> Vec<u32> {
        let mut kept = Kept::new();
        for (number, &size) in (0..).zip(sizes) {
            kept.put((0, 0, number), &Arc::new(Page::of_size(size)));
        }
        let pages = (0..)
            .take(sizes.len())
            .filter(|&number| kept.pages.contains(&(0, 0, number)));
        pages.collect()
    }

    #[test]
    fn pages_are_kept_up_to_128_mebibytes() {
        let quarter = MOST / 4;
        assert_eq!(kept_of(&[quarter; 4]), [0, 1, 2, 3]);
        assert_eq!(kept_of(&[quarter, quarter, quarter, quarter + 1]), [1, 2, 3]);
        assert_eq!(kept_of(&[quarter; 5]), [1, 2, 3, 4]);
    }

    #[test]
    fn three_large_pages_are_kept() {
        assert_eq!(kept_of(&[MOST; 3]), [0, 1, 2]);
        assert_eq!(kept_of(&[MOST; 4]), [1, 2, 3]);
        // A game reads a page with its moves, and small ones with its tags.
        assert_eq!(kept_of(&[MOST, 1 << 20, 1 << 20, 1 << 20]), [0, 1, 2, 3]);
        assert_eq!(kept_of(&[MOST, MOST, MOST, 1 << 10]), [1, 2, 3]);
        // After the large page was dropped, the limit is the usual one again.
        assert_eq!(kept_of(&[2 * MOST, MOST, MOST, MOST, MOST, MOST]), [3, 4, 5]);
    }

    #[test]
    fn pages_are_dropped_with_their_file() {
        let mut kept = Kept::new();
        kept.put((0, 0, 0), &Arc::new(Page::of_size(MOST)));
        kept.put((1, 0, 0), &Arc::new(Page::of_size(1 << 10)));
        kept.forget(0);
        assert_eq!((kept.pages.len(), kept.bytes, kept.most()), (1, 1 << 10, MOST));
        kept.forget(1);
        assert_eq!((kept.pages.len(), kept.bytes, kept.most()), (0, 0, MOST));
    }
}
