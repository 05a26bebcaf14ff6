//! The folders that a database contains, as directories below `collections/`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::game_name::{GameName, game_of_name};
use super::inode::{KIND_COLLECTION, Node};
use super::names::{canonical, directory_name};
use super::one_database::OneDatabase;
use super::section::{DirectoryGames, Existing, Kind, Section};
use chessdb::formats::{Database, Folder, Keys};
use chessdb_library::library::TakenNames;
use chessdb_library::library::digits;

/// The folders of a database, read on first use.
pub(super) struct Collections {
    common: Arc<OneDatabase>,
    folders: OnceLock<Folders>,
}

impl Collections {
    pub(super) fn new(common: &Arc<OneDatabase>) -> Collections {
        Collections {
            common: Arc::clone(common),
            folders: OnceLock::new(),
        }
    }

    fn folders(&self) -> &Folders {
        let names = self.common.layout().game_name();
        self.folders
            .get_or_init(|| Folders::new(self.common.database(), names))
    }

    fn folder(&self, node: Node) -> Option<&Collection> {
        self.folders().list.get(node.number() as usize)
    }
}

impl Section for Collections {
    fn top(&self) -> Vec<(String, Node)> {
        match self.folders().list.is_empty() {
            true => Vec::new(),
            false => vec![("collections".to_owned(), Node::new(KIND_COLLECTION, 0))],
        }
    }

    fn kind(&self, _: Node) -> Kind {
        Kind::Directory
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        self.folder(node).map(|_| Existing::Directory)
    }

    fn parent(&self, node: Node) -> Node {
        match node.number() {
            0 => Node::DATABASE,
            _ => Node::new(
                KIND_COLLECTION,
                self.folder(node).map_or(0, |folder| folder.parent),
            ),
        }
    }

    fn links(&self, node: Node) -> u32 {
        let children = self.folder(node).map_or(0, |folder| folder.children.len());
        (children as u32).saturating_add(2)
    }

    fn directories_of(&self, game: u32, _: &Keys) -> u32 {
        let shown = &self.folders().shown;
        let start = shown.partition_point(|&shown| shown < game);
        let end = shown.partition_point(|&shown| shown <= game);
        (end - start) as u32
    }

    fn len(&self, directory: Node) -> usize {
        self.folder(directory)
            .map_or(0, |folder| folder.children.len() + folder.games.len())
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let folder = self.folder(directory)?;
        match folder.children.get(n) {
            Some(&child) => {
                let name = self.folders().name(child);
                Some((name.into(), Node::new(KIND_COLLECTION, child)))
            }
            None => self.common.game_at(&folder.games, n - folder.children.len()),
        }
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let (folders, folder) = (self.folders(), self.folder(directory)?);
        let children = &folder.children;
        match children.binary_search_by(|&child| folders.name(child).cmp(name)) {
            Ok(found) => children
                .get(found)
                .map(|&child| Node::new(KIND_COLLECTION, child)),
            Err(_) => self
                .common
                .game_of_name(name, |game| folder.place(game).is_some()),
        }
    }

    fn games_after(&self, directory: Node, game: Option<u32>) -> Option<DirectoryGames<'_>> {
        let folder = self.folder(directory)?;
        let first = match game {
            Some(game) => folder.place(game)? + 1,
            None => 0,
        };
        DirectoryGames::after(folder.games.as_slice().into(), first)
    }
}

/// All folders; number 0 is `collections/` itself, which has no games.
#[derive(Default)]
struct Folders {
    list: Vec<Collection>,
    /// The games of all folders, sorted. A game occurs once for each folder that contains it.
    shown: Vec<u32>,
}

/// One folder.
#[derive(Default)]
struct Collection {
    name: String,
    parent: u32,
    /// Numbers of its subfolders, sorted by name.
    children: Vec<u32>,
    /// Its games in the folder's own order, without duplicates.
    games: Vec<u32>,
    /// Its games, sorted, each with its place in `games`.
    places: Vec<(u32, u32)>,
}

impl Folders {
    /// Reads the folders of a database. `names` determines the names of games.
    fn new(database: &dyn Database, names: &GameName) -> Folders {
        let listed = database.folders();
        if listed.is_empty() {
            return Folders::default();
        }
        let mut folders = vec![Collection::default()];
        for (number, folder) in (1..).zip(&listed) {
            // A parent with a higher number could form a loop; such a folder is placed at the top.
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
        Folders { list: folders, shown }
    }

    fn name(&self, folder: u32) -> &str {
        self.list.get(folder as usize).map_or("", |folder| &folder.name)
    }
}

impl Collection {
    /// A folder of a database with `len` games, without its name and subfolders.
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

/// Names the subfolders of a folder in the order in which the database lists them, and sorts them by name.
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

/// True if a game in this folder already has this name.
fn is_game(name: &str, folder: &Collection, database: &dyn Database, names: &GameName) -> bool {
    let digits = digits(database.len());
    game_of_name(name, digits).is_some_and(|game| {
        folder.place(game).is_some() && names.of(database, &database.keys(game), game, digits) == name
    })
}
