//! Which directories a view has: one for each text, with unique names.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::entries::ranges;
use super::names::directory_name;
use chessdb_library::library::{TakenNames, numbered};
use chessdb_library::parallel::at_once;

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
    /// Where the name of each directory begins in `bytes`, and where the last one ends. A name for which 32 bits do
    /// not suffice is missing.
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

/// The text of a group at one depth. After sorting, equal texts with the same parent are adjacent, the first
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

/// A directory for a run of equal labels.
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
    // Names can only collide if at least one of them differs from its text, because the texts differ.
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
