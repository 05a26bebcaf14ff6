//! The directories of one view of one database, with their games: a few integers a directory and one a game.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::names::directory_name;
use super::views::{Group, View};
use crate::formats::Database;
use crate::library::{TakenNames, numbered};

/// The directories of a view. They are numbered level by level, and by name among those of one parent; 0 is the
/// view's own. Names are computed from the databases's texts.
pub struct ViewIndex {
    view: &'static View,
    /// For each directory a group that is in it or below it.
    groups: Vec<Group>,
    parents: Vec<u32>,
    /// Number of each directory's first child; the next one's first child ends them.
    children: Vec<u32>,
    /// Where the games of each directory begin; the next one's beginning ends them.
    starts: Vec<u32>,
    games: Vec<u32>,
    /// Directories whose name has a number behind it.
    ordinals: HashMap<u32, u32>,
    /// The directories that hold games in the order of their names, where that is not the order of their numbers.
    by_name: Option<Vec<u32>>,
}

impl ViewIndex {
    /// Sorts the games of a database.
    pub fn new(view: &'static View, database: &dyn Database) -> ViewIndex {
        let entries = Entries::new(view, database);
        let plan = Plan::new(view, database, &entries.groups);
        let (order, names) = plan.in_order();
        let mut place = vec![0; order.len()];
        for (number, &planned) in (0..).zip(&order) {
            place[planned as usize] = number;
        }
        let planned = || order.iter().map(|&planned| &plan.directories[planned as usize]);
        let parents: Vec<u32> = planned()
            .map(|directory| place[directory.parent as usize])
            .collect();
        let mut children = vec![0; order.len()];
        for &parent in parents.iter().skip(1) {
            children[parent as usize] += 1;
        }
        let ordinals = (0..)
            .zip(planned())
            .filter(|(_, directory)| directory.ordinal > 1);
        let leaves: Vec<u32> = plan.leaves.iter().map(|&leaf| place[leaf as usize]).collect();
        let (starts, games) = entries.by_directory(&leaves, order.len());
        let is_flat = parents.iter().all(|&parent| parent == 0);
        let by_name = (!is_flat).then(|| {
            let holds_games = |&n: &u32| starts[n as usize] < starts[n as usize + 1];
            let mut by_name: Vec<u32> = (1..order.len() as u32).filter(holds_games).collect();
            by_name.sort_by_key(|&n| &names[order[n as usize] as usize]);
            by_name
        });
        ViewIndex {
            view,
            groups: planned().map(|directory| directory.group).collect(),
            children: running_sums(&children, 1),
            ordinals: ordinals
                .map(|(number, directory)| (number, directory.ordinal))
                .collect(),
            parents,
            starts,
            games,
            by_name,
        }
    }

    /// Number of directories with the view's own.
    pub fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The directory that holds a directory; the view's own holds itself.
    pub fn parent(&self, directory: u32) -> u32 {
        self.parents.get(directory as usize).copied().unwrap_or(0)
    }

    /// The directories in a directory, sorted by name.
    pub fn children(&self, directory: u32) -> Range<u32> {
        bounds(&self.children, directory)
    }

    /// The games in a directory, in database order.
    pub fn games(&self, directory: u32) -> &[u32] {
        let Range { start, end } = bounds(&self.starts, directory);
        self.games.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The name of a directory; none for the view's own.
    pub fn name(&self, database: &dyn Database, directory: u32) -> Option<String> {
        let mut depth = 0;
        let mut above = self.parent(directory);
        while above != 0 {
            above = self.parent(above);
            depth += 1;
        }
        let group = *self.groups.get(directory as usize)?;
        let text = (self.view.text)(database, group, depth)?;
        let ordinal = self.ordinals.get(&directory).copied().unwrap_or(1);
        Some(numbered(&directory_name(&text), ordinal).into_owned())
    }

    /// The directory of a name in a directory.
    pub fn child(&self, database: &dyn Database, directory: u32, name: &str) -> Option<u32> {
        let children = self.children(directory);
        search(
            children.len(),
            |n| {
                let child = children.start + n as u32;
                (child, self.name(database, child))
            },
            name,
        )
    }

    /// Number of merged files.
    pub fn merged_len(&self) -> usize {
        match &self.by_name {
            Some(by_name) => by_name.len(),
            None => self.parents.len() - 1,
        }
    }

    /// The directory of the nth merged file in the order of their names.
    pub fn merged_at(&self, n: usize) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => by_name.get(n).copied(),
            None => u32::try_from(n + 1)
                .ok()
                .filter(|&directory| directory < self.len()),
        }
    }

    /// The directory whose merged file has a name, without `.pgn`.
    pub fn merged_child(&self, database: &dyn Database, name: &str) -> Option<u32> {
        search(
            self.merged_len(),
            |n| {
                let directory = self.merged_at(n).unwrap_or(0);
                (directory, self.name(database, directory))
            },
            name,
        )
    }
}

