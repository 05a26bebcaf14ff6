//! Writes example databases from PGN: `make_database FORMAT TARGET GAMES.pgn...`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use testkit::writers::WRITERS;
use testkit::writers::source::{self, SourceGame};

fn command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        let number = value_parser!(usize);
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(number)
            .help(help)
    };
    Command::new("make_database")
        .about("Makes a chess database from PGN games.")
        .args([
            Arg::new("format")
                .required(true)
                .help("What to write; without a good name all are listed"),
            Arg::new("target")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Path of the database without extension"),
            Arg::new("games")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("PGN files"),
            option(
                "count",
                "COUNT",
                "Repeat the games until there are COUNT of them; each repetition gets its own rounds",
            ),
            option(
                "players",
                "PLAYERS",
                "Give the repetitions PLAYERS different player names",
            ),
        ])
}

fn main() -> ExitCode {
    match run(&command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make_database: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let format: &String = arguments.get_one("format").ok_or("no format")?;
    let target: &PathBuf = arguments.get_one("target").ok_or("no target")?;
    let (_, write) = WRITERS.iter().find(|(name, _)| name == format).ok_or_else(|| {
        let names: Vec<&str> = WRITERS.iter().map(|(name, _)| *name).collect();
        format!("unknown format '{format}': there are {}", names.join(", "))
    })?;
    let mut games = Vec::new();
    for path in arguments.get_many::<PathBuf>("games").into_iter().flatten() {
        let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        games.extend(source::read(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    if let Some(&count) = arguments.get_one("count") {
        games = repeated(&games, count, arguments.get_one("players").copied());
    }
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    write(&games, target)
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
