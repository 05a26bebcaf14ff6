//! The databases whose positions a directory shows: one, or all.

use std::borrow::Cow;
use std::sync::Arc;

use super::all::{AllDatabases, Part, place_of};
use super::inode::Node;
use super::one_database::{OneDatabase, Views};
use chessdb::formats::Database;
use chessdb_library::library::game_path;
use chessdb_library::positions::Selection;

/// One database, or all of them. Their games are numbered consecutively, database by database.
pub(super) enum Searched {
    /// One.
    One([Part; 1]),
    /// All.
    All(Arc<AllDatabases>),
}

impl Searched {
    /// This database.
    pub(super) fn one(database: &Arc<OneDatabase>) -> Searched {
        Searched::One([Part {
            database: Arc::clone(database),
            first: 0,
        }])
    }

    /// True for a single database.
    pub(super) fn is_one(&self) -> bool {
        matches!(self, Searched::One(_))
    }

    /// The databases with the numbers of their first games.
    pub(super) fn parts(&self) -> &[Part] {
        match self {
            Searched::One(parts) => parts,
            Searched::All(all) => all.parts(),
        }
    }

    /// The games of a database that are shown, if these are not all. On first use, searches for duplicates.
    pub(super) fn selection(&self, number: usize) -> Option<&Arc<Selection>> {
        match self {
            Searched::One(_) => None,
            Searched::All(all) => all.shown()?.selection(number),
        }
    }

    /// True if duplicates have to be searched for to know which games are shown.
    pub(super) fn must_search(&self) -> bool {
        match self {
            Searched::One(_) => false,
            Searched::All(all) => all.must_search(),
        }
    }

    /// The number of games of all databases.
    pub(super) fn games(&self) -> u32 {
        match self {
            Searched::One([part]) => part.database.database().len(),
            Searched::All(all) => all.games(),
        }
    }

    /// The database of a game, and its number there.
    pub(super) fn place_of(&self, game: u32) -> (usize, u32) {
        place_of(self.parts(), game)
    }

    /// The database of a game that exists, and its number there.
    pub(super) fn database_of(&self, game: u32) -> Option<(&dyn Database, u32)> {
        let (number, game) = self.place_of(game);
        let database = self.parts().get(number)?.database.database();
        (game < database.len()).then_some((database, game))
    }

    fn views(&self) -> &dyn Views {
        match self {
            Searched::One([part]) => &*part.database,
            Searched::All(all) => &**all,
        }
    }

    /// The name of a game in every directory of positions.
    pub(super) fn game_name(&self, game: u32) -> String {
        self.views().game_name(game)
    }

    /// The path of a game in `games/`: from the directory of its database if this is the only one, else from the root
    /// of the mount.
    pub(super) fn path(&self, game: u32) -> Option<String> {
        let (database, own) = self.database_of(game)?;
        let path = game_path(own, database.len());
        let folder = match self {
            Searched::One(_) => "",
            Searched::All(all) => all.path(self.place_of(game).0),
        };
        Some(match folder {
            "" => path,
            folder => format!("{folder}/{path}"),
        })
    }

    /// The nth of `games` as an entry of a directory.
    pub(super) fn game_at(&self, games: &[u32], n: usize) -> Option<(Cow<'static, str>, Node)> {
        let &game = games.get(n)?;
        Some((self.game_name(game).into(), Node::game(game)))
    }

    /// The game with this name in a directory that contains these games, in ascending order.
    pub(super) fn game_of_name(&self, name: &str, games: &[u32]) -> Option<Node> {
        let game = self.views().game_number(name)?;
        let is_listed = games.binary_search(&game).is_ok() && self.game_name(game) == name;
        is_listed.then_some(Node::game(game))
    }
}
