//! The games of a directory.

use super::all::InParts;
use super::game_numbers::GameNumbers;
use super::section::{Content, DirectoryGames};

/// Numbers of the games in a directory of a view, in the directory's order.
#[derive(Clone, Copy)]
pub enum GameList<'a> {
    /// Games of a single database.
    Own(GameNumbers<'a>),
    /// Games of several databases.
    InParts(InParts<'a>),
}

impl<'a> GameList<'a> {
    /// Number of games.
    pub fn len(self) -> usize {
        match self {
            GameList::Own(games) => games.len(),
            GameList::InParts(games) => games.len(),
        }
    }

    /// True if there are no games.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The nth game.
    pub fn get(self, n: usize) -> Option<u32> {
        match self {
            GameList::Own(games) => games.get(n),
            GameList::InParts(games) => games.get(n),
        }
    }

    /// The index of a game.
    pub fn position(self, game: u32) -> Option<usize> {
        match self {
            GameList::Own(games) => games.position(game),
            GameList::InParts(games) => games.position(game),
        }
    }

    /// The games after the first `first` ones.
    pub fn after(self, first: usize) -> Option<DirectoryGames<'a>> {
        match self {
            GameList::Own(games) => DirectoryGames::after(games, first),
            GameList::InParts(games) => Some(DirectoryGames::InParts(games, first..games.len())),
        }
    }

    /// The games as the content of a file.
    pub fn content(self) -> Content<'a> {
        match self {
            GameList::Own(games) => Content::Games(games),
            GameList::InParts(games) => Content::InParts(games),
        }
    }
}
