//! Searches: directories of the games that queries find, made when their names are looked up.

use parking_lot::{Mutex, RwLock};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ChessFs;
use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::object::{At, Directory, FIRST_OFFSET, ListedEntry};
use super::references::BranchReferences;
use super::types::{FsError, Inode, Kind};
use crate::tree::{NamedSearch, Node, Prefix, SearchName, asked};
use chessdb_library::query::Query;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of searches that are kept, besides those that are listed.
const MOST: usize = 64;

/// Maximum size of their lists of games in bytes.
const MOST_BYTES: usize = 256 << 20;

/// Maximum number of searches whose prefixes are remembered.
const MOST_REMEMBERED: usize = 1 << 16;

/// The searches in the directories of the present branches.
#[derive(Default)]
pub(super) struct Searches {
    known: RwLock<Known>,
    /// Number of uses of searches so far.
    uses: AtomicU64,
}

#[derive(Default)]
struct Known {
    by_prefix: HashMap<Prefix, Arc<KnownSearch>>,
    by_name: HashMap<SearchPlace, Arc<KnownSearch>>,
    /// Those of them that are not listed.
    unlisted: Vec<Arc<KnownSearch>>,
    /// Prefixes and references by a hash of the place. A search that was dropped and is made again has the same inodes,
    /// and no other search gets them: the kernel may still have names and bytes of it.
    remembered: HashMap<u64, (Prefix, Arc<BranchReferences>)>,
}

/// The branch in whose directory a search is, and its name.
type SearchPlace = (Prefix, String);

struct KnownSearch {
    directory: Arc<DetachedDirectory>,
    place: SearchPlace,
    /// The number of its last use.
    used: AtomicU64,
}

impl Searches {
    /// The directory of the search with this prefix. This is a use of it.
    pub(super) fn get(&self, prefix: Prefix) -> Option<Arc<DetachedDirectory>> {
        let known = self.known.read();
        let search = known.by_prefix.get(&prefix)?;
        self.touch(search);
        Some(Arc::clone(&search.directory))
    }

    /// The inode of the directory of a search. This is a use of it.
    fn named(&self, place: &SearchPlace) -> Option<Inode> {
        let known = self.known.read();
        let search = known.by_name.get(place)?;
        self.touch(search);
        Some(search.directory.folder.inode)
    }

    /// Removes the searches of branches that the source no longer has, and returns their directories.
    pub(super) fn replace<'a>(
        &self,
        present: &[Arc<BranchFs>],
        gone: impl Iterator<Item = &'a Arc<BranchFs>>,
    ) -> Vec<Arc<DetachedDirectory>> {
        let mut known = self.known.write();
        // A branch may have been gone before.
        for branch in present {
            branch.is_gone.store(false, Ordering::Relaxed);
        }
        let gone = gone.inspect(|branch| branch.is_gone.store(true, Ordering::Relaxed));
        let gone: HashSet<Prefix> = gone.map(|branch| branch.prefix()).collect();
        let is_gone = |search: &KnownSearch| gone.contains(&search.place.0);
        known.unlisted.retain(|search| !is_gone(search));
        known.by_name.retain(|_, search| !is_gone(search));
        let removed = known.by_prefix.extract_if(|_, search| is_gone(search));
        removed.map(|(_, search)| Arc::clone(&search.directory)).collect()
    }

    /// Releases the prefixes of searches that were dropped, and all others that are neither those of searches nor among
    /// `used`.
    pub(super) fn release(&self, prefixes: &Mutex<HashSet<Prefix>>, used: impl Iterator<Item = Prefix>) {
        let mut known = self.known.write();
        known.forget_dropped();
        let kept = used.chain(known.by_prefix.keys().copied());
        *prefixes.lock() = kept.collect();
    }

    /// Drops the searches used least recently, until the limits are kept.
    fn trim(&self) {
        let dropped = self.known.write().trim();
        // A branch may take long to drop, and no lock is held.
        drop(dropped);
    }

    fn touch(&self, search: &KnownSearch) {
        let number = self.uses.fetch_add(1, Ordering::Relaxed);
        search.used.store(number, Ordering::Relaxed);
    }
}

impl Known {
    /// Removes the searches used least recently, until the limits are kept, and returns them.
    fn trim(&mut self) -> Vec<Arc<KnownSearch>> {
        let last_use = |search: &Arc<KnownSearch>| Reverse(search.used.load(Ordering::Relaxed));
        self.unlisted.sort_unstable_by_key(last_use);
        let (mut number, mut bytes) = (0, 0);
        let is_dropped = |search: &mut Arc<KnownSearch>| {
            number += 1;
            bytes += search.directory.branch.branch().found_bytes();
            // The one that is used now stays in any case.
            number > 1 && (number > MOST || bytes > MOST_BYTES) && !search.is_in_use()
        };
        let dropped: Vec<_> = self.unlisted.extract_if(.., is_dropped).collect();
        for search in &dropped {
            self.by_prefix.remove(&search.directory.branch.prefix());
            self.by_name.remove(&search.place);
        }
        dropped
    }

    /// Forgets searches that were dropped, and returns their prefixes.
    fn forget_dropped(&mut self) -> Vec<Prefix> {
        let is_dropped = |prefix: &Prefix| !self.by_prefix.contains_key(prefix);
        let dropped = self.remembered.extract_if(|_, (prefix, _)| is_dropped(prefix));
        dropped.map(|(_, (prefix, _))| prefix).collect()
    }
}

