//! Sorting games into the directories of a view.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::mem::take;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::names::directory_name;
use super::views::{By, Group, Sorting, View};
use chessdb::Keys;
use chessdb_library::library::{LibraryEntry, TakenNames, numbered};
use chessdb_library::openings::code_of;
use chessdb_library::parallel::at_once;
use chessdb_library::positions::LineEnd;
use chessdb_library::task;

/// Number of games after which the sort checks whether it was cancelled and whether the files have changed.
const CHECK_INTERVAL: u32 = 1024;

/// Maximum number of pairs of a game and a directory, less two. Their places have 32 bits.
const MOST_ENTRIES: usize = u32::MAX as usize - 2;

/// Fewer games, or groups, are not worth another thread.
const LEAST_ITEMS: usize = 50_000;

/// Maximum number of threads. More would take too much memory, because each has a table of all groups that it met.
const MOST_THREADS: usize = 4;

/// A group of games, and the mark that restores it.
pub(super) struct FoundGroup {
    pub(super) group: Group,
    pub(super) mark: u64,
}

/// Which groups the games of consecutive parts belong to. The groups of a part are indices in the view.
pub(super) struct Entries(Vec<EntriesPart<u32>>);

/// Which groups consecutive games belong to.
struct EntriesPart<G> {
    /// Pairs of a game and the place of one of its groups in `groups`, sorted by game.
    entries: Vec<(u32, u32)>,
    groups: Vec<G>,
}

impl Entries {
    /// The groups of a view, in the order of their first games, and the games that belong to them.
    pub(super) fn find(sorting: &Sorting) -> (Vec<FoundGroup>, Entries) {
        let (view, entry) = (&sorting.view, &*sorting.entry);
        let database = &*entry.database;
        match view {
            View::BuiltIn(built_in) => match built_in.by {
                By::Keys(groups) => Entries::collect(sorting, |_, keys, each| {
                    groups(keys, &mut |group| each(group, group));
                }),
                By::LastMaterial => {
                    let known = sorting.line_ends.of(database, sorting.threads);
                    Entries::collect(sorting, |game, _, each| {
                        let known = known.and_then(|known| known.get(game as usize));
                        let end = known.copied().unwrap_or_else(|| LineEnd::of(database, game));
                        each(Group(end.material), Group(end.material));
                    })
                }
                By::OpeningCode => Entries::collect(sorting, |game, _, each| {
                    let group = Group::of_eco(code_of(database, game));
                    each(group, group);
                }),
            },
            View::Own(own) => Entries::collect(sorting, |game, keys, each| {
                own.each_group(game, &mut |group| each(own.key(database, keys, group), group));
            }),
        }
    }

    /// Collects the groups of all games. Groups with the same key become one group, represented by the first.
    fn collect<K, F>(sorting: &Sorting, groups_of: F) -> (Vec<FoundGroup>, Entries)
    where
        K: Eq + Hash + Clone + Send,
        F: Fn(u32, &Keys, &mut dyn FnMut(K, Group)) + Sync,
    {
        let (view, entry) = (&sorting.view, &*sorting.entry);
        let parts = at_once(ranges(entry.database.len(), sorting.threads), |games| {
            collect_part(view, entry, games, &groups_of)
        });
        let mut groups = Vec::new();
        let mut places: FxHashMap<K, u32> = FxHashMap::default();
        let parts = parts.into_iter().map(|part| {
            let place_of = |(key, found)| {
                *places.entry(key).or_insert_with(|| {
                    groups.push(found);
                    groups.len() as u32 - 1
                })
            };
            EntriesPart {
                entries: part.entries,
                groups: part.groups.into_iter().map(place_of).collect(),
            }
        });
        let entries = Entries(parts.collect());
        (groups, entries)
    }

