//! The database's own folders of games, and the files inside it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::game_set::GameSet;
use super::games::Games;
use super::indexed_database::IndexedDatabase;
use super::inode::{KIND_COLLECTION, KIND_MEMBER, KIND_MEMBER_DIRECTORY, Node};
use super::names::{canonical, directory_name};
use super::section::{Content, Existing, Kind, Section};
use chessdb::{Database, Folder, Keys, Member};
use chessdb_library::library::TakenNames;
use chessdb_library::made::Made;

/// The folders of a database, read on first use.
pub(super) struct Collections {
    game_set: Arc<GameSet>,
    folders: Made<Folders>,
}

impl Collections {
    /// The folders of the only database of a branch.
    pub(super) fn new(game_set: &Arc<GameSet>) -> Option<Collections> {
        game_set.only_database()?;
        Some(Collections {
            game_set: Arc::clone(game_set),
            folders: Made::new(),
        })
    }

    fn folders(&self) -> &Folders {
        self.folders.get_or(|| Folders::new(&self.game_set))
    }

    fn folder(&self, node: Node) -> Option<&Collection> {
        self.folders().list.get(node.number() as usize)
    }
}

impl Section for Collections {
    fn top(&self) -> Vec<(String, Node)> {
        // Only asks whether there are folders; which games they have is read later.
        let has_folders = self
            .game_set
            .only_database()
            .is_some_and(|only| !only.database().folders().is_empty());
        if has_folders {
            vec![("collections".to_owned(), Node::new(KIND_COLLECTION, 0))]
        } else {
            Vec::new()
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

    fn bytes(&self) -> usize {
        self.folders.get().map_or(0, Folders::bytes)
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
            None => self.game_set.game_at(&folder.games(), n - folder.children.len()),
        }
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let (folders, folder) = (self.folders(), self.folder(directory)?);
        let children = &folder.children;
        match children.binary_search_by(|&child| folders.name(child).cmp(name)) {
            Ok(found) => children
                .get(found)
                .map(|&child| Node::new(KIND_COLLECTION, child)),
            Err(_) => self.game_set.game_of_name(name, &folder.games()),
        }
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        self.folder(directory).map(Collection::games)
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
    /// Reads the folders of the only database of a branch.
    fn new(game_set: &GameSet) -> Folders {
        let listed = game_set
            .only_database()
            .map(|database| database.database().folders());
        let listed = listed.unwrap_or_default();
        if listed.is_empty() {
            return Folders::default();
        }
        let mut folders = vec![Collection::default()];
        for (number, folder) in (1..).zip(&listed) {
            // A parent with a higher number could form a loop; such a folder is placed at the top.
            let parent = folder.parent.filter(|&parent| parent < number - 1);
            let parent = parent.map_or(0, |parent| parent + 1);
            folders.push(Collection::new(folder, parent as u32, game_set));
            folders[parent].children.push(number as u32);
        }
        for parent in 0..folders.len() {
            name_children(&mut folders, parent, &listed, game_set);
        }
        let mut shown: Vec<u32> = folders.iter().flat_map(|folder| &folder.games).copied().collect();
        shown.sort_unstable();
        Folders { list: folders, shown }
    }

    /// The memory that they take, in bytes.
    fn bytes(&self) -> usize {
        let lists = |folder: &Collection| size_of_val(&*folder.games) + size_of_val(&*folder.places);
        size_of_val(&*self.shown) + self.list.iter().map(lists).sum::<usize>()
    }

    fn name(&self, folder: u32) -> &str {
        self.list.get(folder as usize).map_or("", |folder| &folder.name)
    }
}

impl Collection {
    /// The games of a folder that the branch shows, without the name and the subfolders.
    fn new(folder: &Folder, parent: u32, game_set: &GameSet) -> Collection {
        let shown = game_set.games_of(0);
        let mut seen = HashSet::new();
        let is_new = |game: &u32| shown.position(*game).is_some() && seen.insert(*game);
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

    fn games(&self) -> Games<'_> {
        Games::ordered(&self.games, &self.places)
    }
}

/// Names the subfolders of a folder in the order in which the database lists them, and sorts them by name.
fn name_children(folders: &mut [Collection], parent: usize, listed: &[Folder], game_set: &GameSet) {
    let mut children = std::mem::take(&mut folders[parent].children);
    let mut taken = TakenNames::default();
    for &child in &children {
        let Some(folder) = listed.get(child as usize - 1) else {
            continue;
        };
        let name = directory_name(&canonical(folder.name.as_str().into())).into_owned();
        if game_set.game_of_name(&name, &folders[parent].games()).is_some() {
            taken.take(&name);
        }
        folders[child as usize].name = taken.take_name(&name);
    }
    children.sort_by(|&a, &b| folders[a as usize].name.cmp(&folders[b as usize].name));
    folders[parent].children = children;
}

/// The members of a database and the directories that contain them, read on first use.
pub(super) struct Members {
    database: Arc<IndexedDatabase>,
    list: Made<MemberList>,
}

impl Members {
    pub(super) fn new(database: &Arc<IndexedDatabase>) -> Members {
        Members {
            database: Arc::clone(database),
            list: Made::new(),
        }
    }

    fn list(&self) -> &MemberList {
        self.list.get_or(|| MemberList::new(self.database.database()))
    }

    /// Names and numbers of the members in a directory, sorted by name.
    fn files(&self, directory: Node) -> &[(String, u32)] {
        let directory = self.list().directories.get(directory.number() as usize);
        directory.map_or(&[], |directory| &directory.files)
    }
}

impl Section for Members {
    fn top(&self) -> Vec<(String, Node)> {
        if let Some(only) = self.database.database().as_files().member_directory() {
            return vec![(only.to_owned(), Node::new(KIND_MEMBER_DIRECTORY, 0))];
        }
        let directories = (0..).zip(&self.list().directories);
        let directories = directories.map(|(number, directory)| {
            let node = Node::new(KIND_MEMBER_DIRECTORY, number);
            (directory.name.to_owned(), node)
        });
        let files = (0..).zip(&self.list().members);
        let files = files
            .filter(|(_, member)| member.directory.is_empty())
            .map(|(number, member)| {
                let name = directory_name(&member.name).into_owned();
                (name, Node::new(KIND_MEMBER, number))
            });
        directories.chain(files).collect()
    }

    fn kind(&self, node: Node) -> Kind {
        match node.kind() {
            KIND_MEMBER => Kind::File,
            _ => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        if node.kind() == KIND_MEMBER {
            let size = self.list().member(node)?.size;
            return Some(Existing::File(Content::Member(node.number(), size)));
        }
        let mut directories = self.list().directories.iter();
        directories
            .nth(node.number() as usize)
            .map(|_| Existing::Directory)
    }

    fn parent(&self, node: Node) -> Node {
        if node.kind() != KIND_MEMBER {
            return Node::DATABASE;
        }
        let list = self.list();
        let name = list.member(node).map(|member| member.directory);
        let mut directories = list.directories.iter();
        match directories.position(|directory| Some(directory.name) == name) {
            Some(found) => Node::new(KIND_MEMBER_DIRECTORY, found as u32),
            None => Node::DATABASE,
        }
    }

    fn links(&self, node: Node) -> u32 {
        match node.kind() {
            KIND_MEMBER => 1,
            _ => 2,
        }
    }

    fn len(&self, directory: Node) -> usize {
        self.files(directory).len()
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        let (name, member) = self.files(directory).get(n)?;
        Some((name.as_str().into(), Node::new(KIND_MEMBER, *member)))
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        let files = self.files(directory);
        let found = files.binary_search_by(|(file, _)| file.as_str().cmp(name)).ok()?;
        files
            .get(found)
            .map(|&(_, member)| Node::new(KIND_MEMBER, member))
    }
}

struct MemberList {
    members: Vec<Member>,
    directories: Vec<MemberDirectory>,
}

struct MemberDirectory {
    name: &'static str,
    /// Name and number of each member, sorted by name.
    files: Vec<(String, u32)>,
}

impl MemberList {
    /// Reads the members of a database.
    fn new(database: &dyn Database) -> MemberList {
        let members = database.as_files().members();
        let mut names: Vec<&'static str> = members.iter().map(|member| member.directory).collect();
        names.extend(database.as_files().member_directory());
        names.sort_unstable();
        names.dedup();
        names.retain(|name| !name.is_empty());
        let directories = names.into_iter().map(|name| {
            let mut taken = TakenNames::default();
            let inside = (0..).zip(&members).filter(|(_, member)| member.directory == name);
            let mut files: Vec<(String, u32)> = inside
                .map(|(number, member)| {
                    let name = canonical(member.name.as_str().into());
                    (taken.take_name(&directory_name(&name)), number)
                })
                .collect();
            files.sort_unstable();
            MemberDirectory { name, files }
        });
        MemberList {
            directories: directories.collect(),
            members,
        }
    }

    fn member(&self, node: Node) -> Option<&Member> {
        self.members.get(node.number() as usize)
    }
}
