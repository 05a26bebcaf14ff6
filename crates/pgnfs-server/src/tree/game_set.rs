//! The games that a directory shows: of one database or of several, all of them or a selection.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_64;

use super::games::Games;
use super::index::{ViewIndex, combined_view};
use super::indexed_database::IndexedDatabase;
use super::inode::{CountedTexts, Node, ViewId};
use super::layout::Layout;
use super::names::{canonical, directory_name, game_of_name};
use chessdb::Database;
use chessdb_library::duplicates::{ComparedDatabase, Duplicates};
use chessdb_library::kept::KeptFile;
use chessdb_library::library::{cut, game_path, numbered};
use chessdb_library::made::{Made, Wait};
use chessdb_library::making::Making;
use chessdb_library::positions::{AnswerOptions, Answers, DatabasePart, IndexUse, LineEnd};
use chessdb_library::query::Query;
use chessdb_library::repertoire::Repertoires;
use chessdb_library::spelling::{Names, Spelling};
use chessdb_library::task;
use chessdb_library::turns::{at_low_priority, in_turn};

/// Maximum length of a file name in bytes.
const LONGEST: usize = 255;

/// How many numbered forms of a name are tried to find the directory with a given text.
const MOST_NUMBERED: u32 = 9;

/// The games of one database or of several, all of them or some. They are numbered consecutively, database by
/// database, and a game that is not shown keeps its number.
pub struct GameSet {
    all: Arc<Databases>,
    shown: Shown,
    /// Its own views; unused if the only database's views can be used.
    views: Vec<Made<Box<ViewIndex>>>,
}

/// Shared by all branches of the same databases.
struct Databases {
    databases: Arc<[Arc<IndexedDatabase>]>,
    /// Made on first use, because games are counted for it.
    parts: OnceLock<Arc<[DatabasePart]>>,
    layout: Arc<Layout>,
    /// The codes of databases in names of games; `None` in the directory of a single database.
    codes: Option<Codes>,
    /// The paths of the databases' directories in the mount.
    paths: OnceLock<Vec<String>>,
    duplicates: Made<Duplicates>,
    /// The best game of each group of duplicates, and all games without duplicates; no deleted games.
    unique: Made<Arc<[DatabasePart]>>,
    names: Made<Option<Arc<Names>>>,
    counted: CountedTexts,
}

/// Which games are shown.
enum Shown {
    /// All.
    All,
    /// Of duplicates only the best game, and no deleted games. Duplicates are searched for on first use.
    Unique,
    /// The games that a search finds.
    Found(Box<FoundGames>),
}

impl GameSet {
    /// All games of a database, in its own directory.
    pub fn of_one(database: Arc<IndexedDatabase>) -> GameSet {
        GameSet::new(vec![database], None, Shown::All)
    }

    /// All games of several databases. `None` if the games cannot all be numbered or there is no database.
    pub fn of_all(databases: Vec<Arc<IndexedDatabase>>) -> Option<GameSet> {
        let most = |database: &Arc<IndexedDatabase>| database.entry().most_games();
        let mut most = databases.iter().map(most);
        most.try_fold(0u32, u32::checked_add)?;
        let paths = databases.iter().map(|database| database.entry().path.as_str());
        let codes = Codes::new(paths);
        (!databases.is_empty()).then(|| GameSet::new(databases, Some(codes), Shown::All))
    }

    /// The same databases with only the best game of each group of duplicates, and without deleted games.
    pub fn unique(&self) -> GameSet {
        self.with(Shown::Unique)
    }

    /// The same databases with only those games of this set that match a query. The search runs on first use; then
    /// `on_found` is called, which returns false if its result cannot be trusted.
    pub fn searched(
        self: &Arc<GameSet>,
        query: &Arc<Query>,
        on_found: impl Fn() -> bool + Send + Sync + 'static,
    ) -> GameSet {
        self.with(Shown::Found(Box::new(FoundGames::new(self, query, on_found))))
    }