    /// The games of all directories in one list, as the bytes of integers, and the index where the games of each
    /// directory begin. `leaves` has the directory of each group.
    pub(super) fn by_directory(self, leaves: &[u32], directories: usize) -> (Vec<u32>, Vec<u8>) {
        let threads = self.0.len();
        let parts = at_once(self.0, |part| {
            let EntriesPart { mut entries, groups } = part;
            let directory_of: Vec<u32> = groups.iter().map(|&group| leaves[group as usize]).collect();
            for (_, place) in &mut entries {
                *place = directory_of[*place as usize];
            }
            entries
        });
        let range = |n: usize| n * directories / threads..(n + 1) * directories / threads;
        let ranges: Vec<Range<usize>> = (0..threads).map(range).collect();
        let counts = at_once(ranges.clone(), |range| count(&parts, range)).concat();
        let starts = running_sums(&counts, 0);
        let mut games = vec![[0; 4]; starts.last().map_or(0, |&len| len as usize)];
        let (mut shares, mut rest) = (Vec::new(), games.as_mut_slice());
        for range in ranges {
            let len = starts[range.end] - starts[range.start];
            let (share, others) = take(&mut rest).split_at_mut(len as usize);
            shares.push((range, share));
            rest = others;
        }
        at_once(shares, |(range, share)| fill(&parts, range, &starts, share));
        (starts, games.into_flattened())
    }
}

/// Consecutive games, or groups, for each of several threads.
pub(super) fn ranges(items: u32, threads: usize) -> Vec<Range<u32>> {
    let threads = threads.min(MOST_THREADS).min(items as usize / LEAST_ITEMS).max(1) as u32;
    let each = items.div_ceil(threads);
    (0..threads)
        .map(|n| (n * each).min(items)..(n * each).saturating_add(each).min(items))
        .collect()
}

fn collect_part<K: Eq + Hash + Clone>(
    view: &View,
    entry: &LibraryEntry,
    games: Range<u32>,
    groups_of: impl Fn(u32, &Keys, &mut dyn FnMut(K, Group)),
) -> EntriesPart<(K, FoundGroup)> {
    let database = &*entry.database;
    let most = MOST_ENTRIES / database.len().max(1).div_ceil(games.len().max(1) as u32) as usize;
    let mut groups = Vec::new();
    let mut entries = Vec::with_capacity(games.len());
    let mut places: FxHashMap<K, u32> = FxHashMap::default();
    for game in games.clone() {
        if game % CHECK_INTERVAL == 0 {
            task::check();
            if entry.is_lost() {
                break;
            }
        }
        let keys = database.keys(game);
        if keys.deleted {
            continue;
        }
        let mut nth = 0;
        if entries.len() >= most {
            let (name, view) = (entry.name(), view.name());
            let first = u64::from(game) + 1;
            log::error!(
                "{name}: {view}/ is full: games {first} to {} are left out",
                games.end
            );
            break;
        }
        groups_of(game, &keys, &mut |key, group| {
            let place = *places.entry(key).or_insert_with_key(|key| {
                let mark = view.mark(game, nth, group);
                groups.push((key.clone(), FoundGroup { group, mark }));
                groups.len() as u32 - 1
            });
            entries.push((game, place));
            nth += 1;
        });
    }
    EntriesPart { entries, groups }
}

/// How many games each directory of a range has. The parts contain pairs of a game and a directory, sorted by game.
fn count(parts: &[Vec<(u32, u32)>], range: Range<usize>) -> Vec<u32> {
    let mut counts = vec![0; range.len()];
    each_game(parts, range, |place, _| counts[place] += 1);
    counts
}

/// Writes the games of a range of directories one after another.
fn fill(parts: &[Vec<(u32, u32)>], range: Range<usize>, starts: &[u32], games: &mut [[u8; 4]]) {
    let first = starts[range.start];
    let mut ends: Vec<u32> = starts[range.clone()].iter().map(|start| start - first).collect();
    each_game(parts, range, |place, game| {
        games[ends[place] as usize] = game.to_le_bytes();
        ends[place] += 1;
    });
}

