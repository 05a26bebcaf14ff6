//! Collections, the program's folders (section 11).

use std::collections::HashMap;

use super::columns::{COLLECTION, Column, IO_COLLECTION, OLD_COLLECTION};
use super::myisam::Table;
use super::text::TextDecoder;
use crate::database::Folder;
use crate::files::Files;
use crate::problem::Problem;

/// Number of the collection with deleted games.
const TRASH: i32 = 3;
/// Maximum length of a chain of parents (section 11.3).
const DEEPEST: usize = 64;

const SYSTEM_NAMES: [(&str, &str); 5] = [
    ("collection.clipboard", "Clipboard"),
    ("collection.autosave", "Auto Save"),
    ("collection.trash", "Trash"),
    ("collection.downloads", "Downloads"),
    ("collection.intray", "Inbox"),
];

/// The collections of a database.
#[derive(Default)]
pub(super) struct Collections {
    /// Sorted by number, without duplicates.
    rows: Vec<Collection>,
}

struct Collection {
    id: i32,
    parent: Option<i32>,
    name: String,
    is_trash: bool,
}

/// A game's place in its collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shelf {
    /// Number of the collection; `None` for a game in no collection.
    pub(super) collection: Option<i32>,
    /// Place among the games of the collection; not necessarily unique.
    pub(super) index: i32,
}