    fn new(databases: Vec<Arc<IndexedDatabase>>, codes: Option<Codes>, shown: Shown) -> GameSet {
        let layout = databases.first().map(|database| Arc::clone(database.layout()));
        let all = Databases {
            databases: databases.into(),
            parts: OnceLock::new(),
            layout: layout.unwrap_or_default(),
            codes,
            paths: OnceLock::new(),
            duplicates: Made::new(),
            unique: Made::new(),
            names: Made::new(),
            counted: CountedTexts::default(),
        };
        GameSet::showing(Arc::new(all), shown)
    }

    fn with(&self, shown: Shown) -> GameSet {
        GameSet::showing(Arc::clone(&self.all), shown)
    }

    fn showing(all: Arc<Databases>, shown: Shown) -> GameSet {
        GameSet {
            views: all.layout.views().map(|_| Made::new()).collect(),
            all,
            shown,
        }
    }

    /// The layout of names and views.
    pub(super) fn layout(&self) -> &Layout {
        &self.all.layout
    }

    /// The database whose own directory this is, with all its games.
    pub fn own_database(&self) -> Option<&Arc<IndexedDatabase>> {
        self.only_database().filter(|_| matches!(self.shown, Shown::All))
    }

    /// The database, if there is only one, whether all of its games are shown or some.
    pub fn only_database(&self) -> Option<&Arc<IndexedDatabase>> {
        match (&*self.all.databases, &self.all.codes) {
            ([only], None) => Some(only),
            _ => None,
        }
    }

    /// The databases. Counts no games.
    pub fn databases(&self) -> &Arc<[Arc<IndexedDatabase>]> {
        &self.all.databases
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &str {
        match (self.only_database(), self.is_of_unique()) {
            (Some(only), _) => only.entry().name(),
            (None, false) => "all",
            (None, true) => "all/unique",
        }
    }

    /// The texts of nodes that get running numbers: ranks in `positions/` and links in `search/`.
    pub(super) fn counted(&self) -> &CountedTexts {
        &self.all.counted
    }

    /// Adds a reference to a node that a front end hands out. Returns false if the node was dropped in the meantime.
    pub fn hold(&self, node: Node) -> bool {
        self.counted().hold(node)
    }

    /// Subtracts references to a node.
    pub fn release(&self, node: Node, times: u64) {
        self.counted().release(node, times);
    }

    fn formats(&self) -> Vec<&dyn Database> {
        let databases = self.databases().iter();
        databases.map(|database| database.database()).collect()
    }

    /// Maximum number of threads for work on all games.
    pub(super) fn threads(&self) -> usize {
        self.databases().first().map_or(1, |database| database.threads())
    }
}

/// Which games are shown, and their numbers.
impl GameSet {
    /// All games of the databases, with their numbers. On first use, counts them.
    pub(crate) fn whole_parts(&self) -> &Arc<[DatabasePart]> {
        self.all.parts.get_or_init(|| {
            let positions = self.databases().iter().map(|database| database.positions());
            DatabasePart::all(positions.cloned()).into()
        })
    }

    /// The number after the last game of all databases.
    pub(super) fn end(&self) -> u32 {
        let last = self.whole_parts().last();
        last.map_or(0, |part| part.first + part.database().len())
    }

    /// True if not all games are shown.
    pub fn is_filtered(&self) -> bool {
        !matches!(self.shown, Shown::All)
    }

    /// True if only one game of each group of duplicates is shown.
    pub fn is_unique(&self) -> bool {
        matches!(self.shown, Shown::Unique)
    }

    /// True if the choice of games depends on duplicates among all games.
    pub fn is_of_unique(&self) -> bool {
        match &self.shown {
            Shown::All => false,
            Shown::Unique => true,
            Shown::Found(search) => search.of.is_of_unique(),
        }
    }

    /// False if the result of the search cannot be trusted. Searches first if necessary.
    pub fn is_sound(&self) -> bool {
        match &self.shown {
            Shown::Found(search) => search.found().1,
            Shown::All | Shown::Unique => true,
        }
    }