/// Calls `each` with the games of a range of directories, and the place of the directory in the range.
fn each_game(parts: &[Vec<(u32, u32)>], range: Range<usize>, mut each: impl FnMut(usize, u32)) {
    // Two groups of a game may have the same directory, which lists the game once.
    let mut last = vec![u32::MAX; range.len()];
    for &(game, directory) in parts.iter().flatten() {
        let place = (directory as usize).wrapping_sub(range.start);
        if let Some(last) = last.get_mut(place).filter(|last| **last != game) {
            *last = game;
            each(place, game);
        }
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

/// The directories of a view, numbered level by level, and by name below each parent.
pub(super) struct Plan {
    /// Number 0 is the view's own directory.
    pub(super) directories: Vec<Planned>,
    /// The directory of each group.
    pub(super) leaves: Vec<u32>,
    pub(super) names: DirectoryNames,
}

/// The names of directories, one after another.
#[derive(Default)]
pub(super) struct DirectoryNames {
    pub(super) bytes: Vec<u8>,
    /// Where the name of each directory begins in `bytes`, and where the last one ends. Names at offsets above 32 bits
    /// are missing.
    pub(super) starts: Vec<u32>,
}

impl DirectoryNames {
    /// The view's own directory has no name.
    fn new() -> DirectoryNames {
        DirectoryNames {
            bytes: Vec::new(),
            starts: vec![0, 0],
        }
    }

    fn push(&mut self, name: &str) {
        let end = u32::try_from(self.bytes.len() + name.len());
        if end.is_ok() {
            self.bytes.extend(name.as_bytes());
        }
        let last = self.starts.last().copied().unwrap_or(0);
        self.starts.push(end.unwrap_or(last));
    }
}

/// A planned directory.
#[derive(Clone, Copy)]
pub(super) struct Planned {
    pub(super) parent: u32,
    /// The index of the first group in it or below it.
    pub(super) group: u32,
    /// The number that makes its name unique; see [`numbered`].
    pub(super) ordinal: u32,
}

impl Plan {
    /// Plans the directories of `groups` groups, which are in the order of their first games. `text` returns
    /// the text of a group's directory at a depth.
    pub(super) fn new(
        groups: u32,
        threads: usize,
        text: impl Fn(u32, usize) -> Option<String> + Sync,
    ) -> Plan {
        let own = Planned {
            parent: 0,
            group: 0,
            ordinal: 1,
        };
        let mut plan = Plan {
            directories: vec![own],
            leaves: vec![0; groups as usize],
            names: DirectoryNames::new(),
        };
        for depth in 0.. {
            let label = |group| {
                let text = text(group, depth)?;
                Some(Label {
                    parent: plan.leaves[group as usize],
                    first_bytes: first_bytes(&text),
                    text,
                    group,
                })
            };
            let labels = at_once(ranges(groups, threads), |groups| {
                let mut labels: Vec<Label> = groups.filter_map(label).collect();
                labels.sort_unstable();
                labels
            });
            let labels = merged(labels);
            if labels.is_empty() {
                break;
            }
            plan.add_level(labels);
        }
        plan
    }

    /// Adds the directories of sorted labels.
    fn add_level(&mut self, labels: Vec<Label>) {
        for named in named(&labels) {
            let number = self.directories.len() as u32;
            let equal = &labels[named.labels];
            for label in equal {
                self.leaves[label.group as usize] = number;
            }
            self.names.push(&named.name);
            self.directories.push(Planned {
                parent: named.parent,
                group: equal[0].group,
                ordinal: named.ordinal,
            });
        }
    }
}

/// The text of a group at one depth. Sorting puts the same texts with the same parent next to each other, the first
/// group first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    parent: u32,
    /// The first bytes of `text`, which decide most comparisons.
    first_bytes: u64,
    text: String,
    group: u32,
}

/// The labels of sorted parts, sorted.
fn merged(parts: Vec<Vec<Label>>) -> Vec<Label> {
    let len = parts.iter().map(Vec::len).sum::<usize>();
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    if all.len() < len {
        all.reserve_exact(len - all.len());
        parts.for_each(|part| all.extend(part));
        // A stable sort finds the sorted parts, and merges them.
        all.sort();
    }
    all
}

/// A directory for a run of the same labels.
struct Named<'a> {
    parent: u32,
    name: Cow<'a, str>,
    ordinal: u32,
    labels: Range<usize>,
}

