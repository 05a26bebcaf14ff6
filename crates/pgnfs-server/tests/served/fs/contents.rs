//! The entries of every directory of games. A new entry, or a new view, is a row here.

use pgnfs_server::inside::Kind;

/// The entries of every directory of games.
const ENTRIES: &[(&str, Kind)] = &[
    ("all.pgn", Kind::File),
    ("eco", Kind::Directory),
    ("events", Kind::Directory),
    ("info.txt", Kind::File),
    ("material", Kind::Directory),
    ("merged", Kind::Directory),
    ("moves", Kind::Directory),
    ("players", Kind::Directory),
    ("positions", Kind::Directory),
    ("search", Kind::Directory),
    ("tables", Kind::Directory),
    ("years", Kind::Directory),
];

/// The views, each with the number of its directories that have a game of two players.
const VIEWS: &[(&str, u32)] = &[
    ("eco", 1),
    ("events", 1),
    ("material", 1),
    ("players", 2),
    ("years", 1),
];

/// Names of the entries of a directory of games that has `more` of its own, sorted.
pub fn names(more: &[&'static str]) -> Vec<&'static str> {
    let mut names: Vec<&str> = ENTRIES
        .iter()
        .map(|&(name, _)| name)
        .chain(more.iter().copied())
        .collect();
    names.sort_unstable();
    names
}

/// The link count of a directory of games that has `more` directories of its own.
pub fn links(more: u32) -> u32 {
    let is_directory = |(_, kind): &&(&str, Kind)| *kind == Kind::Directory;
    let directories = ENTRIES.iter().filter(is_directory).count();
    2 + directories as u32 + more
}

/// The number of directories of a database that have a game of two players: `games/` and directories of views.
pub fn directories_of_game() -> u32 {
    1 + VIEWS.iter().map(|(_, directories)| directories).sum::<u32>()
}

/// The number of views.
pub fn views() -> u32 {
    VIEWS.len() as u32
}
