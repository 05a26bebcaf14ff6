//! Databases made of moves, and questions made of terms.

use chessdb::Database;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{BuildOptions, Positions};
use chessdb_library::query::{PositionGroup, PositionQuery, PositionTerm, SearchedGames};
use testkit::samples::open_base;

/// An ending with a rook and a pawn on each side.
pub const ENDING: &str = "8/5k2/8/3R4/1p6/4P3/8/2K4r w - - 0 1";

/// A database of PGN games, whose lines are kept nowhere.
pub fn games(pgn: &str) -> Box<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    std::fs::write(path.with_extension("pgn"), pgn).unwrap();
    open_base(&path).unwrap()
}

/// A game of these moves.
pub fn game(moves: &str) -> String {
    format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves} *\n\n")
}

/// A game from a set-up position.
pub fn set_up(fen: &str, moves: &str) -> String {
    format!("[Event \"?\"]\n[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves} *\n\n")
}

/// A group of terms without alternatives.
pub fn group(terms: impl IntoIterator<Item = PositionTerm>) -> PositionGroup {
    PositionGroup {
        terms: terms.into_iter().map(|term| vec![term]).collect(),
        ..PositionGroup::default()
    }
}

pub fn asking(groups: impl IntoIterator<Item = PositionGroup>) -> PositionQuery {
    PositionQuery {
        groups: groups.into_iter().collect(),
        ..PositionQuery::default()
    }
}

/// The games found, each with its ply. They are the same without kept lines, while these are written, and with them.
pub fn found(query: &PositionQuery, pgn: &str) -> Vec<(u32, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, pgn).unwrap();
    let library = Library::open(&path, &chessdb::Options::default()).unwrap();
    let positions = || Positions::new(&library.databases()[0], BuildOptions::default());
    let cache = |name: &str| KeptFiles::open(&folder.path().join(name), "", Space::default()).unwrap();
    let find = |positions: &Positions| {
        let searched = SearchedGames {
            lines: Some(positions.lines()),
            ..SearchedGames::all(&*positions.entry().database)
        };
        query.find(&searched, 2, &|_| ()).unwrap()
    };
    let without = find(&positions());
    let first = positions();
    first.keep_in(&cache("first"));
    assert_eq!(find(&first), without, "while lines are written");
    let second = positions();
    second.keep_in(&cache("second"));
    second.lines().make(2, &|_| ());
    assert!(second.lines().are_kept());
    assert_eq!(find(&second), without, "with kept lines");
    without.into_iter().map(|found| (found.game, found.ply)).collect()
}

/// True if a term holds in a position.
pub fn holds(term: PositionTerm, fen: &str) -> bool {
    !found(&asking([group([term])]), &set_up(fen, "")).is_empty()
}

pub fn board(text: &str) -> PositionTerm {
    PositionTerm::board(text).unwrap()
}

pub fn material(text: &str) -> PositionTerm {
    PositionTerm::material(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn played(text: &str) -> PositionTerm {
    PositionTerm::played(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn line(text: &str) -> PositionTerm {
    PositionTerm::line(text).unwrap()
}
