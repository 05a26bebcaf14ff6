//! The texts of `positions/info.txt` and of `info.txt` of a position.

use std::fmt::Write;

use super::branch_positions::{BranchPositions, FoundPosition};
use chessdb::game::Outcome;
use chessdb_library::library::on_one_line;
use chessdb_library::positions::{diagram, pattern_epd};

const HOW_TO_ASK: &str = "\
Every position of every game is a directory here, but none is listed. Its name
is its FEN or EPD, with - or . instead of / and _ instead of spaces:

  ls 'positions/rnbqkbnr-pppppppp-8-8-4P3-8-PPPP1PPP-RNBQKBNR_b_KQkq_-'

A FEN with slashes works, too. If it lacks the castling rights or the en passant
square, any match. A position that no game reached gives \"No such file or
directory\". Every other has info.txt, moves.csv (what was played, how often and
with which result), games/, games.pgn and games.csv, and moves/ with links to the
positions that follow.
start is the usual start position.
";

const NOVELTIES: &str = "\
novelties.csv has the first move of each game that leads to a position that no
game of an earlier date has.
";

const LEFT_OUT: &str = "
These databases are left out, because they have no index of positions:
";

/// `positions/info.txt`
pub(super) fn how_to_ask(positions: &BranchPositions) -> String {
    let mut text = HOW_TO_ASK.to_owned();
    if positions.game_set().only_database().is_some() {
        return text + NOVELTIES;
    }
    let mut headline = LEFT_OUT;
    for path in positions.left_out() {
        text += &format!("{headline}  {}\n", on_one_line(path));
        headline = "";
    }
    text
}

/// `info.txt` of a position.
pub(super) fn position_info(positions: &BranchPositions, found: &FoundPosition) -> String {
    let position = found.pattern.position();
    let searched = positions.game_set();
    let mut counts = [0; 4];
    let mut dated = Vec::new();
    for &game in &*found.games {
        let keys = searched
            .database_of(game)
            .map(|(database, game)| database.keys(game));
        let date = keys.map(|keys| keys.date).unwrap_or_default();
        if date.year > 0 {
            dated.push((date, game));
        }
        let place = match keys.map(|keys| keys.outcome).unwrap_or_default() {
            Outcome::WhiteWins => 0,
            Outcome::Draw => 1,
            Outcome::BlackWins => 2,
            Outcome::Unknown => 3,
        };
        counts[place] += 1;
    }
    // The first and the last day; among games of one day, the order of the databases.
    dated.sort_by_key(|(date, _)| (date.year, date.month, date.day));
    let [white, draws, black, _] = counts;
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row("EPD:", &pattern_epd(&found.pattern));
    row("Games:", &found.games.len().to_string());
    row(
        "Results:",
        &format!("{white} won by White, {draws} drawn, {black} won by Black"),
    );
    let path = |game: u32| {
        let path = searched.path(game).unwrap_or_default();
        on_one_line(&path).into_owned()
    };
    match (&*found.games, dated.first(), dated.last()) {
        ([only], ..) => row("Only:", &path(*only)),
        (_, Some((first, earliest)), Some((last, latest))) => {
            row("First:", &format!("{first}, {}", path(*earliest)));
            row("Last:", &format!("{last}, {}", path(*latest)));
        }
        _ => {}
    }
    text + "\n" + &diagram(position)
}
