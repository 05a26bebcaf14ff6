//! A database as all sections of its directory use it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::game_name::game_of_name;
use super::index::{Naming, Sorting, ViewIndex};
use super::indexed::Positions;
use super::inode::{Node, ViewId};
use super::layout::Layout;
use super::names::{canonical, directory_name};
use super::view_files::{KeptViews, ViewFiles};
use super::views::View;
use chessdb::formats::{Database, Keys};
use chessdb_library::duplicates::Duplicates;
use chessdb_library::library::digits;
use chessdb_library::library::{LibraryEntry, numbered};
use chessdb_library::positions::BuildOptions;
use chessdb_library::spelling::{Names, Spelling};

/// A database with the names of its games and its views, which are built on first use.
pub struct OneDatabase {
    entry: Arc<LibraryEntry>,
    layout: Layout,
    threads: usize,
    duplicates: OnceLock<Duplicates>,
    views: Vec<OnceLock<Box<ViewIndex>>>,
    /// The players as they are stored, where `views` has joined spellings.
    stored_players: OnceLock<Box<ViewIndex>>,
    kept_views: OnceLock<Arc<KeptViews>>,
    positions: Arc<Positions>,
}

impl OneDatabase {
    pub(super) fn new(entry: Arc<LibraryEntry>, layout: Layout, build: BuildOptions) -> OneDatabase {
        OneDatabase {
            threads: build.threads,
            duplicates: OnceLock::new(),
            positions: Arc::new(Positions::new(&entry, build)),
            entry,
            views: layout.views().map(|_| OnceLock::new()).collect(),
            stored_players: OnceLock::new(),
            kept_views: OnceLock::new(),
            layout,
        }
    }

    /// The database and its files.
    pub fn entry(&self) -> &LibraryEntry {
        &self.entry
    }

    /// The database.
    pub fn database(&self) -> &dyn Database {
        &*self.entry.database
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of digits in the numbers of games.
    pub fn digits(&self) -> usize {
        digits(self.database().len())
    }

    /// A view of players, or one without names of players, before spellings are joined.
    pub(super) fn stored_view(&self, id: ViewId) -> Option<&ViewIndex> {
        let view = self.layout.view(id)?;
        if *self.layout.spelling() == Spelling::Stored || !view.is_of_players() {
            return self.view(id);
        }
        let index = || self.index(view, Spelling::Stored);
        Some(self.stored_players.get_or_init(index))
    }

    /// A view in which players are shown under these names. It is built now and not kept.
    pub(super) fn named_view(&self, id: ViewId, names: &Names) -> Option<ViewIndex> {
        let sorting = self.sorting(self.layout.view(id)?, Spelling::Stored);
        Some(ViewIndex::named(
            &Arc::new(sorting),
            Some(names),
            Naming::Computed,
        ))
    }

    /// Keeps views that are built from now on in files, as long as `is_trusted` returns true.
    pub fn keep_views_in(&self, files: &ViewFiles, is_trusted: impl Fn() -> bool + Send + Sync + 'static) {
        self.kept_views.get_or_init(|| KeptViews::new(files, is_trusted));
    }

    /// Removes the files of its views and of its index of positions, which may be those of another state.
    pub fn forget_kept(&self) {
        if let Some(kept) = self.kept_views.get() {
            for (_, view) in self.layout.views() {
                for spelling in [&Spelling::Stored, self.layout.spelling()] {
                    kept.remove(&self.sorting(view.clone(), spelling.clone()));
                }
            }
        }
        self.positions.remove_file();
    }

    fn index(&self, view: View, spelling: Spelling) -> Box<ViewIndex> {
        Box::new(ViewIndex::of(self.sorting(view, spelling), self.kept_views.get()))
    }

    fn sorting(&self, view: View, spelling: Spelling) -> Sorting {
        Sorting {
            view,
            entry: Arc::clone(&self.entry),
            spelling,
        }
    }

    /// Maximum number of threads for work on all games.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The duplicates among the games. On first use, searches all games.
    pub fn duplicates(&self) -> &Duplicates {
        self.duplicates
            .get_or_init(|| Duplicates::find(&[self.database()], self.threads))
    }

    /// The path of the directory of a view whose texts are these, from the database's directory.
    pub fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String> {
        Views::directory_of(self, view, texts)
    }

    /// The positions of the games.
    pub(super) fn positions(&self) -> &Arc<Positions> {
        &self.positions
    }

    /// The name that a game has in every directory outside `games/`.
    pub fn game_name(&self, game: u32) -> String {
        let keys = self.database().keys(game);
        let name = self.layout.game_name();
        name.of(self.database(), &keys, game, self.digits())
    }

    /// The nth of `games` as an entry of a directory.
    pub fn game_at(&self, games: &[u32], n: usize) -> Option<(Cow<'_, str>, Node)> {
        let &game = games.get(n)?;
        Some((self.game_name(game).into(), Node::game(game)))
    }

    /// The game with this name in a directory that contains the games for which `holds` is true.
    pub fn game_of_name(&self, name: &str, holds: impl Fn(u32) -> bool) -> Option<Node> {
        let game = game_of_name(name, self.digits()).filter(|&game| holds(game))?;
        (self.game_name(game) == name).then_some(Node::game(game))
    }
}

/// Games with their names, sorted into views.
pub(super) trait Views: Send + Sync {
    /// The layout of names and views.
    fn layout(&self) -> &Layout;

    /// The directories of a view.
    fn view(&self, id: ViewId) -> Option<&ViewIndex>;

    /// True if [`Views::view`] has to sort all games first.
    fn must_build(&self, id: ViewId) -> bool;

    /// The name that a game has in every directory of a view.
    fn game_name(&self, game: u32) -> String;

    /// The game whose number is in `name`. The rest of the name need not match.
    fn game_number(&self, name: &str) -> Option<u32>;

    /// The number of directories that show a game.
    fn directories_of(&self, game: u32, keys: &Keys) -> u32;

    /// The path of a view's directory: that of the group with these texts from the view's own directory on. Sorts all
    /// games if they are not yet.
    fn directory_of(&self, view: &str, texts: &[&str]) -> Option<String> {
        let mut views = self.layout().views();
        let (id, _) = views.find(|(_, other)| other.name() == view)?;
        let index = self.view(id)?;
        let (mut directory, mut path) = (0, format!("{view}/"));
        for text in texts {
            let text = canonical((*text).into());
            let name = directory_name(&text);
            // Texts that have the same name, for example after their slashes were replaced, are numbered.
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

/// Number of directories of one name in which the one with a text is looked for.
const MOST_NUMBERED: u32 = 9;

impl Views for OneDatabase {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let index = self.views.get(id.index())?;
        let view = self.layout.view(id)?;
        Some(index.get_or_init(|| self.index(view, self.layout.spelling().clone())))
    }

    fn must_build(&self, id: ViewId) -> bool {
        let index = self.views.get(id.index());
        index.is_some_and(|index| index.get().is_none())
    }

    fn game_name(&self, game: u32) -> String {
        OneDatabase::game_name(self, game)
    }

    fn game_number(&self, name: &str) -> Option<u32> {
        game_of_name(name, self.digits())
    }

    fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        let views = self.layout.views();
        views
            .map(|(_, view)| view.directories(self.database(), game, keys))
            .sum()
    }
}