    /// True for the games of a search.
    pub fn is_search(&self) -> bool {
        matches!(self.shown, Shown::Found(_))
    }

    /// The query of a search.
    pub(super) fn query(&self) -> Option<&Query> {
        match &self.shown {
            Shown::Found(search) => Some(search.query()),
            Shown::All | Shown::Unique => None,
        }
    }

    /// The memory that its own views and lists of games take, in bytes.
    pub fn bytes(&self) -> usize {
        let views = self.views.iter().filter_map(Made::get);
        let views: usize = views.map(|view| view.bytes()).sum();
        match &self.shown {
            Shown::Found(search) => views + search.bytes(),
            Shown::All | Shown::Unique => views,
        }
    }

    /// What to wait for before [`GameSet::parts`] is quick: a search, or finding duplicates. Counting games, which all
    /// games may need, is not included.
    pub fn wait_for_parts(&self) -> Wait {
        match &self.shown {
            Shown::All => Wait::None,
            Shown::Unique => self.all.unique.wait(),
            Shown::Found(search) => search.wait(),
        }
    }

    /// The games that are shown. On first use, searches for them, or for duplicates.
    pub(crate) fn parts(&self) -> &Arc<[DatabasePart]> {
        match &self.shown {
            Shown::All => self.whole_parts(),
            Shown::Unique => self.unique_parts(),
            Shown::Found(search) => &search.found().0,
        }
    }

    /// The games that are shown, with only the best copy of each. On first use, finds duplicates, as
    /// [`GameSet::unique_for`] does for a search.
    pub(crate) fn unique_parts(&self) -> &Arc<[DatabasePart]> {
        match &self.shown {
            Shown::All | Shown::Unique => self.all.unique.get_or(|| self.best_of(self.duplicates())),
            Shown::Found(search) => {
                let found = &search.found().0;
                search.unique.get_or(|| {
                    let best = search.of.unique_for(search.query());
                    found
                        .iter()
                        .zip(&*best)
                        .map(|(part, best)| part.and(best))
                        .collect()
                })
            }
        }
    }

    /// The games that a query may find, with only the best copy of each. Copies are searched for in the games of all
    /// databases. If `db:` excludes databases, these do not count, and copies are searched for again each time.
    pub(crate) fn unique_for(&self, query: &Query) -> Arc<[DatabasePart]> {
        let names = self.databases().iter().map(|database| database.entry().name());
        let is_asked: Vec<bool> = names.map(|name| query.concerns(name)).collect();
        if is_asked.iter().all(|&is_asked| is_asked) {
            return Arc::clone(self.unique_parts());
        }
        let _making = Making::begin("duplicates of a search", self.name(), 0);
        let is_compared = |part: usize, _| is_asked.get(part) == Some(&true);
        let compared = self.compared(|database| database.line_ends().known());
        self.best_of(&Duplicates::find_among(&compared, self.threads(), is_compared))
    }

    /// All games that are not deleted, with only the best of each of these groups.
    fn best_of(&self, duplicates: &Duplicates) -> Arc<[DatabasePart]> {
        let games = duplicates.unique(&self.formats());
        let parts = self.whole_parts().iter().zip(games);
        parts.map(|(part, games)| part.with(games)).collect()
    }

    /// The games of a part that are shown, by their numbers in its database; `None` for all games. See
    /// [`GameSet::parts`].
    pub(super) fn selected(&self, part: usize) -> Option<&[u32]> {
        self.is_filtered().then(|| {
            let part = self.parts().get(part);
            let games = part.and_then(|part| part.games.as_ref());
            games.map_or(&[][..], |games| games.games())
        })
    }

    /// The games of a part that are shown, by their numbers in its database. See [`GameSet::parts`].
    pub fn games_of(&self, part: usize) -> Games<'_> {
        match (self.selected(part), self.databases().get(part)) {
            (Some(games), _) => Games::of(games),
            (None, Some(database)) => Games::range(0..database.database().len()),
            (None, None) => Games::NONE,
        }
    }

