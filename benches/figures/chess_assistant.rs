//! Figures of Chess Assistant.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use chessdb::Database;
use chessdb::pgn::append_game;

use super::encode_chess_assistant::{Writer, record};
use super::{row, row_at_most, source};
use testkit::samples::open_base;

const GAMES: usize = 1_000_000;
const PLAYERS: usize = 300_000;

/// Measures opening a large database.
pub fn figures(shared: &Path) {
    let sample = open_base(&shared.join("data/chess-assistant/medium/medium"));
    let sample = sample.expect("the samples are a database");
    million_games(&*sample);
}

/// Writes the sample's games repeatedly with other players and rounds, and opens the result.
fn million_games(sample: &dyn Database) {
    let mut pgn = Vec::new();
    (0..sample.len()).for_each(|game| append_game(&mut pgn, &sample.game(game).game));
    let mut games = source::read(&pgn).expect("our export is PGN");
    let records: Vec<Vec<u8>> = games
        .iter()
        .map(|game| record(game).expect("the games came from such records"))
        .collect();
    games.iter_mut().for_each(|game| game.items.clear());

    let mut writer = Writer::default();
    for number in 0..GAMES {
        let place = number % games.len();
        let game = &mut games[place];
        game.set_tag("Round", &(1 + number / 1000 % 100).to_string());
        game.set_tag("White", &format!("Player {:06}, White", 2 * number % PLAYERS));
        game.set_tag(
            "Black",
            &format!("Player {:06}, Black", (2 * number + 1) % PLAYERS),
        );
        writer.add(game, &records[place]).expect("the format holds it");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("million");
    writer.finish(&target).expect("the files can be written");

    // A separate process, so that memory freed by this one is not reused.
    let output = Command::new(std::env::current_exe().expect("the path of this program"))
        .arg(OPEN)
        .arg(&target)
        .output()
        .expect("this program can be started again");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let mut numbers = text
        .split_whitespace()
        .map(|number| number.parse::<f64>().expect("a number"));
    let mut number = || numbers.next().expect("three numbers");
    row_at_most("Chess Assistant: opening 1,000,000 games, seconds", number(), 1.0);
    row_at_most("Chess Assistant: memory, bytes a game", number(), 100.0);
    row("Chess Assistant: keys of all games, milliseconds", number(), None);
}

/// Argument with which this program opens a database, reports the cost, and does nothing else.
pub const OPEN: &str = "--open";

/// Opens a database. Prints seconds, bytes for each game, and milliseconds for the keys of all games.
pub fn report_opening(target: &Path) {
    let before = anonymous_bytes();
    let start = Instant::now();
    let database = open_base(target).expect("a database");
    let opening = start.elapsed().as_secs_f64();
    let bytes = anonymous_bytes() - before;
    let start = Instant::now();
    let keys = (0..database.len()).map(|game| database.keys(game));
    std::hint::black_box(keys.fold(0, |sum, keys| sum ^ keys.white.0 ^ keys.event.0));
    let keys = start.elapsed().as_secs_f64();
    println!(
        "{} {} {}",
        opening,
        bytes / f64::from(database.len()),
        1000.0 * keys
    );
}

/// Anonymous memory of this process in bytes.
fn anonymous_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("RssAnon:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    1024.0 * kibibytes.expect("a number of KiB")
}
