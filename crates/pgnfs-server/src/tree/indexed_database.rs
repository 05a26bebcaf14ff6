//! A database with its views and its index of positions.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::index::{KeptViews, Naming, ViewIndex};
use super::inode::ViewId;
use super::layout::Layout;
use super::views::{Sorting, View};
use chessdb::{Database, Keys};
use chessdb_library::kept::{KeptFile, KeptFiles};
use chessdb_library::library::{LibraryEntry, digits};
use chessdb_library::made::{Made, Wait};
use chessdb_library::making::Making;
use chessdb_library::positions::{BuildOptions, LineEnds, Positions};
use chessdb_library::spelling::{Names, Spelling};

/// A database with the names of its games, its views and its index of positions. The latter two are made on first use,
/// and every branch that shows the database shares them.
pub struct IndexedDatabase {
    entry: Arc<LibraryEntry>,
    layout: Arc<Layout>,
    threads: usize,
    views: Vec<Made<Box<ViewIndex>>>,
    /// The players as they are stored, where `views` has joined spellings.
    stored_players: Made<Box<ViewIndex>>,
    kept_views: OnceLock<Arc<KeptViews>>,
    /// Kept files that were made from it and other databases.
    kept_with_others: Mutex<Vec<KeptFile>>,
    positions: Arc<Positions>,
    /// For duplicates and for views of material.
    line_ends: Arc<LineEnds>,
}

impl IndexedDatabase {
    /// A database whose index is built in this way when it is needed.
    pub fn new(entry: Arc<LibraryEntry>, layout: Arc<Layout>, build: BuildOptions) -> IndexedDatabase {
        let positions = Arc::new(Positions::new(&entry, build));
        IndexedDatabase {
            threads: build.threads,
            entry: Arc::clone(positions.entry()),
            views: layout.views().map(|_| Made::new()).collect(),
            stored_players: Made::new(),
            line_ends: Arc::new(LineEnds::with(positions.lines())),
            kept_views: OnceLock::new(),
            kept_with_others: Mutex::default(),
            layout,
            positions,
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

    /// The positions of its games.
    pub fn positions(&self) -> &Arc<Positions> {
        &self.positions
    }

    /// The ends of its main lines.
    pub(super) fn line_ends(&self) -> &LineEnds {
        &self.line_ends
    }

    /// Number of digits in the numbers of games.
    pub fn digits(&self) -> usize {
        digits(self.database().len())
    }

    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Maximum number of threads for work on all games.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The name that a game has in every directory outside `games/`.
    pub(super) fn game_name(&self, game: u32) -> String {
        let keys = self.database().keys(game);
        let name = self.layout.game_name();
        name.name_of(self.database(), &keys, game, self.digits())
    }

    /// The directories of a view. On first use, sorts all games.
    pub(super) fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let index = self.views.get(id.index())?;
        let view = self.layout.view(id)?;
        Some(index.get_or(|| self.index(view, self.layout.spelling().clone())))
    }

    /// What to wait for before [`IndexedDatabase::view`] is quick: all games may have to be sorted.
    pub(super) fn wait_for_view(&self, id: ViewId) -> Wait {
        self.views.get(id.index()).map_or(Wait::None, Made::wait)
    }

    /// A view of players, or one without names of players, before spellings are joined.
    pub(super) fn stored_view(&self, id: ViewId) -> Option<&ViewIndex> {
        let view = self.layout.view(id)?;
        if *self.layout.spelling() == Spelling::Stored || !view.is_of_players() {
            return self.view(id);
        }
        let index = || self.index(view, Spelling::Stored);
        Some(self.stored_players.get_or(index))
    }

    /// A view with these names for players. It is built now and not kept.
    pub(super) fn named_view(&self, id: ViewId, names: &Names) -> Option<ViewIndex> {
        let sorting = Arc::new(self.sorting(self.layout.view(id)?, Spelling::Stored));
        Some(ViewIndex::named(&sorting, Some(names), Naming::Computed))
    }

    /// The number of directories of views that show a game.
    pub(super) fn directories_of(&self, game: u32, keys: &Keys) -> u32 {
        let views = self.layout.views();
        views
            .map(|(_, view)| view.directories(self.database(), game, keys))
            .sum()
    }

    /// Keeps views that are built from now on in files, while `is_trusted` returns true.
    pub fn keep_views_in(&self, files: &KeptFiles, is_trusted: impl Fn() -> bool + Send + Sync + 'static) {
        self.kept_views.get_or_init(|| KeptViews::new(files, is_trusted));
    }

    /// The folder for its kept files; `None` if it cannot be trusted.
    pub(super) fn kept_files(&self) -> Option<&KeptFiles> {
        self.kept_views.get()?.files()
    }

    /// True unless it is known that its files have changed or that it has contradicted itself.
    pub(super) fn is_trusted(&self) -> bool {
        self.kept_files().is_some() && self.entry.is_intact()
    }

    /// Lets [`IndexedDatabase::forget_kept`] remove this file, too.
    pub(super) fn forget_with(&self, file: &KeptFile) {
        self.kept_with_others.lock().push(file.clone());
    }

    /// Removes the kept views, lines and index of positions, which may belong to another state.
    pub fn forget_kept(&self) {
        if let Some(kept) = self.kept_views.get() {
            for (_, view) in self.layout.views() {
                for spelling in [&Spelling::Stored, self.layout.spelling()] {
                    kept.remove(&self.sorting(view.clone(), spelling.clone()));
                }
            }
        }
        self.positions.forget_kept();
        self.kept_with_others.lock().iter().for_each(KeptFile::remove);
    }

    fn index(&self, view: View, spelling: Spelling) -> Box<ViewIndex> {
        let _making = Making::begin(format!("view {}", view.name()), self.entry.name(), 0);
        Box::new(ViewIndex::of(self.sorting(view, spelling), self.kept_views.get()))
    }

    fn sorting(&self, view: View, spelling: Spelling) -> Sorting {
        Sorting {
            view,
            entry: Arc::clone(&self.entry),
            spelling,
            line_ends: Arc::clone(&self.line_ends),
            threads: self.threads,
        }
    }
}
