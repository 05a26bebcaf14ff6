//! The directories of searches that were made: those used last, as far as they fit into memory.

use std::sync::Arc;

use lru::LruCache;

use crate::fs::detached::DetachedDirectory;
use crate::tree::Prefix;

/// Maximum number of searches that are kept, besides those that are listed.
const MOST: usize = 64;

/// Directories of searches by their prefixes. One that a request uses is not dropped: it would be searched for again.
pub(super) struct SearchCache {
    listed: LruCache<Prefix, CachedSearch>,
    others: LruCache<Prefix, CachedSearch>,
    bytes: usize,
    most_bytes: usize,
    uses: u64,
}

struct CachedSearch {
    directory: Arc<DetachedDirectory>,
    bytes: usize,
    /// The number of its last use.
    used: u64,
}

impl SearchCache {
    /// None, with room for so many bytes of what they have found and made of it.
    pub(super) fn up_to(most_bytes: usize) -> SearchCache {
        SearchCache {
            listed: LruCache::unbounded(),
            others: LruCache::unbounded(),
            bytes: 0,
            most_bytes,
            uses: 0,
        }
    }

    /// The directory of a search, if it is made. This is a use of it.
    pub(super) fn get(&mut self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        self.uses += 1;
        let made = match self.others.get_mut(&prefix) {
            Some(made) => made,
            None => self.listed.get_mut(&prefix)?,
        };
        made.used = self.uses;
        Some(Arc::clone(&made.directory))
    }

    /// True if the directory of a search is made.
    pub(super) fn has(&self, prefix: Prefix) -> bool {
        self.others.contains(&prefix) || self.listed.contains(&prefix)
    }

    /// Keeps the directory of a search, which is not there yet.
    pub(super) fn put(&mut self, prefix: Prefix, directory: &Arc<DetachedDirectory>, is_listed: bool) {
        self.uses += 1;
        let made = CachedSearch {
            directory: Arc::clone(directory),
            bytes: 0,
            used: self.uses,
        };
        let kept = if is_listed {
            &mut self.listed
        } else {
            &mut self.others
        };
        kept.put(prefix, made);
    }

    /// Sets how many bytes a search takes.
    pub(super) fn set_bytes(&mut self, prefix: Prefix, bytes: usize) {
        let made = match self.others.peek_mut(&prefix) {
            Some(made) => Some(made),
            None => self.listed.peek_mut(&prefix),
        };
        if let Some(made) = made {
            self.bytes = self.bytes - made.bytes + bytes;
            made.bytes = bytes;
        }
    }

    /// Removes a search.
    pub(super) fn remove(&mut self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let made = self.others.pop(&prefix).or_else(|| self.listed.pop(&prefix))?;
        self.bytes -= made.bytes;
        Some(made.directory)
    }

    /// The search to be dropped next, and whether it is listed. `None` while the limits are kept, or if requests use all
    /// others.
    pub(super) fn too_many(&self) -> Option<(Prefix, bool)> {
        let other = oldest(&self.others);
        if self.others.len() > MOST
            && let Some((_, prefix)) = other
        {
            return Some((prefix, false));
        }
        if self.bytes <= self.most_bytes {
            return None;
        }
        match (other, oldest(&self.listed)) {
            (Some((used, prefix)), listed) if listed.is_none_or(|(later, _)| used < later) => {
                Some((prefix, false))
            }
            (_, listed) => listed.map(|(_, prefix)| (prefix, true)),
        }
    }
}

/// The search used least recently that no request uses, with the number of that use.
fn oldest(made: &LruCache<Prefix, CachedSearch>) -> Option<(u64, Prefix)> {
    let mut oldest = made.iter().rev().filter(|(_, made)| !made.is_in_use());
    oldest.next().map(|(&prefix, made)| (made.used, prefix))
}

impl CachedSearch {
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.directory) > 1 || Arc::strong_count(&self.directory.branch) > 1
    }
}
