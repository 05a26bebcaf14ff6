//! Writes a number of games as PGN: `make_games COUNT GAMES.pgn >made.pgn`.
//!
//! Each game follows one of GAMES for some moves and goes on with random legal ones, so that the tree of openings looks like
//! the one of GAMES, and most positions after the opening are in one game only.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use pgn_reader::SanPlus;
use shakmaty::{Chess, Color, Move, Position as _};

use testkit::Random;
use testkit::writers::source::{self, Item, SourceGame};

/// Players; the first ones play most.
const PLAYERS: u64 = 100_000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make_games: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(count), Some(path), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err(
            "usage: make_games COUNT GAMES.pgn, with games that start from the usual position".into(),
        );
    };
    let count: usize = count
        .parse()
        .map_err(|_| format!("{count} is not a number of games"))?;
    let text = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let mut lines: Vec<Vec<Move>> = source::read(&text)
        .map_err(|error| format!("{path}: {error}"))?
        .iter()
        .map(first_moves)
        .collect();
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() {
        return Err(format!("{path} has no game with a move from the usual position").into());
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut random = Random(20_261_127);
    for number in 0..count {
        let line = &lines[random.below(lines.len())];
        write_game(&mut out, number, line, &mut random)?;
    }
    Ok(out.flush()?)
}

/// Main line of a game from the usual position up to its first null move, at most 60 half-moves.
fn first_moves(game: &SourceGame) -> Vec<Move> {
    let (mut moves, mut depth) = (Vec::new(), 0);
    if game.start != Chess::default() {
        return moves;
    }
    for item in &game.items {
        match item {
            Item::VariationStart => depth += 1,
            Item::VariationEnd => depth -= 1,
            Item::Null if depth == 0 => break,
            Item::Move(mv) if depth == 0 => moves.push(*mv),
            _ => {}
        }
    }
    moves.truncate(60);
    moves
}

fn write_game(
    out: &mut impl Write,
    number: usize,
    line: &[Move],
    random: &mut Random,
) -> std::io::Result<()> {
    // The root of a number drawn evenly makes the first players play most.
    let mut player =
        || (((random.below(1 << 30) as f64 / f64::from(1 << 30)).powi(2)) * PLAYERS as f64) as u64;
    let (white, black) = (player(), player());
    let elo = 1200 + random.below(1600);
    let result = random.pick(&["1-0", "1-0", "1/2-1/2", "1/2-1/2", "0-1", "0-1", "*"][..]);
    writeln!(out, "[Event \"Made {}\"]", random.below(20_000))?;
    writeln!(out, "[Site \"?\"]")?;
    let (year, month, day) = (
        1950 + random.below(76),
        1 + random.below(12),
        1 + random.below(28),
    );
    writeln!(out, "[Date \"{year}.{month:02}.{day:02}\"]")?;
    writeln!(out, "[Round \"{}\"]", number + 1)?;
    writeln!(
        out,
        "[White \"Player {white:06}\"]\n[Black \"Player {black:06}\"]"
    )?;
    writeln!(out, "[Result \"{result}\"]")?;
    writeln!(
        out,
        "[WhiteElo \"{elo}\"]\n[BlackElo \"{}\"]\n",
        elo - 100 + random.below(200)
    )?;
    let leaves = random.below(line.len() + 1).max(4);
    let end = leaves + 10 + random.below(60);
    let mut position = Chess::default();
    for ply in 0..end {
        let next = if ply < leaves {
            line.get(ply).copied()
        } else {
            None
        };
        let legal = position.legal_moves();
        let Some(next) = next.or_else(|| (!legal.is_empty()).then(|| random.pick(&legal))) else {
            break;
        };
        if position.turn() == Color::White {
            write!(out, "{}. ", ply / 2 + 1)?;
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, next);
        out.write_all(format!("{san}{}", if ply % 16 == 15 { '\n' } else { ' ' }).as_bytes())?;
    }
    writeln!(out, "{result}\n")
}
