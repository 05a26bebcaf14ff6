//! Which games belong to which groups of a view.

use std::hash::Hash;
use std::thread::available_parallelism;

use rustc_hash::FxHashMap;

use super::views::{By, Group, View};
use crate::library::LibraryEntry;
use crate::positions::last_material;
use chessdb::formats::Keys;

/// Number of games after which the sort checks whether the files have changed.
const CHECK_INTERVAL: u32 = 1024;

/// Maximum number of pairs of a game and a directory, less two. Their places have 32 bits.
const MOST_ENTRIES: usize = u32::MAX as usize - 2;

/// A group of games, and the mark by which it is found again.
pub(super) struct FoundGroup {
    pub(super) group: Group,
    pub(super) mark: u64,
}

/// The groups of a view and the games that belong to them.
pub(super) struct Entries {
    /// Groups in the order of their first games.
    pub(super) groups: Vec<FoundGroup>,
    /// Pairs of a game and the index of one of its groups, sorted by game.
    entries: Vec<(u32, u32)>,
}

impl Entries {
    pub(super) fn new(view: &View, entry: &LibraryEntry) -> Entries {
        let database = &*entry.database;
        match view {
            View::BuiltIn(built_in) => match built_in.by {
                By::Keys(groups) => Entries::collect(view, entry, |_, keys, each| {
                    groups(keys, &mut |group| each(group, group));
                }),
                By::LastMaterial => {
                    let threads = available_parallelism().map_or(1, usize::from);
                    let material = last_material(database, threads);
                    Entries::collect(view, entry, |game, _, each| {
                        let counts = material.get(game as usize).map_or(0, |counts| counts.0);
                        each(Group(counts), Group(counts));
                    })
                }
            },
            View::Own(own) => Entries::collect(view, entry, |game, keys, each| {
                own.each_group(game, &mut |group| each(own.key(database, keys, group), group));
            }),
        }
    }

    /// Collects the groups of all games. Groups with equal keys are one group, represented by the first.
    fn collect<K, F>(view: &View, entry: &LibraryEntry, groups_of: F) -> Entries
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
            let mut nth = 0;
            if entries.len() >= MOST_ENTRIES {
                log::error!(
                    "{}: a view has no place for games after number {game}",
                    entry.name()
                );
                break;
            }
            groups_of(game, &keys, &mut |key, group| {
                let place = *places.entry(key).or_insert_with(|| {
                    let mark = view.mark(game, nth, group);
                    groups.push(FoundGroup { group, mark });
                    groups.len() as u32 - 1
                });
                entries.push((game, place));
                nth += 1;
            });
        }
        Entries { groups, entries }
    }

    /// The games of all directories in one list, and the index at which the games of each directory begin.
    /// `leaves` contains the directory of each group. The list is made of the bytes of integers.
    pub(super) fn by_directory(&self, leaves: &[u32], directories: usize) -> (Vec<u32>, Vec<u8>) {
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
        let mut games = vec![[0; 4]; starts.last().map_or(0, |&len| len as usize)];
        for (game, directory) in places() {
            let (end, game) = (ends[directory], game.to_le_bytes());
            if end == starts[directory] || games[end as usize - 1] != game {
                games[end as usize] = game;
                ends[directory] += 1;
            }
        }
        (starts, games.into_flattened())
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