    /// The games of the first part that are shown and have numbers in this range.
    pub(super) fn games_between(&self, numbers: Range<u32>) -> Games<'_> {
        let Some(games) = self.selected(0) else {
            let games = self.databases().first().map_or(0, |first| first.database().len());
            return Games::range(numbers.start.min(games)..numbers.end.min(games));
        };
        let start = games.partition_point(|&game| game < numbers.start);
        let end = games.partition_point(|&game| game < numbers.end);
        Games::of(games.get(start..end).unwrap_or_default())
    }

    /// The part of a game, and its number in the database.
    pub fn place_of(&self, game: u32) -> (usize, u32) {
        DatabasePart::place_of(self.whole_parts(), game)
    }

    /// The number here of the game that has this number in the database of a part.
    pub fn number_of(&self, part: usize, game: u32) -> Option<u32> {
        let part = self.whole_parts().get(part)?;
        (game < part.database().len()).then_some(part.first + game)
    }

    /// The database of a game that exists, and its number there.
    pub(super) fn database_of(&self, game: u32) -> Option<(&dyn Database, u32)> {
        let (part, game) = self.place_of(game);
        let database = self.databases().get(part)?.database();
        (game < database.len()).then_some((database, game))
    }

    /// The kept file with the duplicates among all games. It is removed when one of the databases can no longer be
    /// trusted.
    fn file_of_duplicates(&self) -> Option<KeptFile> {
        let files = self.databases().first()?.kept_files()?;
        let origins = self.databases().iter().map(|database| database.entry().origin());
        let file = Duplicates::file(files, &origins.collect::<Vec<_>>());
        for database in self.databases().iter() {
            database.forget_with(&file);
        }
        Some(file)
    }

    /// The databases whose games are compared. `ends` returns the ends of the main lines of one if they are known.
    fn compared<'a>(
        &'a self,
        ends: impl Fn(&'a IndexedDatabase) -> Option<&'a [LineEnd]>,
    ) -> Vec<ComparedDatabase<'a>> {
        let databases = self.databases().iter();
        let compared = databases.map(|database| ComparedDatabase {
            database: database.database(),
            lines: Some(database.positions().lines()),
            ends: ends(database),
        });
        compared.collect()
    }

    /// The duplicates among the games that are shown; in `all/unique`, which shows no duplicates, those among all
    /// games. Found on first use.
    pub fn duplicates(&self) -> &Duplicates {
        let threads = self.threads();
        match &self.shown {
            Shown::Found(search) => search.own_duplicates.get_or(|| {
                let _making = Making::begin("duplicates of a search", self.name(), 0);
                let parts = self.parts();
                let is_shown = |part: usize, game| parts.get(part).is_some_and(|part| part.has(game));
                Duplicates::find_among(
                    &self.compared(|database| database.line_ends().known()),
                    threads,
                    is_shown,
                )
            }),
            _ => self.all.duplicates.get_or(|| {
                let _making = Making::begin("duplicates", self.name(), 0);
                let file = self.file_of_duplicates();
                let games = self.formats().iter().map(|format| format.len()).sum();
                let is_intact = || self.databases().iter().all(|database| database.is_trusted());
                Duplicates::kept_or(file.as_ref(), games, is_intact, || {
                    let compared = self.compared(|of| of.line_ends().of(of.database(), threads));
                    Duplicates::find_among(&compared, threads, |_, _| true)
                })
            }),
        }
    }
}

/// Names of games and players.
impl GameSet {
    /// The code of a database in names of games; empty in its own directory.
    pub fn code(&self, part: usize) -> &str {
        self.all.codes.as_ref().map_or("", |codes| codes.get(part))
    }

    /// Sets the paths of the databases' directories in the mount.
    pub fn set_paths(&self, paths: &[String]) {
        self.all.paths.get_or_init(|| paths.to_vec());
    }

