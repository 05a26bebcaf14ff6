//! Searches: directories of the games that queries find, made when their names are looked up.

use parking_lot::RwLock;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ChessFs;
use super::branch::BranchFs;
use super::detached::DetachedDirectory;
use super::object::{At, Directory, FIRST_OFFSET, ListedEntry};
use super::types::{FsError, Inode, Kind};
use crate::tree::{Branch, NamedSearch, Node, Prefix, SearchName, asked};
use chessdb_library::query::Query;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of searches that are kept, besides those that are listed.
const MOST: usize = 64;

/// Maximum size of their lists of games in bytes.
const MOST_BYTES: usize = 256 << 20;

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
}

/// The branch in whose directory a search is, and its name.
type SearchPlace = (Prefix, String);

struct KnownSearch {
    directory: Arc<DetachedDirectory>,
    place: SearchPlace,
    /// True if `search/` lists it. Such a search is kept as long as its branch.
    is_listed: bool,
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

    /// The prefixes of all searches.
    pub(super) fn prefixes(&self) -> Vec<Prefix> {
        self.known.read().by_prefix.keys().copied().collect()
    }

    /// The inode of the directory of a search. This is a use of it.
    fn named(&self, place: &SearchPlace) -> Option<Inode> {
        let known = self.known.read();
        let search = known.by_name.get(place)?;
        self.touch(search);
        Some(search.directory.folder.inode)
    }

    /// Removes the searches of branches that the source no longer has, and returns their directories.
    pub(super) fn remove_of_gone(&self, is_present: impl Fn(Prefix) -> bool) -> Vec<Arc<DetachedDirectory>> {
        let mut known = self.known.write();
        known.by_name.retain(|(parent, _), _| is_present(*parent));
        let gone = known
            .by_prefix
            .extract_if(|_, search| !is_present(search.place.0));
        gone.map(|(_, search)| Arc::clone(&search.directory)).collect()
    }

    fn touch(&self, search: &KnownSearch) {
        let number = self.uses.fetch_add(1, Ordering::Relaxed);
        search.used.store(number, Ordering::Relaxed);
    }
}

impl Known {
    /// Removes the searches used least recently, until the limits are kept, and returns them.
    fn trim(&mut self, prefixes: &mut HashSet<Prefix>) -> Vec<Arc<KnownSearch>> {
        let mut unlisted: Vec<_> = self
            .by_prefix
            .values()
            .filter(|search| !search.is_listed)
            .collect();
        unlisted.sort_unstable_by_key(|search| std::cmp::Reverse(search.used.load(Ordering::Relaxed)));
        let mut bytes = 0;
        let kept = unlisted.iter().take(MOST).take_while(|search| {
            bytes += search.directory.branch.branch().found_bytes();
            bytes <= MOST_BYTES
        });
        // The one that is used now stays in any case.
        let kept = kept.count().max(1);
        let dropped: Vec<_> = unlisted.into_iter().skip(kept).cloned().collect();
        for search in &dropped {
            let prefix = search.directory.branch.prefix();
            self.by_prefix.remove(&prefix);
            self.by_name.remove(&search.place);
            prefixes.remove(&prefix);
        }
        dropped
    }
}

/// What `info.txt` says of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchText {
    /// As it is written.
    pub(super) text: String,
    /// Its canonical form.
    pub(super) canonical: String,
}

impl SearchText {
    fn new(text: &str, query: &Query) -> SearchText {
        SearchText {
            text: text.to_owned(),
            canonical: query.canonical(),
        }
    }
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

    /// The directory of a query that it lists.
    fn listed_search(&self, named: &NamedSearch) -> Result<Inode, FsError> {
        let question = SearchText::new(&named.text, &named.query);
        self.search(&named.name, question, &named.query, true)
    }

    /// The directory of a query, which is made if it does not exist.
    fn search(
        &self,
        name: &str,
        question: SearchText,
        query: &Arc<Query>,
        is_listed: bool,
    ) -> Result<Inode, FsError> {
        let query = Arc::clone(query);
        let find = move |branch: &Branch| branch.find(&query);
        self.fs
            .add_search(self.at.branch, name, question, is_listed, find)
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
        let place = (self.at.branch.prefix(), name.to_owned());
        if let Some(known) = self.fs.common.searches.named(&place) {
            return Ok(known);
        }
        if let Some(named) = self.listed().iter().find(|named| named.name == name) {
            return self.listed_search(named);
        }
        match asked(name) {
            Ok(Some(SearchName::Directory(query))) => {
                let question = SearchText::new(name, &query);
                self.search(name, question, &Arc::new(query), false)
            }
            Ok(_) => self.at.child(name),
            Err(error) => {
                let branch = self.at.branch;
                let first = branch.databases().first();
                let database = first.map_or("", |database| database.entry().name());
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
    /// Shows these games of each database as `search/name` in `parent`, which is the directory of a database or of all
    /// databases. Returns the inode; `None` if `parent` is another directory.
    ///
    /// The directory shows the games as `parent` does: they keep their numbers, names and inodes.
    pub fn show_games(&self, parent: Inode, name: &str, games: Vec<Box<[u32]>>) -> Option<Inode> {
        let folder = self.folders.by_inode(parent)?;
        let branch = match folder.database {
            Some(database) => self.branches.get(database)?,
            None => self.present_branch(parent.node()?.0)?,
        };
        let find = move |_: &Branch| games.clone();
        self.add_search(branch, name, SearchText::default(), true, find)
            .ok()
    }

    /// The directory `name` in `search/` of a branch. If it does not exist, it is made, and shows the games that `find`
    /// returns when they are first asked for.
    ///
    /// # Errors
    /// [`FsError::Stale`] if the source no longer has the branch.
    fn add_search(
        &self,
        parent: &BranchFs,
        name: &str,
        question: SearchText,
        is_listed: bool,
        find: impl Fn(&Branch) -> Vec<Box<[u32]>> + Send + Sync + 'static,
    ) -> Result<Inode, FsError> {
        let searches = &self.common.searches;
        let place = (parent.prefix(), name.to_owned());
        let present = self.present_branch(parent.prefix());
        present
            .filter(|&present| std::ptr::eq(&**present, parent))
            .ok_or(FsError::Stale)?;
        let mut prefixes = self.common.prefixes.lock();
        let mut known = searches.known.write();
        // Another thread may have made it meanwhile.
        if let Some(search) = known.by_name.get(&place) {
            return Ok(search.directory.folder.inode);
        }
        let hash = xxh3_64(format!("{:x}/{name}", Inode::of(place.0, Node::SEARCH).0).as_bytes());
        let branch = parent.searched(name, question, Prefix::free(hash, &mut prefixes), find);
        let search = KnownSearch {
            directory: Arc::new(DetachedDirectory::of_search(branch, parent.inode(Node::SEARCH))),
            place,
            is_listed,
            used: AtomicU64::new(0),
        };
        searches.touch(&search);
        let search = Arc::new(search);
        known
            .by_prefix
            .insert(search.directory.branch.prefix(), Arc::clone(&search));
        known.by_name.insert(search.place.clone(), Arc::clone(&search));
        let dropped = known.trim(&mut prefixes);
        drop((known, prefixes));
        // A branch may take long to drop.
        drop(dropped);
        Ok(search.directory.folder.inode)
    }
}
