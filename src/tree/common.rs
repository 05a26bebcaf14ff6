//! What the sections of a database's directory have in common.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::game_name::game_of_name;
use super::index::ViewIndex;
use super::inode::{Node, ViewId};
use super::layout::Layout;
use super::names::digits;
use crate::library::LibraryEntry;
use chessdb::formats::Database;

/// A database with the names of its games and its views. A view is built when somebody first looks at it.
pub struct Common {
    entry: Arc<LibraryEntry>,
    layout: Layout,
    digits: usize,
    views: Vec<OnceLock<Box<ViewIndex>>>,
}

impl Common {
    pub(super) fn new(entry: Arc<LibraryEntry>, layout: Layout) -> Common {
        Common {
            digits: digits(entry.database.len()),
            entry,
            views: layout.views().map(|_| OnceLock::new()).collect(),
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

    /// Digits of the numbers of games.
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// The index of a view.
    pub(super) fn view(&self, id: ViewId) -> Option<&ViewIndex> {
        let index = self.views.get(id.index())?;
        let view = self.layout.view(id)?;
        Some(index.get_or_init(|| Box::new(ViewIndex::new(view, &self.entry))))
    }

    /// True where [`Common::view`] has to sort all games first.
    pub(super) fn must_build(&self, id: ViewId) -> bool {
        let index = self.views.get(id.index());
        index.is_some_and(|index| index.get().is_none())
    }

    /// The name that a game has in every directory outside `games/`.
    pub fn game_name(&self, game: u32) -> String {
        let keys = self.database().keys(game);
        let name = self.layout.game_name();
        name.of(self.database(), &keys, game, self.digits)
    }

    /// The nth of some games as an entry of a directory.
    pub fn game_at(&self, games: &[u32], n: usize) -> Option<(Cow<'_, str>, Node)> {
        let &game = games.get(n)?;
        Some((self.game_name(game).into(), Node::game(game)))
    }

    /// The game of a name in a directory that `holds` it.
    pub fn game_of_name(&self, name: &str, holds: impl Fn(u32) -> bool) -> Option<Node> {
        let game = game_of_name(name, self.digits).filter(|&game| holds(game))?;
        (self.game_name(game) == name).then_some(Node::game(game))
    }
}