    /// The path of a database's directory in the mount; empty if this is the directory of the database.
    pub(super) fn path_of(&self, part: usize) -> &str {
        let paths = self.all.paths.get();
        let path = paths.and_then(|paths| paths.get(part));
        path.map_or("", String::as_str)
    }

    /// The path of a game in `games/`, relative to the directory of its database if there is only one, otherwise to the
    /// root of the mount.
    pub(super) fn path(&self, game: u32) -> Option<String> {
        let (database, own) = self.database_of(game)?;
        let path = game_path(own, database.len());
        Some(match self.path_of(self.place_of(game).0) {
            "" => path,
            folder => format!("{folder}/{path}"),
        })
    }

    /// The names that are shown for players, if spellings are joined across databases. On first use, reads the names
    /// of all games.
    pub fn names(&self) -> Option<&Arc<Names>> {
        let find = || Names::find(&self.formats(), self.layout().spelling()).map(Arc::new);
        self.all.names.get_or(find).as_ref()
    }

    /// True if `eco/` has games without the tag ECO by their moves.
    pub fn has_eco_by_moves(&self) -> bool {
        self.layout().has_eco_by_moves()
    }

    /// Which spellings of players are joined.
    pub fn spelling(&self) -> &Spelling {
        self.layout().spelling()
    }

    /// The name that a game has in every directory outside `games/`: its name in its database, with the code of the
    /// database before the number where there are several.
    pub fn game_name(&self, game: u32) -> String {
        let (part, game) = self.place_of(game);
        let Some(database) = self.databases().get(part) else {
            return String::new();
        };
        let name = database.game_name(game);
        let Some(codes) = &self.all.codes else {
            return name;
        };
        let (before, number_and_end) = name.split_at(name.len() - number_len(database));
        let code = codes.get(part);
        let longest = LONGEST - number_and_end.len() - code.len() - "-".len();
        format!("{}{code}-{number_and_end}", cut(before, longest))
    }

    /// The game with this name, if `holds` is true for it.
    fn named_game(&self, name: &str, holds: impl Fn(u32) -> bool) -> Option<u32> {
        let is_named = |&game: &u32| holds(game) && self.game_name(game) == name;
        let Some(codes) = &self.all.codes else {
            let digits = self.databases().first()?.digits();
            return game_of_name(name, digits).filter(is_named);
        };
        let (before, number) = name.rsplit_once('-')?;
        let mut found = codes.ends_of(before).filter_map(|part| {
            let game = game_of_name(number, self.databases().get(part)?.digits())?;
            self.number_of(part, game).filter(is_named)
        });
        found.next()
    }

    /// The nth of `games` as an entry of a directory.
    pub fn game_at(&self, games: &Games<'_>, n: usize) -> Option<(Cow<'static, str>, Node)> {
        let game = games.get(n)?;
        Some((self.game_name(game).into(), Node::game(game)))
    }

    /// The game with this name in a directory with these games.
    pub fn game_of_name(&self, name: &str, games: &Games<'_>) -> Option<Node> {
        let game = self.named_game(name, |game| games.position(game).is_some())?;
        Some(Node::game(game))
    }
}

