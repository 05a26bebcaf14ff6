//! Numbers and names of the games of all databases.

use std::sync::{Arc, OnceLock};

use super::code::Codes;
use super::unique::Unique;
use super::view::in_parts;
use crate::tree::game_name::game_of_name;
use crate::tree::index::ViewIndex;
use crate::tree::inode::ViewId;
use crate::tree::layout::Layout;
use crate::tree::one_database::{OneDatabase, Views};
use chessdb::formats::{Database, Keys};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::library::cut;
use chessdb_library::spelling::{Names, Spelling};

/// Maximum length of a file name in bytes.
const LONGEST: usize = 255;

/// All databases. Their games are numbered consecutively, database by database.
pub struct AllDatabases {
    databases: Arc<[Arc<OneDatabase>]>,
    /// Made when a game is first asked for, because games are counted for it.
    parts: Arc<OnceLock<Arc<[Part]>>>,
    layout: Layout,
    codes: Arc<Codes>,
    /// The paths of the databases' directories in the mount.
    paths: OnceLock<Vec<String>>,
    duplicates: Arc<OnceLock<Duplicates>>,
    names: Arc<OnceLock<Option<Arc<Names>>>>,
    /// Set if only one game of each group of duplicates is shown.
    unique: Option<OnceLock<Arc<Unique>>>,
    views: Vec<OnceLock<Box<ViewIndex>>>,
}

/// A database among others.
pub(in crate::tree) struct Part {
    pub(in crate::tree) database: Arc<OneDatabase>,
    /// Number of the database's first game among the games of all databases.
    pub(in crate::tree) first: u32,
}

impl AllDatabases {
    /// Numbers the games of `databases`. `None` if the games cannot all be numbered or there is no database.
    pub(super) fn new(databases: Vec<Arc<OneDatabase>>) -> Option<AllDatabases> {
        let layout = databases.first()?.layout().clone();
        let most = |database: &Arc<OneDatabase>| database.entry().most_games();
        let mut most = databases.iter().map(most);
        most.try_fold(0u32, u32::checked_add)?;
        let paths = databases.iter().map(|database| database.entry().path.as_str());
        Some(AllDatabases {
            codes: Arc::new(Codes::new(paths)),
            paths: OnceLock::new(),
            duplicates: Arc::default(),
            names: Arc::default(),
            unique: None,
            views: layout.views().map(|_| OnceLock::new()).collect(),
            layout,
            parts: Arc::default(),
            databases: databases.into(),
        })
    }

    /// The same databases with only the best game of each group of duplicates, and without deleted games.
    pub(super) fn unique(&self) -> AllDatabases {
        AllDatabases {
            databases: Arc::clone(&self.databases),
            parts: Arc::clone(&self.parts),
            layout: self.layout.clone(),
            codes: Arc::clone(&self.codes),
            paths: OnceLock::new(),
            duplicates: Arc::clone(&self.duplicates),
            names: Arc::clone(&self.names),
            unique: Some(OnceLock::new()),
            views: self.layout.views().map(|_| OnceLock::new()).collect(),
        }
    }

    /// True if only one game of each group of duplicates is shown.
    pub fn is_unique(&self) -> bool {
        self.unique.is_some()
    }

    /// True if [`AllDatabases::shown`] has to search for duplicates first.
    pub fn must_search(&self) -> bool {
        self.unique.as_ref().is_some_and(|unique| unique.get().is_none())
    }

    /// The games that are shown; `None` if these are all. On first use, searches for duplicates.
    pub fn shown(&self) -> Option<&Arc<Unique>> {
        let unique = self.unique.as_ref()?;
        Some(unique.get_or_init(|| Arc::new(Unique::new(&self.databases(), self.duplicates()))))
    }

    /// The code of a database in names of games.
    pub fn code(&self, database: usize) -> &str {
        self.codes.get(database)
    }

    /// Sets the paths of the databases' directories in the mount.
    pub fn set_paths(&self, paths: &[String]) {
        self.paths.get_or_init(|| paths.to_vec());
    }

    /// The path of a database's directory in the mount.
    pub(in crate::tree) fn path(&self, database: usize) -> &str {
        let paths = self.paths.get();
        let path = paths.and_then(|paths| paths.get(database));
        path.map_or("", String::as_str)
    }

