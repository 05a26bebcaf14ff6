//! Where games leave a repertoire.

use std::io::{self, Write};

use super::lines::path;
use super::order::{FoundGame, Order};
use crate::cli::search::Search;
use chessdb_library::csv::append_record;
use chessdb_library::query::Query;
use chessdb_library::repertoire::LEFT_COLUMNS;

/// Shows, for each game that leaves the repertoire of the query, the move that leaves it.
pub fn deviations(search: &Search, query: &Query, order: &Order) -> (u64, io::Result<()>) {
    let parts = search.parts();
    let mut left = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let found = search.answer(part, query);
        let games: Vec<u32> = found.iter().map(|found| found.game).collect();
        let in_part = query.left_in(part, &games, search.answers.options(), &|_| ());
        left.extend(in_part.into_iter().map(|shown| FoundGame {
            part: number,
            game: shown.game,
            shown,
        }));
    }
    order.arrange(&mut left, parts, search.threads());
    let mut table = Vec::new();
    if !left.is_empty() {
        append_record(&mut table, LEFT_COLUMNS);
    }
    for one in &left {
        append_record(
            &mut table,
            one.shown.record(path(parts[one.part].entry(), one.game)),
        );
    }
    search.bar.finish_and_clear();
    (left.len() as u64, io::stdout().lock().write_all(&table))
}
