//! `tables/deviations.csv`: where the games of a search leave its repertoire.

use super::branch::Branch;
use chessdb_library::cancel;
use chessdb_library::csv::append_record;
use chessdb_library::making::Making;
use chessdb_library::positions::DatabasePart;
use chessdb_library::repertoire::LEFT_COLUMNS;

/// True for the directory of a search with one repertoire.
pub(super) fn has_deviations(branch: &Branch) -> bool {
    let query = branch.query();
    query.is_some_and(|query| query.only_repertoire().is_some())
}

/// The table; `None` if the branch [does not have it](has_deviations).
pub(super) fn deviations(branch: &Branch) -> Option<String> {
    let query = branch.query()?;
    let options = branch.answer_options();
    let mut table = Vec::new();
    append_record(&mut table, LEFT_COLUMNS);
    let games: u32 = branch.parts().iter().map(DatabasePart::len).sum();
    let making = Making::begin("deviations.csv", branch.name(), games.into());
    for part in branch.parts().iter() {
        cancel::check();
        let games: Vec<u32> = part.games_at(0..part.len()).collect();
        for left in query.left_in(part, &games, &options, &|games| making.done(games)) {
            let path = branch.path(part.first.saturating_add(left.game));
            append_record(&mut table, left.record(path.unwrap_or_default()));
        }
    }
    String::from_utf8(table).ok()
}
