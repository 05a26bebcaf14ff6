//! Every game of every sample database is the same as its expected PGN: tags, moves, variations, NAGs, comments. So do
//! the repository's own games in every format.

use testkit::writers::brenner as encode_brenner;
use testkit::writers::chess_assistant as encode_chess_assistant;
use testkit::writers::chessbase as encode_chessbase;
use testkit::writers::chessbase_2cbh as encode_chessbase_2cbh;
use testkit::writers::chessbase_book as encode_chessbase_book;
use testkit::writers::jose as encode_jose;
use testkit::writers::simplecdb as encode_simplecdb;
use testkit::writers::source;

mod brenner;
mod brenner_hostile;
mod chess_assistant;
mod chess_assistant_hostile;
mod chessbase;
mod chessbase_2cbh;
mod chessbase_2cbv;
mod chessbase_cbh;
mod chessbase_cbh_hostile;
mod chessbase_cbh_items;
mod chessbase_cbh_made;
mod chessbase_cbh_unplayed;
mod jose;
mod jose_hostile;
mod main_lines;
mod own;
mod parquet;
mod pgn_file;
mod scid;
mod scid_made;
mod simplecdb;
mod strangers;

use chessdb::Database;
use chessdb_library::library::{REMARK, to_pgn};
use testkit::needs;
use testkit::pgn::{self, Read};
use testkit::samples::{open_base, samples};

use crate::pgn::layout;

/// The PGN of a whole database.
fn export(database: &dyn Database) -> Vec<u8> {
    let games = (0..database.len()).map(|game| to_pgn(&database.game(game).game));
    games.flatten().collect()
}

/// Compares every game of every sample of a format. `normalize` removes differences that do not matter.
fn check_samples(format: &str, normalize: impl Fn(&mut Read)) {
    let mut games = 0;
    for sample in samples(format) {
        let database = open_base(&sample.base).unwrap_or_else(|| panic!("{} is no database", sample.name));
        games += check_games(&*database, &sample.expected, &sample.name, &normalize);
    }
    eprintln!("{format}: {games} games compared");
}

/// Compares every game of a database, and its layout. Returns their number.
fn check_games(database: &dyn Database, expected: &str, name: &str, normalize: impl Fn(&mut Read)) -> usize {
    check_layout(database, name);
    let mut given = pgn::read(&export(database));
    let mut expected = read_expected(expected.as_bytes());
    assert_eq!(given.len(), expected.len(), "games of {name}");
    given.iter_mut().chain(&mut expected).for_each(&normalize);
    for (number, (given, expected)) in given.iter().zip(&expected).enumerate() {
        assert_same(given, expected, &format!("{name}, game {}", number + 1));
    }
    given.len()
}

/// Compares each byte of each game with the slow writer: reading games back does not notice white space.
fn check_layout(database: &dyn Database, name: &str) {
    for number in 0..database.len() {
        let game = database.game(number).game;
        let given = String::from_utf8(to_pgn(&game)).unwrap();
        assert_eq!(
            given,
            layout::written(&game, REMARK),
            "{name}, game {}",
            number + 1
        );
    }
}

/// Games of expected PGN, which has the control characters of Latin-1, without them.
fn read_expected(text: &[u8]) -> Vec<Read> {
    let mut games = pgn::read(text);
    games.iter_mut().for_each(without_controls);
    games
}

/// Removes control characters as section 2.1 of `docs/semantics.md` has it.
fn without_controls(game: &mut Read) {
    for value in game.tags.values_mut() {
        value.retain(|c| !c.is_control());
    }
    for comment in game.movetext.iter_mut().filter(|item| item.starts_with('{')) {
        if comment.contains(char::is_control) {
            let text = comment
                .trim_start_matches('{')
                .trim_end_matches('}')
                .replace(char::is_control, " ");
            *comment = format!("{{{}}}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}

#[track_caller]
fn assert_same(given: &Read, expected: &Read, place: &str) {
    assert_eq!(given.tags, expected.tags, "tags of {place}");
    assert_eq!(given.outcome, expected.outcome, "result of {place}");
    let differs = given
        .movetext
        .iter()
        .zip(&expected.movetext)
        .position(|(a, b)| a != b);
    let shorter = given.movetext.len().min(expected.movetext.len());
    if let Some(at) = differs.or((given.movetext.len() != expected.movetext.len()).then_some(shorter)) {
        let around = |items: &[String]| items[at.saturating_sub(6)..(at + 6).min(items.len())].join(" ");
        panic!(
            "movetext of {place} differs at item {at}:\n given    {}\n expected {}",
            around(&given.movetext),
            around(&expected.movetext)
        );
    }
}
