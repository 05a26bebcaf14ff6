//! Writes example databases from PGN: `make_database FORMAT TARGET GAMES.pgn...`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use testkit::writers::WRITERS;
use testkit::writers::source::{self, SourceGame};

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
    /// Repeat the games until there are COUNT of them; each repetition gets its own rounds
    #[arg(long)]
    count: Option<usize>,
    /// Give the repetitions PLAYERS different player names
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
