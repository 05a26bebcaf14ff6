//! Figures that are ratios. Both sides of a ratio are measured in one run, on the same games.
//!
//! `cargo bench --bench figures` prints a table of figures and targets, and whether they are met.

#![allow(missing_docs)]

#[path = "../../tests/common/mod.rs"]
mod common;

mod brenner;
mod chess_assistant;
mod chessbase;
mod chessbase_cbh;
#[path = "../../examples/make_database/chess_assistant/mod.rs"]
#[allow(dead_code)]
mod encode_chess_assistant;
mod grown;
mod jose;
mod positions;
mod scid;
#[path = "../../examples/make_database/source.rs"]
#[allow(dead_code)]
mod source;

use std::ops::ControlFlow;

use chessdb::formats::Database;
use chessdb::game::Token;
use chessdb::pgn::append_game;
use common::needs;
use common::samples::open_base;
use rustix::time::{ClockId, clock_gettime};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// Number of runs, of which the fastest counts: other work on the machine only makes runs slower.
const RUNS: usize = 15;

fn main() {
    let mut arguments = std::env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let first = arguments.next().unwrap_or_default();
    if first == chess_assistant::OPEN {
        let target = arguments.next().expect("the path of a database");
        return chess_assistant::report_opening(target.as_ref());
    }
    let shared = needs!(samples);
    let large = shared.join("data/simplecdb/large");
    if first == positions::ALONE {
        let games = arguments.next().and_then(|games| games.to_str()?.parse().ok());
        return positions::figures(&large, games);
    }
    println!(
        "{:<52} {:>12} {:>10} {:>5}",
        "figure", "measured", "target", "met"
    );
    let plain =
        open_base(&shared.join("data/simplecdb/medium/plain")).expect("the plain samples are a database");
    export_figures("SimpleCDb", &*plain, 8.0);
    chessbase::figures(&shared);
    chess_assistant::figures(&shared);
    jose::figures(&shared);
    brenner::figures(&shared);
    chessbase_cbh::figures(&shared);
    scid::figures(&shared);
    positions::figures(&large, None);
}

/// Compares exporting a database of plain games with shakmaty's documented way on the same games.
fn export_figures(name: &str, database: &dyn Database, at_least: f64) {
    let games = f64::from(database.len());
    let moves: Vec<(Chess, Vec<UciMove>)> = (0..database.len())
        .map(|game| uci_moves(database, game))
        .collect();

    let documented = fastest(|| {
        moves
            .iter()
            .map(|(start, moves)| documented_path(start, moves))
            .sum()
    });
    let ours = fastest(|| export(database));
    row(
        &format!("{name}: shakmaty's documented path, games/s"),
        games / documented,
        None,
    );
    row(
        &format!("{name}: export of plain games, one thread, games/s"),
        games / ours,
        None,
    );
    row(
        &format!("{name}: export against the documented path, times"),
        documented / ours,
        Some(at_least),
    );
    main_line_figures(name, database, ours);
}

/// Compares the moves of all main lines alone with exporting, which took `export` seconds.
fn main_line_figures(name: &str, database: &dyn Database, export: f64) {
    let plies = fastest(|| {
        let mut plies = 0;
        for game in 0..database.len() {
            database.main_line(game, &mut |_| {
                plies += 1;
                ControlFlow::Continue(())
            });
        }
        plies
    });
    row(
        &format!("{name}: plies of main lines, games/s"),
        f64::from(database.len()) / plies,
        None,
    );
    row(
        &format!("{name}: plies of main lines against export, times"),
        export / plies,
        Some(2.5),
    );
}

fn row(figure: &str, measured: f64, at_least: Option<f64>) {
    let (target, met) = match at_least {
        Some(target) => (
            format!(">= {target}"),
            if measured >= target { "yes" } else { "NO" },
        ),
        None => (String::new(), ""),
    };
    println!("{figure:<52} {measured:>12.1} {target:>10} {met:>5}");
}

fn row_at_most(figure: &str, measured: f64, at_most: f64) {
    let met = if measured <= at_most { "yes" } else { "NO" };
    println!(
        "{figure:<52} {measured:>12.4} {:>10} {met:>5}",
        format!("<= {at_most}")
    );
}

/// CPU time of this thread in seconds, which other work on the machine does not affect.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds of the fastest run.
fn fastest(mut run: impl FnMut() -> usize) -> f64 {
    let times = (0..RUNS).map(|_| {
        let start = seconds();
        assert_ne!(std::hint::black_box(run()), 0);
        seconds() - start
    });
    times.fold(f64::MAX, f64::min)
}

/// Writes every game as PGN, one after another into one buffer.
fn export(database: &dyn Database) -> usize {
    let mut out = Vec::new();
    let mut bytes = 0;
    for game in 0..database.len() {
        out.clear();
        append_game(&mut out, &database.game(game).game);
        bytes += out.len();
    }
    bytes
}

/// The way shown in shakmaty's documentation for moves given by their squares.
fn documented_path(start: &Chess, moves: &[UciMove]) -> usize {
    let mut position = start.clone();
    let mut movetext = String::new();
    for uci in moves {
        let mv = uci.to_move(&position).expect("the samples are legal");
        let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
        san.append_to_string(&mut movetext);
        movetext.push(' ');
    }
    movetext.len()
}

/// The start and the main line of a game, determined by replaying our SAN with shakmaty.
fn uci_moves(database: &dyn Database, game: u32) -> (Chess, Vec<UciMove>) {
    let decoded = database.game(game).game;
    let start: Chess = decoded.tags.get("FEN").map_or_else(Chess::default, |fen| {
        let fen: Fen = fen.parse().expect("FEN");
        fen.into_position(CastlingMode::Standard)
            .expect("a playable position")
    });
    let mut position = start.clone();
    let mut depth = 0;
    let sans = decoded.movetext.tokens().iter().filter_map(|token| {
        match token {
            Token::VariationStart => depth += 1,
            Token::VariationEnd => depth -= 1,
            Token::Move(san, _) if depth == 0 => return Some(san.to_string()),
            _ => {}
        }
        None
    });
    let moves = sans.map(|san| {
        let san: SanPlus = san.parse().expect("SAN");
        let mv = san.san.to_move(&position).expect("legal");
        position.play_unchecked(mv);
        mv.to_uci(CastlingMode::Standard)
    });
    let moves = moves.collect();
    (start, moves)
}