impl Collections {
    /// Reads the table. Without it, collections have numbers but no names.
    pub(super) fn open(
        files: &Files,
        table: &str,
        texts: TextDecoder,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Collections {
        let mut collections = Collections::default();
        let known = [&COLLECTION, &OLD_COLLECTION, &IO_COLLECTION];
        let lost = "collections have no names";
        let Some(table) = Table::open(files, table, &known, lost, warnings, problems) else {
            return collections;
        };
        let rows = &mut collections.rows;
        problems.extend(table.walk(|row| {
            let Some(id) = row.int(Column::Id) else { return };
            let name = row.bytes(Column::Name).unwrap_or_default();
            rows.push(Collection {
                id,
                parent: row.int(Column::PId),
                name: name_of(&texts.line(name, row.charset(Column::Name)), id),
                is_trash: false,
            });
        }));
        rows.sort_by_key(|row| row.id);
        rows.dedup_by_key(|row| row.id);
        collections.find_roots();
        collections.find_trash();
        collections
    }

    fn place(&self, id: i32) -> Option<usize> {
        self.rows.binary_search_by_key(&id, |row| row.id).ok()
    }

    fn parent_of(&self, place: usize) -> Option<usize> {
        let parent = self.rows.get(place)?.parent.filter(|&parent| parent != 0)?;
        self.place(parent)
    }

    /// Cuts chains of parents that end at a missing collection or form a loop (sections 11.1, 11.3).
    fn find_roots(&mut self) {
        let parents: Vec<Option<i32>> = (0..self.rows.len())
            .map(|place| {
                let mut chain = vec![place];
                let mut above = self.parent_of(place);
                while let Some(parent) = above {
                    if chain.contains(&parent) || chain.len() > DEEPEST {
                        return None;
                    }
                    chain.push(parent);
                    above = self.parent_of(parent);
                }
                let parent = self.parent_of(place)?;
                self.rows.get(parent).map(|row| row.id)
            })
            .collect();
        for (row, parent) in self.rows.iter_mut().zip(parents) {
            row.parent = parent;
        }
    }

    /// Marks the trash and everything below it (section 11.4).
    fn find_trash(&mut self) {
        let trashed: Vec<bool> = (0..self.rows.len())
            .map(|place| {
                let chain = std::iter::successors(Some(place), |&place| self.parent_of(place));
                let mut ids = chain.filter_map(|place| self.rows.get(place)).map(|row| row.id);
                ids.any(|id| id == TRASH)
            })
            .collect();
        for (row, is_trash) in self.rows.iter_mut().zip(trashed) {
            row.is_trash = is_trash;
        }
    }

    /// True for the trash and everything below it.
    pub(super) fn is_trash(&self, collection: i32) -> bool {
        match self.place(collection).and_then(|place| self.rows.get(place)) {
            Some(row) => row.is_trash,
            None => collection == TRASH,
        }
    }

    /// All folders with their games. `shelves` contains the place of every game, in database order.
    pub(super) fn folders(&self, shelves: &[Shelf]) -> Vec<Folder> {
        let mut games: HashMap<Option<i32>, Vec<(i32, u32)>> = HashMap::new();
        for (number, shelf) in (0..).zip(shelves) {
            games
                .entry(shelf.collection)
                .or_default()
                .push((shelf.index, number));
        }
        let mut games_of = |collection: Option<i32>| {
            let mut games = games.remove(&collection).unwrap_or_default();
            games.sort_unstable();
            games.into_iter().map(|(_, game)| game).collect()
        };
        let mut folders = Vec::new();
        for place in self.parents_first() {
            let Some(row) = self.rows.get(place) else { continue };
            folders.push((
                row.id,
                Folder {
                    parent: None,
                    name: row.name.clone(),
                    games: games_of(Some(row.id)),
                },
            ));
        }
        let places: HashMap<i32, usize> = folders
            .iter()
            .enumerate()
            .map(|(place, (id, _))| (*id, place))
            .collect();
        let mut listed: Vec<Folder> = folders
            .into_iter()
            .map(|(id, folder)| {
                let parent = self.place(id).and_then(|place| self.rows.get(place)?.parent);
                Folder {
                    parent: parent.and_then(|parent| places.get(&parent).copied()),
                    ..folder
                }
            })
            .collect();
        let lost = games_of(None);
        let mut unknown: Vec<i32> = games.keys().copied().flatten().collect();
        unknown.sort_unstable();
        for id in unknown {
            let mut games = games.remove(&Some(id)).unwrap_or_default();
            games.sort_unstable();
            listed.push(root(
                name_of("", id),
                games.into_iter().map(|(_, game)| game).collect(),
            ));
        }
        if !lost.is_empty() {
            listed.push(root("Lost games".to_owned(), lost));
        }
        listed
    }

    /// Indices of all rows, parents before their children.
    fn parents_first(&self) -> Vec<usize> {
        let depth = |place: usize| std::iter::successors(Some(place), |&place| self.parent_of(place)).count();
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        places.sort_by_cached_key(|&place| depth(place));
        places
    }
}

fn root(name: String, games: Vec<u32>) -> Folder {
    Folder {
        parent: None,
        name,
        games,
    }
}

/// The display name (section 11.2).
fn name_of(stored: &str, id: i32) -> String {
    let system = SYSTEM_NAMES.iter().find(|(name, _)| *name == stored);
    match system {
        Some((_, name)) => (*name).to_owned(),
        None if stored.is_empty() => format!("Collection {id}"),
        None => stored.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collections(rows: &[(i32, i32, &str)]) -> Collections {
        let rows = rows.iter().map(|&(id, parent, name)| Collection {
            id,
            parent: Some(parent),
            name: name_of(name, id),
            is_trash: false,
        });
        let mut collections = Collections { rows: rows.collect() };
        collections.find_roots();
        collections.find_trash();
        collections
    }

    #[test]
    fn collections_with_cyclic_or_missing_parents_are_roots() {
        let collections = collections(&[(1, 2, "a"), (2, 1, "b"), (4, 99, "c"), (5, 6, ""), (6, 3, "d")]);
        let shelves = [
            Shelf {
                collection: Some(5),
                index: 2,
            },
            Shelf {
                collection: Some(5),
                index: 1,
            },
            Shelf {
                collection: Some(77),
                index: 0,
            },
            Shelf {
                collection: None,
                index: 0,
            },
        ];
        let folders = collections.folders(&shelves);
        let seen: Vec<_> = folders
            .iter()
            .map(|folder| (folder.parent, folder.name.as_str(), folder.games.as_slice()))
            .collect();
        assert_eq!(
            seen,
            [
                (None, "a", &[][..]),
                (None, "b", &[]),
                (None, "c", &[]),
                (None, "d", &[]),
                (Some(3), "Collection 5", &[1, 0]),
                (None, "Collection 77", &[2]),
                (None, "Lost games", &[3]),
            ]
        );
    }

    #[test]
    fn collections_below_the_trash_are_trash() {
        let collections = collections(&[(3, 0, "collection.trash"), (7, 3, "x"), (8, 7, "y"), (9, 0, "z")]);
        let trashed: Vec<bool> = [3, 7, 8, 9].map(|id| collections.is_trash(id)).to_vec();
        assert_eq!(trashed, [true, true, true, false]);
    }

    #[test]
    fn a_collection_with_more_than_64_parents_is_a_root() {
        let names: Vec<String> = (0..67).map(|id| format!("c{id}")).collect();
        let rows: Vec<_> = names
            .iter()
            .zip(9..)
            .map(|(name, id)| (id, id - 1, name.as_str()))
            .collect();
        let folders = collections(&rows).folders(&[]);
        let roots = folders.iter().filter(|folder| folder.parent.is_none());
        let roots: Vec<_> = roots.map(|folder| folder.name.as_str()).collect();
        assert_eq!(roots, ["c0", "c65", "c66"]);
    }
}