/// The directories of a level, sorted by parent and name.
fn named<'a>(labels: &'a [Label]) -> Vec<Named<'a>> {
    let mut start = 0;
    let equal = labels.chunk_by(|a, b| a.parent == b.parent && a.text == b.text);
    let mut all: Vec<Named<'a>> = equal
        .map(|equal| {
            let end = start + equal.len();
            let labels = std::mem::replace(&mut start, end)..end;
            Named {
                parent: equal[0].parent,
                name: directory_name(&equal[0].text),
                ordinal: 1,
                labels,
            }
        })
        .collect();
    // Names can only collide if at least one of them is not the same as its text, because the texts differ.
    let changed = |named: &&Named<'a>| *named.name != *labels[named.labels.start].text;
    let changed: HashSet<(u32, &str)> = all
        .iter()
        .filter(changed)
        .map(|named| (named.parent, &*named.name))
        .collect();
    if changed.is_empty() {
        return all;
    }
    let may_meet = |named: &Named<'a>| stems(&named.name).any(|stem| changed.contains(&(named.parent, stem)));
    let mut meeting: Vec<usize> = (0..all.len()).filter(|&n| may_meet(&all[n])).collect();
    drop(changed);
    meeting.sort_by_key(|&n| labels[all[n].labels.start].group);
    let mut taken: HashMap<u32, TakenNames> = HashMap::new();
    for n in meeting {
        let named = &mut all[n];
        named.ordinal = taken.entry(named.parent).or_default().take(&named.name);
        if named.ordinal > 1 {
            named.name = Cow::Owned(numbered(&named.name, named.ordinal).into_owned());
        }
    }
    all.sort_by(|a, b| (a.parent, &a.name).cmp(&(b.parent, &b.name)));
    all
}

/// A name, and the name without ` (2)` or the like at its end, repeatedly.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| {
        let (stem, number) = name.strip_suffix(')')?.rsplit_once(" (")?;
        number.bytes().all(|c| c.is_ascii_digit()).then_some(stem)
    })
}

/// The first eight bytes of a text as a number, in the same order.
fn first_bytes(text: &str) -> u64 {
    let mut bytes = [0; 8];
    for (byte, &c) in bytes.iter_mut().zip(text.as_bytes()) {
        *byte = c;
    }
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label(parent: u32, text: &str, group: u32) -> Label {
        Label {
            parent,
            first_bytes: first_bytes(text),
            text: text.to_owned(),
            group,
        }
    }

    proptest! {
        #[test]
        fn names_are_the_same_as_when_taken_one_by_one(
            texts in proptest::collection::vec((0u32..2, "[a/_]{1,2}( \\([1-4]\\)){0,2}"), 0..40)
        ) {
            let labels = (0..).zip(&texts).map(|(group, (parent, text))| label(*parent, text, group));
            let labels: Vec<Label> = labels.collect();
            let parts = labels.into_iter().fold(vec![Vec::new(); 3], |mut parts, label| {
                parts[label.group as usize * 3 / texts.len()].push(label);
                parts
            });
            let sorted = parts.into_iter().map(|mut part| {
                part.sort_unstable();
                part
            });
            let labels = merged(sorted.collect());
            let mut given: Vec<(u32, u32, String)> = named(&labels)
                .into_iter()
                .map(|named| (labels[named.labels.start].group, named.parent, named.name.into_owned()))
                .collect();
            prop_assert!(given.is_sorted_by_key(|(_, parent, name)| (*parent, name.clone())));
            given.sort_unstable();
            let mut taken = [TakenNames::default(), TakenNames::default()];
            let mut seen = HashSet::new();
            let expected: Vec<(u32, u32, String)> = (0..)
                .zip(&texts)
                .filter(|(_, text)| seen.insert(*text))
                .map(|(group, (parent, text))| {
                    (group, *parent, taken[*parent as usize].take_name(&directory_name(text)))
                })
                .collect();
            prop_assert_eq!(given, expected);
        }
    }
}