/// Views.
impl GameSet {
    /// The directories of a view. On first use, sorts all games.
    pub(super) fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        if let Some(database) = self.own_database() {
            return database.view(id);
        }
        let index = self.views.get(id.index())?;
        let view = self.layout().view(id)?;
        Some(index.get_or(|| {
            let _making = Making::begin(format!("view {}", view.name()), self.name(), 0);
            let names = view.names_players().then(|| self.names()).flatten();
            Box::new(combined_view(&view, id, self, names))
        }))
    }

    /// What to wait for before [`GameSet::view`] is quick: all games may have to be sorted.
    pub(super) fn wait_for_view(&self, id: ViewId) -> Wait {
        if let Some(database) = self.own_database() {
            return database.wait_for_view(id);
        }
        self.views.get(id.index()).map_or(Wait::None, Made::wait)
    }

    /// The path of a group's directory, given the values that the view sorts by, from the top directory down. Sorts
    /// all games on first use.
    pub fn path_of_group(&self, view: &str, texts: &[&str]) -> Option<String> {
        let mut views = self.layout().views();
        let (id, _) = views.find(|(_, other)| other.name() == view)?;
        let index = self.view(id)?;
        let (mut directory, mut path) = (0, format!("{view}/"));
        for text in texts {
            let text = canonical((*text).into());
            let name = directory_name(&text);
            // Different texts can give the same name, for example once slashes are replaced; their directories are then
            // numbered.
            let mut names = (1..=MOST_NUMBERED).map(|ordinal| numbered(&name, ordinal));
            directory = names.find_map(|name| {
                let child = index.child(directory, &name)?;
                (index.text(child).as_deref() == Some(&*text)).then(|| {
                    path += &format!("{name}/");
                    child
                })
            })?;
        }
        Some(path)
    }
}

/// Length in bytes of the number and the extension at the end of the names of games.
fn number_len(database: &IndexedDatabase) -> usize {
    database.digits() + ".pgn".len()
}

/// Usual number of characters of a code.
const USUAL: usize = 3;

/// Maximum number of characters of a code: the whole hash.
const MOST: usize = 13;

/// The codes of some databases.
pub(super) struct Codes {
    codes: Vec<String>,
    databases: HashMap<String, usize>,
}

impl Codes {
    /// Makes each code from the path alone, unless two collide: then the later database gets a longer one. So adding a
    /// database seldom changes the codes of others.
    pub(super) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Codes {
        let mut codes = Codes {
            codes: Vec::new(),
            databases: HashMap::new(),
        };
        for (number, path) in paths.enumerate() {
            let mut salt = 0;
            let code = loop {
                let whole = characters(xxh3_64(path.as_bytes()).wrapping_add(salt));
                let mut beginnings = (USUAL..=MOST).filter_map(|len| whole.get(..len));
                match beginnings.find(|code| !codes.databases.contains_key(*code)) {
                    Some(free) => break free.to_owned(),
                    None => salt += 1,
                }
            };
            codes.databases.insert(code.clone(), number);
            codes.codes.push(code);
        }
        codes
    }

    /// The code of a database.
    pub(super) fn get(&self, database: usize) -> &str {
        self.codes.get(database).map_or("", String::as_str)
    }

    /// The databases whose codes are at the end of a text, the shortest code first.
    pub(super) fn ends_of(&self, text: &str) -> impl Iterator<Item = usize> {
        let code = |len: usize| text.get(text.len().checked_sub(len)?..);
        (USUAL..=MOST).filter_map(move |len| self.databases.get(code(len)?).copied())
    }
}

/// A hash in base 36, in digits and small letters. The least significant digit comes first, so that even a short code
/// depends on the whole hash.
fn characters(mut hash: u64) -> String {
    let mut text = String::with_capacity(MOST);
    for _ in 0..MOST {
        text.extend(char::from_digit((hash % 36) as u32, 36));
        hash /= 36;
    }
    text
}

/// The games of a branch that match a query, found on first use.
pub(super) struct FoundGames {
    query: Arc<Query>,
    /// The games that are searched.
    pub(super) of: Arc<GameSet>,
    /// Called after the search. Returns false if its result cannot be trusted.
    on_found: Box<dyn Fn() -> bool + Send + Sync>,
    found: Made<(Arc<[DatabasePart]>, bool)>,
    /// The duplicates among them.
    own_duplicates: Made<Duplicates>,
    /// The found games that are the best copies of their groups.
    unique: Made<Arc<[DatabasePart]>>,
}

impl FoundGames {
    /// The games of `of` that match a query. After the search `on_found` is called, which returns false if its result
    /// cannot be trusted.
    pub(super) fn new(
        of: &Arc<GameSet>,
        query: &Arc<Query>,
        on_found: impl Fn() -> bool + Send + Sync + 'static,
    ) -> FoundGames {
        FoundGames {
            query: Arc::clone(query),
            of: Arc::clone(of),
            on_found: Box::new(on_found),
            found: Made::new(),
            own_duplicates: Made::new(),
            unique: Made::new(),
        }
    }

