//! `tables/deviations.csv`: where the games of a search leave its repertoire.

use super::branch::GameSet;
use chessdb_library::cancel;
use chessdb_library::csv::append_record;
use chessdb_library::making::Making;
use chessdb_library::positions::DatabasePart;
use chessdb_library::repertoire::LEFT_COLUMNS;

/// True for the directory of a search with one repertoire.
pub(super) fn has_deviations(game_set: &GameSet) -> bool {
    let query = game_set.query();
    query.is_some_and(|query| query.only_repertoire().is_some())
}

/// The table; `None` if the branch [does not have it](has_deviations).
pub(super) fn deviations(game_set: &GameSet) -> Option<String> {
    let query = game_set.query()?;
    let options = game_set.answer_options();
    let mut table = Vec::new();
    append_record(&mut table, LEFT_COLUMNS);
    let games: u32 = game_set.parts().iter().map(DatabasePart::len).sum();
    let making = Making::begin("deviations.csv", game_set.name(), games.into());
    for part in game_set.parts().iter() {
        cancel::check();
        let games: Vec<u32> = part.games_at(0..part.len()).collect();
        for left in query.left_in(part, &games, &options, &|games| making.done(games)) {
            let path = game_set.path(part.first.saturating_add(left.game));
            append_record(&mut table, left.record(path.unwrap_or_default()));
        }
    }
    String::from_utf8(table).ok()
}