    /// The path of the directory of a view whose texts are these, from the directory of all databases.
    pub fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String> {
        Views::directory_of(self, view, texts)
    }

    /// The databases with the numbers of their first games. On first use, counts all games.
    pub(in crate::tree) fn parts(&self) -> &Arc<[Part]> {
        self.parts.get_or_init(|| {
            let mut next = 0;
            let part = |database: &Arc<OneDatabase>| {
                let first = next;
                next += database.database().len();
                Part {
                    database: Arc::clone(database),
                    first,
                }
            };
            self.databases.iter().map(part).collect()
        })
    }

    /// The number of games of all databases.
    pub(in crate::tree) fn games(&self) -> u32 {
        let last = self.parts().last();
        last.map_or(0, |part| part.first + part.database.database().len())
    }

    fn databases(&self) -> Vec<&dyn Database> {
        let databases = self.databases.iter();
        databases.map(|database| database.database()).collect()
    }

    /// The duplicates among the games. On first use, searches all games.
    pub fn duplicates(&self) -> &Duplicates {
        self.duplicates.get_or_init(|| {
            let threads = self.databases.first().map_or(1, |database| database.threads());
            Duplicates::find(&self.databases(), threads)
        })
    }

    /// The names under which players are shown, if spellings are joined. On first use, reads the names of all games.
    pub fn names(&self) -> Option<&Arc<Names>> {
        let find = || Names::find(&self.databases(), self.layout.spelling()).map(Arc::new);
        self.names.get_or_init(find).as_ref()
    }

    /// True if spellings of players are joined.
    pub fn joins_spellings(&self) -> bool {
        *self.layout.spelling() != Spelling::Stored
    }

    /// The database of a game, and its number there.
    pub fn place_of(&self, game: u32) -> (usize, u32) {
        place_of(self.parts(), game)
    }

    /// The number, among the games of all databases, of a game of one database.
    pub fn number_of(&self, database: usize, game: u32) -> Option<u32> {
        let part = self.parts().get(database)?;
        (game < part.database.database().len()).then_some(part.first + game)
    }
}

impl Views for AllDatabases {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let index = self.views.get(id.index())?;
        let view = self.layout.view(id)?;
        Some(index.get_or_init(|| {
            let names = view.names_players().then(|| self.names()).flatten();
            Box::new(in_parts(&view, id, self.parts(), self.shown(), names))
        }))
    }

    fn must_build(&self, id: ViewId) -> bool {
        let index = self.views.get(id.index());
        index.is_some_and(|index| index.get().is_none())
    }

    /// The name of the game in its database, with the code of the database before the number.
    fn game_name(&self, game: u32) -> String {
        let (number, game) = self.place_of(game);
        let Some(database) = self.databases.get(number) else {
            return String::new();
        };
        let name = database.game_name(game);
        let (before, number_and_end) = name.split_at(name.len() - number_len(database));
        let code = self.codes.get(number);
        let longest = LONGEST - number_and_end.len() - code.len() - "-".len();
        format!("{}{code}-{number_and_end}", cut(before, longest))
    }

    fn game_number(&self, name: &str) -> Option<u32> {
        let (before, number) = name.rsplit_once('-')?;
        let mut found = self.codes.ends_of(before).filter_map(|place| {
            let database = self.databases.get(place)?;
            let game = game_of_name(number, database.digits())?;
            let game = self.number_of(place, game)?;
            (self.game_name(game) == name).then_some(game)
        });
        found.next()
    }

    /// Always 0: the database of a game counts the directories that list it.
    fn directories_of(&self, _: u32, _: &Keys) -> u32 {
        0
    }
}

/// Length in bytes of the number and the extension at the end of the names of games.
fn number_len(database: &OneDatabase) -> usize {
    database.digits() + ".pgn".len()
}

/// The part that has a game, and the number of the game in it.
pub(in crate::tree) fn place_of(parts: &[Part], game: u32) -> (usize, u32) {
    // An empty database has the same first number as the next one.
    let after = parts.partition_point(|part| part.first <= game);
    let place = after.saturating_sub(1);
    let first = parts.get(place).map_or(0, |part| part.first);
    (place, game - first)
}
