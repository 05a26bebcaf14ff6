//! The directories of one view, with their games.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;
use std::thread::available_parallelism;

use rustc_hash::FxHashMap;

use super::game_list::GameList;
use super::names::directory_name;
use super::plan::Plan;
use super::views::{By, Group, View};
use crate::library::{LibraryEntry, numbered};
use crate::positions::last_material;
use crate::spelling::Names;
use chessdb::formats::{Database, Keys};

/// Number of games after which the sort checks whether the files have changed.
const CHECK_INTERVAL: u32 = 1024;

/// The directories of a view. They are numbered level by level, and by name below each parent; 0 is the
/// view's own directory. Names are computed from texts.
pub struct ViewIndex {
    parents: Vec<u32>,
    /// The first child of each directory; its children end where those of the next directory begin.
    children: Vec<u32>,
    /// Directories whose name ends with a number, such as ` (2)`.
    ordinals: HashMap<u32, u32>,
    contents: Box<dyn Contents>,
    nests_merged: bool,
    /// The directories that contain games, sorted by name. Only set if their merged files are all in one
    /// directory and the order differs from that of their numbers.
    by_name: Option<Vec<u32>>,
}

/// The names of a view's directories, and the games in them.
pub(super) trait Contents: Send + Sync {
    /// The text of a directory at this depth below the view's own directory.
    fn text(&self, directory: u32, depth: usize) -> Option<String>;

    /// The games in a directory.
    fn games(&self, directory: u32) -> GameList<'_>;

    /// Of several databases, the one from which the text of a directory is read.
    fn named_by(&self, _directory: u32) -> Option<usize> {
        None
    }
}

impl ViewIndex {
    /// Sorts the games of a database. The index is incomplete if the files change meanwhile. With `names`, directories
    /// have the names under which players are shown.
    pub fn new(view: View, entry: &LibraryEntry, names: Option<Arc<Names>>) -> ViewIndex {
        let database = Arc::clone(&entry.database);
        let entries = Entries::new(&view, entry);
        let group = |group: u32| entries.groups.get(group as usize).copied();
        let plan = Plan::new(entries.groups.len() as u32, |number, depth| {
            let text = view.text(&*database, group(number)?, depth)?;
            Some(shown(&names, text))
        });
        let (starts, games) = entries.by_directory(&plan.leaves, plan.directories.len());
        let groups = plan.directories.iter();
        let groups = groups.map(|planned| group(planned.group).unwrap_or(Group(0)));
        let nests_merged = view.nests_merged();
        let contents = Sorted {
            groups: groups.collect(),
            view,
            database,
            names,
            starts,
            games,
        };
        ViewIndex::with(&plan, contents, nests_merged)
    }

    /// Builds the index of a plan.
    pub(super) fn with(plan: &Plan, contents: impl Contents + 'static, nests_merged: bool) -> ViewIndex {
        let directories = &plan.directories;
        let mut children = vec![0; directories.len()];
        for planned in directories.iter().skip(1) {
            children[planned.parent as usize] += 1;
        }
        let ordinals = (0..).zip(directories).filter(|(_, planned)| planned.ordinal > 1);
        let mut index = ViewIndex {
            parents: directories.iter().map(|planned| planned.parent).collect(),
            children: running_sums(&children, 1),
            ordinals: ordinals
                .map(|(number, planned)| (number, planned.ordinal))
                .collect(),
            contents: Box::new(contents),
            nests_merged,
            by_name: None,
        };
        let is_deep = directories.iter().any(|planned| planned.parent != 0);
        if is_deep && !nests_merged {
            let mut by_name: Vec<u32> = (0..index.len()).filter(|&n| !index.games(n).is_empty()).collect();
            by_name.sort_by_cached_key(|&n| index.name(n));
            index.by_name = Some(by_name);
        }
        index
    }

    /// Number of directories, including the view's own.
    pub fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The parent of a directory; the view's own directory is its own parent.
    pub fn parent(&self, directory: u32) -> u32 {
        self.parents.get(directory as usize).copied().unwrap_or(0)
    }

    /// The subdirectories of a directory, sorted by name.
    pub fn children(&self, directory: u32) -> Range<u32> {
        bounds(&self.children, directory)
    }

    /// The games in a directory, in database order.
    pub fn games(&self, directory: u32) -> GameList<'_> {
        self.contents.games(directory)
    }

    /// The text of a directory; `None` for the view's own.
    pub fn text(&self, directory: u32) -> Option<String> {
        let mut depth = 0;
        let mut above = self.parent(directory);
        while above != 0 {
            above = self.parent(above);
            depth += 1;
        }
        self.contents.text(directory, depth).filter(|_| directory > 0)
    }

    /// The name of a directory; `None` for the view's own.
    pub fn name(&self, directory: u32) -> Option<String> {
        let ordinal = self.ordinals.get(&directory).copied().unwrap_or(1);
        Some(numbered(&directory_name(&self.text(directory)?), ordinal).into_owned())
    }

    /// Of several databases, the one from which the name of a directory is read.
    pub fn named_by(&self, directory: u32) -> Option<usize> {
        self.contents.named_by(directory)
    }

    /// The subdirectory with this name.
    pub fn child(&self, directory: u32, name: &str) -> Option<u32> {
        let children = self.children(directory);
        search(
            children.len(),
            |n| {
                let child = children.start + n as u32;
                (child, self.name(child))
            },
            name,
        )
    }

    /// True if merged files are in subdirectories.
    pub fn nests_merged(&self) -> bool {
        self.nests_merged
    }

    /// Number of entries of a directory of merged files; `directory` 0 is the view's own.
    pub fn merged_len(&self, directory: u32) -> usize {
        match &self.by_name {
            Some(by_name) => by_name.len(),
            None => self.children(directory).len(),
        }
    }

    /// The directory of the view to which the nth entry of a directory of merged files belongs. Entries are
    /// sorted by name.
    pub fn merged_at(&self, directory: u32, n: usize) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => by_name.get(n).copied(),
            None => self.children(directory).nth(n),
        }
    }

    /// The directory of the view to which an entry of a directory of merged files belongs, by the entry's
    /// name without `.pgn`.
    pub fn merged_child(&self, directory: u32, name: &str) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => search(
                by_name.len(),
                |n| {
                    let directory = by_name.get(n).copied().unwrap_or(0);
                    (directory, self.name(directory))
                },
                name,
            ),
            None => self.child(directory, name),
        }
    }
}

