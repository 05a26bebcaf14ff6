//! Writes example databases from PGN: `make_database FORMAT TARGET GAMES.pgn...`.
//!
//! The writers are small and follow the pages in `docs/formats/`. They serve examples, tests and benches. A
//! game that a format cannot represent is refused with a message, never changed.

mod brenner;
mod chess_assistant;
mod chessbase;
mod chessbase_2cbh;
mod chessbase_book;
mod chessbase_cbh;
mod jose;
mod scid;
mod simplecdb;
mod source;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use source::SourceGame;

/// Writes games to files whose path is given without extension.
type Write = fn(&[SourceGame], &Path) -> Result<(), Box<dyn Error>>;

/// All formats that can be written.
const WRITERS: &[(&str, Write)] = &[
    ("chessbase", chessbase::write),
    ("chessbase-cbh", chessbase_cbh::write),
    ("chessbase-2cbh", chessbase_2cbh::write),
    ("chessbase-2cbv", chessbase_2cbh::write_archive),
    ("chessbase-book", chessbase_book::write),
    ("chessbase-book-flat", chessbase_book::write_flat),
    ("chess-assistant", chess_assistant::write),
    ("brenner", brenner::write),
    ("brenner-alternate", brenner::write_alternate),
    ("jose", jose::write),
    ("scid", scid::write),
    ("simplecdb", simplecdb::write),
];

/// Makes a chess database from PGN games.
#[derive(Parser)]
struct Arguments {
    /// What to write; without a good name all are listed
    format: String,
    /// Path of the database without extension
    target: PathBuf,
    /// PGN files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Repeat the games until there are so many; each repetition gets its own rounds
    #[arg(long)]
    count: Option<usize>,
    /// Give the repetitions so many different player names
    #[arg(long)]
    players: Option<usize>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make_database: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let (_, write) = WRITERS
        .iter()
        .find(|(name, _)| *name == arguments.format)
        .ok_or_else(|| {
            let names: Vec<&str> = WRITERS.iter().map(|(name, _)| *name).collect();
            format!(
                "unknown format '{}': there are {}",
                arguments.format,
                names.join(", ")
            )
        })?;
    let mut games = Vec::new();
    for path in &arguments.games {
        let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        games.extend(source::read(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    if let Some(count) = arguments.count {
        games = repeated(&games, count, arguments.players);
    }
    if let Some(folder) = arguments.target.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    write(&games, &arguments.target)
}

/// Repeats the games until there are `count`, with consecutive rounds and, if `players` is given, numbered
/// players.
fn repeated(games: &[SourceGame], count: usize, players: Option<usize>) -> Vec<SourceGame> {
    let turns = games.iter().cycle().take(count);
    turns
        .enumerate()
        .map(|(number, game)| {
            let mut game = game.clone();
            game.set_tag("Round", &(number / games.len() % 1000 + 1).to_string());
            if let Some(players) = players {
                game.set_tag("White", &format!("Player {:06}, White", 2 * number % players));
                game.set_tag(
                    "Black",
                    &format!("Player {:06}, Black", (2 * number + 1) % players),
                );
            }
            game
        })
        .collect()
}
