//! The pages that were read last, of all files together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::page::Page;

/// Number of bytes of all pages. The last one is kept whatever its size, because its neighbours are often read next.
const MOST: usize = 128 << 20;

/// A page: the number of its file, its column in a group of rows, and its number there.
pub(super) type Place = (u64, u32, u32);

/// The pages that were read last.
#[derive(Debug)]
struct Kept {
    pages: LruCache<Place, Arc<Page>>,
    bytes: usize,
}

fn kept() -> MutexGuard<'static, Kept> {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(|| {
        Mutex::new(Kept {
            pages: LruCache::unbounded(),
            bytes: 0,
        })
    });
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pages of one file, which are dropped with it.
#[derive(Debug)]
pub(super) struct Cache {
    file: u64,
}

impl Cache {
    /// For another file.
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

    /// Keeps a page.
    pub(super) fn put(&self, chunk: u32, page: u32, read: &Arc<Page>) {
        let mut kept = kept();
        kept.bytes += read.size();
        if let Some(old) = kept.pages.put((self.file, chunk, page), Arc::clone(read)) {
            kept.bytes -= old.size();
        }
        while kept.bytes > MOST && kept.pages.len() > 1 {
            if let Some((_, old)) = kept.pages.pop_lru() {
                kept.bytes -= old.size();
            }
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let mut kept = kept();
        let own = kept.pages.iter().map(|(place, _)| *place);
        let own: Vec<Place> = own.filter(|(file, ..)| *file == self.file).collect();
        for place in own {
            if let Some(old) = kept.pages.pop(&place) {
                kept.bytes -= old.size();
            }
        }
    }
}