/// The sorted games of a database: a few integers for each directory and one for each game in it.
struct Sorted {
    view: View,
    database: Arc<dyn Database>,
    names: Option<Arc<Names>>,
    /// For each directory, a group that is in it or below it.
    groups: Vec<Group>,
    /// Index in `games` of each directory's first game. Its games end where those of the next directory
    /// begin.
    starts: Vec<u32>,
    games: Vec<u32>,
}

impl Contents for Sorted {
    fn text(&self, directory: u32, depth: usize) -> Option<String> {
        let group = *self.groups.get(directory as usize)?;
        let text = self.view.text(&*self.database, group, depth)?;
        Some(shown(&self.names, text))
    }

    fn games(&self, directory: u32) -> GameList<'_> {
        let Range { start, end } = bounds(&self.starts, directory);
        let games = self.games.get(start as usize..end as usize);
        GameList::Own(games.unwrap_or_default())
    }
}

/// The groups of a view and the games that belong to them.
struct Entries {
    /// Groups in the order of their first games.
    groups: Vec<Group>,
    /// Pairs of a game and the index of one of its groups, sorted by game.
    entries: Vec<(u32, u32)>,
}

impl Entries {
    fn new(view: &View, entry: &LibraryEntry) -> Entries {
        let database = &*entry.database;
        match view {
            View::BuiltIn(view) => match view.by {
                By::Keys(groups) => Entries::collect(entry, |_, keys, each| {
                    groups(keys, &mut |group| each(group, group));
                }),
                By::LastMaterial => {
                    let threads = available_parallelism().map_or(1, usize::from);
                    let material = last_material(database, threads);
                    Entries::collect(entry, |game, _, each| {
                        let counts = material.get(game as usize).map_or(0, |counts| counts.0);
                        each(Group(counts), Group(counts));
                    })
                }
            },
            View::Own(view) => Entries::collect(entry, |game, keys, each| {
                view.each_group(game, &mut |group| each(view.key(database, keys, group), group));
            }),
        }
    }

    /// Collects the groups of all games. Groups with equal keys are one group, represented by the first.
    fn collect<K, F>(entry: &LibraryEntry, groups_of: F) -> Entries
    where
        K: Eq + Hash,
        F: Fn(u32, &Keys, &mut dyn FnMut(K, Group)),
    {
        let database = &*entry.database;
        let mut groups = Vec::new();
        let mut entries = Vec::with_capacity(database.len() as usize);
        let mut places: FxHashMap<K, u32> = FxHashMap::default();
        for game in 0..database.len() {
            if game % CHECK_INTERVAL == 0 && entry.is_lost() {
                break;
            }
            let keys = database.keys(game);
            if keys.deleted {
                continue;
            }
            groups_of(game, &keys, &mut |key, group| {
                let place = *places.entry(key).or_insert_with(|| {
                    groups.push(group);
                    groups.len() as u32 - 1
                });
                entries.push((game, place));
            });
        }
        Entries { groups, entries }
    }

    /// The games of all directories in one list, and the index at which the games of each directory begin.
    /// `leaves` contains the directory of each group.
    fn by_directory(&self, leaves: &[u32], directories: usize) -> (Vec<u32>, Vec<u32>) {
        let places = || {
            self.entries
                .iter()
                .map(|&(game, group)| (game, leaves[group as usize] as usize))
        };
        // Two groups of a game may have the same directory, which lists the game once.
        let mut last = vec![u32::MAX; directories];
        let mut counts = vec![0; directories];
        for (game, directory) in places() {
            if last[directory] != game {
                last[directory] = game;
                counts[directory] += 1;
            }
        }
        let starts = running_sums(&counts, 0);
        let mut ends = starts.clone();
        let mut games = vec![0; starts.last().map_or(0, |&len| len as usize)];
        for (game, directory) in places() {
            let end = ends[directory];
            if end == starts[directory] || games[end as usize - 1] != game {
                games[end as usize] = game;
                ends[directory] += 1;
            }
        }
        (starts, games)
    }
}

/// The text that a directory has which stands for a stored text.
pub(super) fn shown(names: &Option<Arc<Names>>, text: String) -> String {
    match names {
        Some(names) => names.shown(text),
        None => text,
    }
}

/// `first`, followed by `first` plus the sum of the counts up to each.
pub(super) fn running_sums(counts: &[u32], first: u32) -> Vec<u32> {
    let mut sum = first;
    let sums = counts.iter().map(|count| {
        sum += count;
        sum
    });
    std::iter::once(first).chain(sums).collect()
}

pub(super) fn bounds(starts: &[u32], n: u32) -> Range<u32> {
    let n = n as usize;
    match (starts.get(n), starts.get(n + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}

/// The directory with this name among `len` directories sorted by name.
fn search(len: usize, at: impl Fn(usize) -> (u32, Option<String>), name: &str) -> Option<u32> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        let (directory, found) = at(middle);
        match found?.as_str().cmp(name) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(directory),
        }
    }
    None
}

#[cfg(test)]
mod tests;