    /// The query.
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// What a request for the games has to wait for.
    pub(super) fn wait(&self) -> Wait {
        self.found.wait()
    }

    /// The games, if they have been found.
    pub(super) fn known(&self) -> Option<&[DatabasePart]> {
        self.found.get().map(|(found, _)| &**found)
    }

    /// The memory that they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let duplicates = self.own_duplicates.get().map_or(0, Duplicates::bytes);
        let known = self
            .known()
            .into_iter()
            .chain(self.unique.get().map(|unique| &**unique));
        let games = known.flatten().filter_map(|part| part.games.as_ref());
        games.map(|games| games.bytes()).sum::<usize>() + duplicates
    }

    pub(super) fn found(&self) -> &(Arc<[DatabasePart]>, bool) {
        self.found.get().unwrap_or_else(|| {
            // These are made outside `while_wanted`, because other requests may wait for them: cancelling this search
            // must not cancel them.
            self.of.parts();
            self.of.names();
            // If no request waits for the games any more, the search is cancelled, and the next request that needs
            // them starts it again.
            self.found.get_or(|| {
                task::while_wanted(|| {
                    let databases = self.of.databases();
                    let is_local = databases.iter().all(|database| database.entry().is_local);
                    let find = || self.of.find(&self.query);
                    // A search that hangs in its source must not hold a turn that other searches wait for.
                    let found = if is_local {
                        in_turn(find)
                    } else {
                        at_low_priority(find)
                    };
                    (found, (self.on_found)())
                })
            })
        })
    }
}

impl GameSet {
    /// The databases that queries here may name as a repertoire.
    pub(crate) fn repertoires(&self) -> Repertoires {
        let databases = self.databases().iter();
        let entries = databases.map(|database| Arc::clone(database.positions().entry()));
        Repertoires::of(entries, self.threads())
    }

    /// How its games are searched: with an index of positions only if there is one already.
    pub(super) fn answer_options(&self) -> AnswerOptions {
        AnswerOptions {
            index: if self.layout().has_positions() {
                IndexUse::Auto
            } else {
                IndexUse::No
            },
            scans: true,
            threads: self.threads(),
            names: self.names().cloned(),
            repertoires: Arc::new(self.repertoires()),
        }
    }

    /// The games that are shown and match a query.
    ///
    /// Ends when its work is [cancelled](chessdb_library::task).
    fn find(&self, query: &Query) -> Arc<[DatabasePart]> {
        let all = self
            .databases()
            .iter()
            .map(|database| u64::from(database.database().len()));
        let making = Making::begin(format!("search {}", query.canonical()), self.name(), all.sum());
        let answers = Answers::new(Arc::clone(self.parts()), self.answer_options());
        Arc::clone(answers.among(query, &|games| making.done(games)).parts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_short_and_differ() {
        let paths: Vec<String> = (0..2000).map(|n| format!("folder/{n}.dci")).collect();
        let codes = Codes::new(paths.iter().map(String::as_str));
        let mut seen = std::collections::HashSet::new();
        for (n, path) in paths.iter().enumerate() {
            let code = codes.get(n);
            assert!(seen.insert(code), "{code}");
            assert!((USUAL..USUAL + 3).contains(&code.len()), "{code}");
            assert!(codes.ends_of(&format!("1-0_{code}")).any(|found| found == n));
            // Without the other paths, the code would be the same or a prefix of it.
            let alone = Codes::new([path.as_str()].into_iter());
            assert!(code.starts_with(alone.get(0)), "{code}");
        }
        let is_longer = |n: &usize| codes.get(*n).len() > USUAL;
        let longer = (0..paths.len()).filter(is_longer).count();
        assert!((1..200).contains(&longer), "{longer}");
        assert_eq!(codes.ends_of("").count(), 0);
    }
}