/// The groups of a view and which games belong to them.
struct Entries {
    /// Groups in the order of their first games.
    groups: Vec<Group>,
    /// A game and the place of one of its groups, in the order of games.
    entries: Vec<(u32, u32)>,
}

impl Entries {
    fn new(view: &View, database: &dyn Database) -> Entries {
        let mut groups = Vec::new();
        let mut entries = Vec::with_capacity(database.len() as usize);
        let mut places: HashMap<Group, u32> = HashMap::new();
        for game in 0..database.len() {
            let keys = database.keys(game);
            if keys.deleted {
                continue;
            }
            for group in (view.groups)(&keys).into_iter().flatten() {
                let place = *places.entry(group).or_insert_with(|| {
                    groups.push(group);
                    groups.len() as u32 - 1
                });
                entries.push((game, place));
            }
        }
        Entries { groups, entries }
    }

    /// The games of each directory, one list behind the other, and where each begins. `leaves` has the
    /// directory of each group.
    fn by_directory(&self, leaves: &[u32], directories: usize) -> (Vec<u32>, Vec<u32>) {
        let places = || {
            self.entries
                .iter()
                .map(|&(game, group)| (game, leaves[group as usize] as usize))
        };
        // Two groups of a game may be one directory: it stands there once.
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

/// The directories of a view in the order of their first games; 0 is the view's own.
struct Plan {
    directories: Vec<Planned>,
    by_text: HashMap<(u32, String), u32>,
    /// The directory of each group.
    leaves: Vec<u32>,
}

struct Planned {
    parent: u32,
    group: Group,
    depth: usize,
    ordinal: u32,
}

impl Plan {
    fn new(view: &View, database: &dyn Database, groups: &[Group]) -> Plan {
        let mut directories = vec![Planned {
            parent: 0,
            group: Group(0),
            depth: 0,
            ordinal: 1,
        }];
        let mut by_text = HashMap::with_capacity(groups.len());
        let mut names: HashMap<u32, TakenNames> = HashMap::new();
        let mut leaves = Vec::with_capacity(groups.len());
        for &group in groups {
            let mut directory = 0;
            for depth in 0.. {
                let Some(text) = (view.text)(database, group, depth) else {
                    break;
                };
                directory = match by_text.entry((directory, text.into_owned())) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let number = directories.len() as u32;
                        let name = directory_name(&new.key().1);
                        directories.push(Planned {
                            parent: directory,
                            group,
                            depth: depth + 1,
                            ordinal: names.entry(directory).or_default().take(&name),
                        });
                        *new.insert(number)
                    }
                };
            }
            leaves.push(directory);
        }
        Plan {
            directories,
            by_text,
            leaves,
        }
    }

    /// The directories level by level, sorted by parent and name, and the name of each planned directory.
    fn in_order(&self) -> (Vec<u32>, Vec<String>) {
        let mut names = vec![String::new(); self.directories.len()];
        for ((_, text), &number) in &self.by_text {
            let ordinal = self.directories[number as usize].ordinal;
            names[number as usize] = numbered(&directory_name(text), ordinal).into_owned();
        }
        let deepest = self.directories.iter().map(|planned| planned.depth).max();
        let mut order = vec![0];
        let mut place = vec![0; names.len()];
        for depth in 1..=deepest.unwrap_or(0) {
            let level = (0..)
                .zip(&self.directories)
                .filter(|(_, planned)| planned.depth == depth);
            // The first bytes of a name as a number spare most comparisons of texts.
            let mut level: Vec<(u32, u64, &str, u32)> = level
                .map(|(number, planned): (u32, &Planned)| {
                    let name = names[number as usize].as_str();
                    (place[planned.parent as usize], first_bytes(name), name, number)
                })
                .collect();
            level.sort_unstable();
            for (.., number) in level {
                place[number as usize] = order.len() as u32;
                order.push(number);
            }
        }
        (order, names)
    }
}

/// `first`, then the sums of everything up to each count.
fn running_sums(counts: &[u32], first: u32) -> Vec<u32> {
    let mut sum = first;
    let sums = counts.iter().map(|count| {
        sum += count;
        sum
    });
    std::iter::once(first).chain(sums).collect()
}

fn bounds(starts: &[u32], n: u32) -> Range<u32> {
    let n = n as usize;
    match (starts.get(n), starts.get(n + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}

fn first_bytes(name: &str) -> u64 {
    let mut bytes = [0; 8];
    for (byte, &c) in bytes.iter_mut().zip(name.as_bytes()) {
        *byte = c;
    }
    u64::from_be_bytes(bytes)
}

/// The directory of a name among `len` that are sorted by name.
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
