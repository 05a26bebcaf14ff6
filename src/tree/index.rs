//! The directories of one view of one database, with their games: a few integers a directory and one a game.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::names::directory_name;
use super::plan::Plan;
use super::views::{Group, View};
use crate::library::{LibraryEntry, numbered};
use chessdb::formats::{Database, Keys};

/// So many games apart somebody looks whether the files are lost.
const LOOK: u32 = 1024;

/// The directories of a view. They are numbered level by level, and by name among those of one parent; 0 is the
/// view's own. Names are computed from the databases's texts.
pub struct ViewIndex {
    view: View,
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
    /// The directories that hold games, by name; only where their merged files stand in one directory and their numbers
    /// are in another order.
    by_name: Option<Vec<u32>>,
}

impl ViewIndex {
    /// Sorts the games of a database. Of one whose files are lost meanwhile it has some.
    pub fn new(view: View, entry: &LibraryEntry) -> ViewIndex {
        let database = &*entry.database;
        let entries = Entries::new(&view, entry);
        let Plan { directories, leaves } = Plan::new(&view, database, &entries.groups);
        let (starts, games) = entries.by_directory(&leaves, directories.len());
        let mut children = vec![0; directories.len()];
        for planned in directories.iter().skip(1) {
            children[planned.parent as usize] += 1;
        }
        let ordinals = (0..).zip(&directories).filter(|(_, planned)| planned.ordinal > 1);
        let mut index = ViewIndex {
            view,
            groups: directories.iter().map(|planned| planned.group).collect(),
            parents: directories.iter().map(|planned| planned.parent).collect(),
            children: running_sums(&children, 1),
            ordinals: ordinals
                .map(|(number, planned)| (number, planned.ordinal))
                .collect(),
            starts,
            games,
            by_name: None,
        };
        let is_deep = directories.iter().any(|planned| planned.parent != 0);
        if is_deep && !index.view.nests_merged() {
            let mut by_name: Vec<u32> = (0..index.len()).filter(|&n| !index.games(n).is_empty()).collect();
            by_name.sort_by_cached_key(|&n| index.name(database, n));
            index.by_name = Some(by_name);
        }
        index
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
        let text = self.view.text(database, group, depth)?;
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

    /// True where merged files stand in directories.
    pub fn nests_merged(&self) -> bool {
        self.view.nests_merged()
    }

    /// Number of entries of a directory of merged files; 0 is the view's own.
    pub fn merged_len(&self, directory: u32) -> usize {
        match &self.by_name {
            Some(by_name) => by_name.len(),
            None => self.children(directory).len(),
        }
    }

    /// The directory of the nth entry of a directory of merged files, in the order of names.
    pub fn merged_at(&self, directory: u32, n: usize) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => by_name.get(n).copied(),
            None => self.children(directory).nth(n),
        }
    }

    /// The directory for which an entry of a directory of merged files stands, by its name without `.pgn`.
    pub fn merged_child(&self, database: &dyn Database, directory: u32, name: &str) -> Option<u32> {
        match &self.by_name {
            Some(by_name) => search(
                by_name.len(),
                |n| {
                    let directory = by_name.get(n).copied().unwrap_or(0);
                    (directory, self.name(database, directory))
                },
                name,
            ),
            None => self.child(database, directory, name),
        }
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
    fn new(view: &View, entry: &LibraryEntry) -> Entries {
        let database = &*entry.database;
        match view {
            View::BuiltIn(view) => Entries::collect(entry, |_, keys, each| {
                (view.groups)(keys, &mut |group| each(group, group));
            }),
            View::Own(view) => Entries::collect(entry, |game, keys, each| {
                view.each_group(game, &mut |group| each(view.key(database, keys, group), group));
            }),
        }
    }

    /// Groups all games by what stands before each of their groups.
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
            if game % LOOK == 0 && entry.is_lost() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use super::super::views::BuiltInView;
    use chessdb::formats::{Decoded, Format, Info, NotADatabase, TextId};
    use chessdb::game::{Date, Game, Outcome, Tags};

    /// Games that differ in their years: 0, 1, 2 and so on.
    struct Years(u16);

    impl Database for Years {
        fn len(&self) -> u32 {
            self.0.into()
        }

        fn keys(&self, game: u32) -> Keys {
            Keys {
                white: TextId(0),
                black: TextId(0),
                event: TextId(0),
                date: Date::new(game as u16, 0, 0),
                event_year: 0,
                eco: None,
                outcome: Outcome::Unknown,
                deleted: false,
            }
        }

        fn text(&self, _: TextId) -> String {
            String::new()
        }

        fn tags(&self, _: u32) -> Tags {
            Tags::default()
        }

        fn game(&self, _: u32) -> Decoded {
            let (game, problems) = (Game::default(), Vec::new());
            Decoded { game, problems }
        }

        fn info(&self) -> Info {
            Info::default()
        }
    }

    static FORMAT: Format = Format {
        name: "years",
        title: "Years",
        find: |_| Vec::new(),
        by_content: None,
        readings: Vec::new,
        open: |_, _| Err(NotADatabase(String::new())),
    };

    /// A game is in a directory for each number up to its year. Those of even numbers are in the one of number 0.
    static UP_TO: BuiltInView = BuiltInView {
        name: "up to",
        groups: |keys, each| (0..=keys.date.year).for_each(|year| each(Group(year.into()))),
        text: |_, Group(number), depth| match (depth, number % 2) {
            (0, 1) => Some(format!("odd {number}")),
            (0, _) => Some("even".to_owned()),
            (1, 0) if number > 0 => Some(format!("even {number}")),
            _ => None,
        },
    };

    #[test]
    fn a_game_has_any_number_of_groups_and_stands_beside_directories() {
        let entry = LibraryEntry {
            path: String::new(),
            format: &FORMAT,
            database: Arc::new(Years(5)),
            files: Vec::new(),
            maps: Vec::new(),
            found: None,
            is_local: true,
        };
        let database = &*entry.database;
        let view = View::BuiltIn(&UP_TO);
        let index = ViewIndex::new(view.clone(), &entry);
        let listed = |directory| {
            let name = |child| (index.name(database, child).unwrap(), index.games(child));
            index.children(directory).map(name).collect::<Vec<_>>()
        };
        let top = [
            ("even".to_owned(), &[0, 1, 2, 3, 4][..]),
            ("odd 1".to_owned(), &[1, 2, 3, 4]),
            ("odd 3".to_owned(), &[3, 4]),
        ];
        assert_eq!(listed(0), top);
        let even = index.child(database, 0, "even").unwrap();
        let below = [("even 2".to_owned(), &[2, 3, 4][..]), ("even 4".to_owned(), &[4])];
        assert_eq!(listed(even), below);
        assert_eq!(index.merged_len(0), 5);
        let directories = |game| view.directories(database, game, &database.keys(game));
        assert_eq!([0, 1, 4].map(directories), [1, 2, 5]);
    }
}
