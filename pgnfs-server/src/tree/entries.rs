//! Which games belong to which groups of a view.

use std::hash::Hash;
use std::mem::take;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::group::Group;
use super::sorting::Sorting;
use super::views::{By, View};
use chessdb::Keys;
use chessdb_library::cancel;
use chessdb_library::library::LibraryEntry;
use chessdb_library::parallel::at_once;
use chessdb_library::positions::LineEnd;

/// Number of games after which the sort checks whether it was cancelled and whether the files have changed.
const CHECK_INTERVAL: u32 = 1024;

/// Maximum number of pairs of a game and a directory, less two. Their places have 32 bits.
const MOST_ENTRIES: usize = u32::MAX as usize - 2;

/// Fewer games, or groups, are not worth another thread.
const LEAST_ITEMS: usize = 50_000;

/// Maximum number of threads. Each has a table of all groups that it met.
const MOST_THREADS: usize = 4;

/// A group of games, and the mark by which it is found again.
pub(super) struct FoundGroup {
    pub(super) group: Group,
    pub(super) mark: u64,
}

/// Which groups the games of consecutive parts belong to.
pub(super) struct Entries(Vec<EntriesPart>);

struct EntriesPart {
    /// Pairs of a game and the number of one of its groups in this part, sorted by game.
    entries: Vec<(u32, u32)>,
    /// The indices of the part's groups in the view.
    groups: Vec<u32>,
}

/// The groups of consecutive games, with their keys, and the games that belong to them.
struct PartialEntries<K> {
    groups: Vec<(K, FoundGroup)>,
    entries: Vec<(u32, u32)>,
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
            },
            View::Own(own) => Entries::collect(sorting, |game, keys, each| {
                own.each_group(game, &mut |group| each(own.key(database, keys, group), group));
            }),
        }
    }

    /// Collects the groups of all games. Groups with equal keys are one group, represented by the first.
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

    /// The games of all directories in one list, and the index at which the games of each directory begin.
    /// `leaves` contains the directory of each group. The list is made of the bytes of integers.
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

/// Consecutive games, or groups, for each of some threads.
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
) -> PartialEntries<K> {
    let database = &*entry.database;
    let most = MOST_ENTRIES / database.len().max(1).div_ceil(games.len().max(1) as u32) as usize;
    let mut groups = Vec::new();
    let mut entries = Vec::with_capacity(games.len());
    let mut places: FxHashMap<K, u32> = FxHashMap::default();
    for game in games.clone() {
        if game % CHECK_INTERVAL == 0 {
            cancel::check();
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
    PartialEntries { groups, entries }
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