impl KnownSearch {
    /// True if a request uses it, which may wait for its answer.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.directory) > 1 || Arc::strong_count(&self.directory.branch) > 1
    }
}

/// What `info.txt` says of a query.
pub(super) struct SearchText {
    /// As it is written.
    pub(super) text: String,
    /// Its canonical form.
    pub(super) canonical: String,
}

/// `search/` of a branch.
#[derive(Clone, Copy)]
pub(super) struct SearchesFs<'a> {
    pub(super) fs: &'a ChessFs,
    pub(super) at: At<'a>,
}

impl SearchesFs<'_> {
    /// The searches that it lists.
    fn listed(&self) -> &[NamedSearch] {
        self.at.branch.branch().searches()
    }

    /// The directory of a search that it lists.
    fn listed_search(&self, named: &NamedSearch) -> Result<Inode, FsError> {
        let place = (self.at.branch.prefix(), named.name.clone());
        self.fs
            .search(self.at.branch, place, &named.text, &named.query, true)
    }
}

impl Directory for SearchesFs<'_> {
    fn len(&self) -> usize {
        self.at.len() + self.listed().len()
    }

    fn entry_after(&self, offset: u64) -> Option<ListedEntry<'_>> {
        let place = usize::try_from(offset - FIRST_OFFSET).ok()?;
        let Some(listed) = place.checked_sub(self.at.len()) else {
            return self.at.entry_after(offset);
        };
        let named = self.listed().get(listed)?;
        Some(ListedEntry {
            name: named.name.as_str().into(),
            inode: self.listed_search(named).ok()?,
            kind: Kind::Directory,
            next: offset + 1,
        })
    }

    fn child(&self, name: &str) -> Result<Inode, FsError> {
        let At {
            branch,
            section,
            node,
        } = self.at;
        let place = (branch.prefix(), name.to_owned());
        if let Some(known) = self.fs.common.searches.named(&place) {
            return Ok(known);
        }
        if let Some(named) = self.listed().iter().find(|named| named.name == name) {
            return self.listed_search(named);
        }
        match asked(name) {
            Ok(Some(SearchName::Directory(query))) => {
                self.fs.search(branch, place, name, &Arc::new(query), false)
            }
            // The other names depend on no source.
            Ok(_) => {
                let found = section.child(node, name);
                found.map(|node| branch.inode(node)).ok_or(FsError::NotFound)
            }
            Err(error) => {
                let database = match branch.own_database() {
                    Some(own) => own.entry().name(),
                    None => branch.path(),
                };
                log::log!(branch.wrong_queries.level(), "{database}: search/{name}: {error}");
                Err(FsError::NotFound)
            }
        }
    }

    fn check(&self, shown: Option<&[Inode]>) -> Result<(), FsError> {
        self.at.check(shown)
    }
}

impl ChessFs {
    /// The directory of a search in `search/` of a branch. If it does not exist, it is made, and its games are found
    /// when they are first asked for.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the source no longer has the branch.
    fn search(
        &self,
        parent: &BranchFs,
        place: SearchPlace,
        text: &str,
        query: &Arc<Query>,
        is_listed: bool,
    ) -> Result<Inode, FsError> {
        let searches = &self.common.searches;
        if let Some(known) = searches.named(&place) {
            return Ok(known);
        }
        let mut known = searches.known.write();
        // Another thread may have made it meanwhile.
        if let Some(search) = known.by_name.get(&place) {
            return Ok(search.directory.folder.inode);
        }
        if parent.is_gone.load(Ordering::Relaxed) {
            return Err(FsError::Stale);
        }
        if known.remembered.len() >= MOST_REMEMBERED {
            let dropped = known.forget_dropped();
            let mut prefixes = self.common.prefixes.lock();
            dropped.iter().for_each(|prefix| {
                prefixes.remove(prefix);
            });
        }
        let directory = Inode::of(place.0, Node::SEARCH);
        let hash = xxh3_64(format!("{:x}/{}", directory.0, place.1).as_bytes());
        let new = || {
            let prefix = Prefix::free(hash, &mut self.common.prefixes.lock());
            (prefix, Arc::default())
        };
        let (prefix, references) = known.remembered.entry(hash).or_insert_with(new).clone();
        let search = SearchText {
            text: text.to_owned(),
            canonical: query.canonical(),
        };
        let limited = Arc::downgrade(searches);
        let on_found = move || {
            limited.upgrade().inspect(|searches| searches.trim());
        };
        let branch = parent.searched(search, query, prefix, references, on_found);
        let search = Arc::new(KnownSearch {
            directory: Arc::new(DetachedDirectory::of_search(branch, directory)),
            place,
            used: AtomicU64::new(0),
        });
        searches.touch(&search);
        known.by_prefix.insert(prefix, Arc::clone(&search));
        known.by_name.insert(search.place.clone(), Arc::clone(&search));
        let mut dropped = Vec::new();
        if !is_listed {
            known.unlisted.push(Arc::clone(&search));
            dropped = known.trim();
        }
        drop(known);
        // A branch may take long to drop.
        drop(dropped);
        Ok(search.directory.folder.inode)
    }
}
