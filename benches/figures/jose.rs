//! Figures of jose, on the database of 2005.

use std::path::Path;

use pgnfs::formats::Database;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use super::common::samples::open_base;
use super::{documented_path, export, fastest, row, row_at_most, uci_moves};

/// Prints the rows.
pub fn figures(shared: &Path) {
    let base = shared.join("data/jose/real2005");
    let open = || -> Box<dyn Database> { open_base(&base).expect("the tables are a database") };
    let database = open();
    let games = f64::from(database.len());
    let moves: Vec<(Chess, Vec<UciMove>)> = (0..database.len())
        .map(|game| uci_moves(&*database, game))
        .collect();

    let opened = fastest(|| open().len() as usize);
    let documented = fastest(|| {
        moves
            .iter()
            .map(|(start, moves)| documented_path(start, moves))
            .sum()
    });
    let ours = fastest(|| export(&*database));
    row_at_most("jose: opening 10,147 games, seconds", opened, 0.2);
    row(
        "jose: shakmaty's documented path, games/s",
        games / documented,
        None,
    );
    row("jose: export, one thread, games/s", games / ours, None);
    row(
        "jose: export against the documented path, times",
        documented / ours,
        Some(3.0),
    );
}
