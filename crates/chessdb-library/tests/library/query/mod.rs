//! Queries: what their terms find, compared with the tags of games as a reader of PGN sees them.

#![allow(missing_docs)]

mod annotations;
mod by;
mod choices;
mod hints;
mod marks;
mod material;
mod orders;
mod rules;
mod sacrifices;
mod variations;
mod witness;

use chessdb::Database;
use chessdb_library::query::{Query, SearchedGames};

/// A database that is searched as a whole.
pub fn searched<'a>(database: &'a dyn Database, path: &'a str) -> SearchedGames<'a> {
    SearchedGames {
        path,
        ..SearchedGames::all(database)
    }
}

/// The numbers of the games that a query finds, with their plies.
pub fn answer(query: &str, searched: &SearchedGames<'_>) -> Vec<(u32, u32)> {
    let read = Query::parse(query).unwrap_or_else(|error| panic!("{error}"));
    let found = read.answer(searched, 2, &|_| ()).unwrap();
    found.into_iter().map(|found| (found.game, found.ply)).collect()
}

pub fn games(query: &str, searched: &SearchedGames<'_>) -> Vec<u32> {
    answer(query, searched)
        .into_iter()
        .map(|(game, _)| game)
        .collect()
}
