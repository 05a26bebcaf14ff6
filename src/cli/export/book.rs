//! Games as an opening book of Polyglot.

use std::io::{self, Write};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use indicatif::ProgressBar;

use crate::cli::{CommandError, counted, logging};
use chessdb::board::Color;
use chessdb_library::polyglot::{BookError, BookMoves, BookOptions, BookWritten};
use chessdb_library::positions::DatabasePart;

/// The options for books only.
pub fn arguments() -> [Arg; 5] {
    let option = |name: &'static str, value| Arg::new(name).long(name).value_name(value);
    let number = value_parser!(u32).range(1..);
    [
        option("max-ply", "N")
            .value_parser(number)
            .help("For a book: counts only the first N half-moves of each game [default: 1024]"),
        option("min-games", "N")
            .value_parser(number)
            .help("For a book: only moves played at least N times in a position [default: 3]"),
        option("min-score", "N")
            .allow_hyphen_values(true)
            .value_parser(percent)
            .help("For a book: only moves that scored at least N percent, from 0 to 100 [default: 0]"),
        option("side", "SIDE")
            .value_parser(["white", "black"])
            .help("For a book: only moves of this side"),
        Arg::new("uniform")
            .long("uniform")
            .action(ArgAction::SetTrue)
            .help("For a book: gives all moves the same weight"),
    ]
}

fn percent(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or("expected a number from 0 to 100")
}

/// Reads the options of a book.
///
/// # Errors
/// If one is given for another form.
pub fn options(matches: &ArgMatches) -> Result<Option<BookOptions>, CommandError> {
    let text = |name| matches.get_one(name).map(String::as_str);
    if text("to") != Some("polyglot") {
        let is_given =
            |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        return match arguments().iter().find(|arg| is_given(arg)) {
            Some(arg) => Err(format!("--{} is for books: give --to polyglot", arg.get_id()).into()),
            None => Ok(None),
        };
    }
    if text("part").is_some() {
        return Err(
            "--part is not for books, which count all games together: choose games with --where".into(),
        );
    }
    let usual = BookOptions::default();
    Ok(Some(BookOptions {
        max_ply: matches.get_one("max-ply").copied().unwrap_or(usual.max_ply),
        min_games: matches.get_one("min-games").copied().unwrap_or(usual.min_games),
        min_score: matches.get_one("min-score").copied().unwrap_or(usual.min_score),
        side: match text("side") {
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            _ => usual.side,
        },
        uniform: matches.get_flag("uniform"),
    }))
}

/// Writes an opening book from parts of databases, and reports how many games are not in it.
pub fn write(
    out: &mut impl Write,
    options: BookOptions,
    parts: &[DatabasePart],
    threads: usize,
    bar: &ProgressBar,
) -> io::Result<()> {
    let written = write_moves(out, options, parts, threads, bar).map_err(|error| match error {
        BookError::Output(error) => error,
        error => io::Error::other(error),
    })?;
    if written.set_up > 0 {
        let games = counted(written.set_up, "game");
        logging::say(format_args!("{games} from set-up positions left out"));
    }
    if written.entries == 0 {
        let games: u64 = parts.iter().map(|part| u64::from(part.len())).sum();
        let why = if games == 0 {
            "there are no games"
        } else if games == written.set_up {
            "no game begins in the usual start position"
        } else {
            "--min-games, --min-score and --side leave no move"
        };
        logging::say(format_args!("the book is empty: {why}"));
    }
    Ok(())
}

fn write_moves(
    out: &mut impl Write,
    options: BookOptions,
    parts: &[DatabasePart],
    threads: usize,
    bar: &ProgressBar,
) -> Result<BookWritten, BookError> {
    let mut moves = BookMoves::new(options)?;
    for part in parts {
        let games = |places| part.games_at(places);
        moves.add(part.database(), part.len(), games, threads, &|games| {
            bar.inc(games);
        })?;
    }
    moves.write(out, threads)
}
