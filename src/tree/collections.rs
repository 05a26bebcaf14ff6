//! The database's own folders, as directories below `collections/`.

use std::collections::HashSet;

use super::game_name::{GameName, game_of_name};
use super::names::{canonical, digits, directory_name};
use crate::library::TakenNames;
use chessdb::formats::{Database, Folder};

/// The folders of a database; 0 is `collections/` itself, which has no games.
#[derive(Default)]
pub struct Collections {
    folders: Vec<Collection>,
    /// The games of all folders, sorted: a game is there once for each folder that has it.
    shown: Vec<u32>,
}

/// A folder.
#[derive(Default)]
struct Collection {
    name: String,
    parent: u32,
    /// Folders in it, sorted by name.
    children: Vec<u32>,
    /// Games in it in the folder's own order, each once.
    games: Vec<u32>,
    /// The same, sorted, each with its place there.
    places: Vec<(u32, u32)>,
}

impl Collections {
    /// The folders that a database has. Games in them are called by `names`.
    pub fn new(database: &dyn Database, names: &GameName) -> Collections {
        let listed = database.folders();
        if listed.is_empty() {
            return Collections::default();
        }
        let mut folders = vec![Collection::default()];
        for (number, folder) in (1..).zip(&listed) {
            // A parent that does not stand before its child would make a loop.
            let parent = folder.parent.filter(|&parent| parent < number - 1);
            let parent = parent.map_or(0, |parent| parent + 1);
            folders.push(Collection::new(folder, parent as u32, database.len()));
            folders[parent].children.push(number as u32);
        }
        for parent in 0..folders.len() {
            name_children(&mut folders, parent, &listed, database, names);
        }
        let mut shown: Vec<u32> = folders.iter().flat_map(|folder| &folder.games).copied().collect();
        shown.sort_unstable();
        Collections { folders, shown }
    }

    /// True where the database has no folders.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Number of folders with `collections/` itself.
    pub fn len(&self) -> u32 {
        self.folders.len() as u32
    }

    /// The folder that holds a folder.
    pub fn parent(&self, folder: u32) -> u32 {
        self.folders
            .get(folder as usize)
            .map_or(0, |folder| folder.parent)
    }

    /// The name of a folder.
    pub fn name(&self, folder: u32) -> &str {
        self.folders
            .get(folder as usize)
            .map_or("", |folder| &folder.name)
    }

    /// The folders in a folder, sorted by name.
    pub fn children(&self, folder: u32) -> &[u32] {
        self.folders
            .get(folder as usize)
            .map_or(&[], |folder| &folder.children)
    }

    /// The games in a folder, in its own order.
    pub fn games(&self, folder: u32) -> &[u32] {
        self.folders
            .get(folder as usize)
            .map_or(&[], |folder| &folder.games)
    }

    /// The place of a game among those of a folder.
    pub fn place(&self, folder: u32, game: u32) -> Option<usize> {
        self.folders.get(folder as usize)?.place(game)
    }

    /// The folder of a name in a folder.
    pub fn child(&self, folder: u32, name: &str) -> Option<u32> {
        let children = self.children(folder);
        let found = children
            .binary_search_by(|&child| self.name(child).cmp(name))
            .ok()?;
        children.get(found).copied()
    }

    /// The number of folders that show a game.
    pub fn directories(&self, game: u32) -> u32 {
        let start = self.shown.partition_point(|&shown| shown < game);
        let end = self.shown.partition_point(|&shown| shown <= game);
        (end - start) as u32
    }
}

impl Collection {
    /// A folder of a database of so many games, without its name and what is in it.
    fn new(folder: &Folder, parent: u32, len: u32) -> Collection {
        let mut seen = HashSet::new();
        let is_new = |game: &u32| *game < len && seen.insert(*game);
        let games: Vec<u32> = folder.games.iter().copied().filter(is_new).collect();
        let mut places: Vec<(u32, u32)> = games.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Collection {
            parent,
            games,
            places,
            ..Collection::default()
        }
    }

    fn place(&self, game: u32) -> Option<usize> {
        let found = self.places.binary_search_by_key(&game, |&(game, _)| game).ok()?;
        self.places.get(found).map(|&(_, place)| place as usize)
    }
}

/// Names the folders in a folder in the order in which the database lists them, and sorts them by name.
fn name_children(
    folders: &mut [Collection],
    parent: usize,
    listed: &[Folder],
    database: &dyn Database,
    names: &GameName,
) {
    let mut children = std::mem::take(&mut folders[parent].children);
    let mut taken = TakenNames::default();
    for &child in &children {
        let Some(folder) = listed.get(child as usize - 1) else {
            continue;
        };
        let name = directory_name(&canonical(folder.name.as_str().into())).into_owned();
        if is_game(&name, &folders[parent], database, names) {
            taken.take(&name);
        }
        folders[child as usize].name = taken.take_name(&name);
    }
    children.sort_by(|&a, &b| folders[a as usize].name.cmp(&folders[b as usize].name));
    folders[parent].children = children;
}

/// True where a game of a directory has this name already.
fn is_game(name: &str, folder: &Collection, database: &dyn Database, names: &GameName) -> bool {
    let digits = digits(database.len());
    game_of_name(name, digits).is_some_and(|game| {
        folder.place(game).is_some() && names.of(database, &database.keys(game), game, digits) == name
    })
}
