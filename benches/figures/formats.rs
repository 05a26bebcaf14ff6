//! Export and main lines of all formats, in one table.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::Database;
use chessdb::game::Token;
use chessdb::pgn::append_game;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use tempfile::TempDir;

use super::{RUNS, chessbase, pgn, row, seconds_of};
use testkit::samples::open_base;

/// The argument for this table alone.
pub const ALONE: &str = "formats";

/// Games of one format.
struct Sample {
    format: &'static str,
    database: Box<dyn Database>,
    /// How many times the speed of shakmaty's documented path export is to reach.
    export_at_least: Option<f64>,
}

/// Times of one sample in seconds.
struct Times {
    documented: f64,
    export: f64,
    main_lines: f64,
}

/// Measures the samples of all formats and returns the rows with targets, which are printed after the table.
pub fn table(shared: &Path) -> Vec<(String, f64, f64)> {
    let made = tempfile::tempdir().expect("a place for databases");
    println!(
        "{:<16} {:>6} {:>5} | {:>10} | {:>9} {:>6} {:>6} | {:>9} {:>6} {:>6} {:>6}",
        "format",
        "games",
        "MB",
        "shakmaty/s",
        "export/s",
        "MB/s",
        "times",
        "lines/s",
        "MB/s",
        "times",
        "export"
    );
    let mut rows = Vec::new();
    for sample in samples(shared, &made) {
        let bytes = export(&*sample.database) as f64;
        let games = f64::from(sample.database.len());
        let times = measure(&*sample.database);
        let export_times = times.documented / times.export;
        let line_times = times.export / times.main_lines;
        println!(
            "{:<16} {:>6} {:>5.1} | {:>10.0} | {:>9.0} {:>6.0} {:>6.1} | {:>9.0} {:>6.0} {:>6.1} {:>6.1}",
            sample.format,
            games,
            bytes / 1e6,
            games / times.documented,
            games / times.export,
            bytes / 1e6 / times.export,
            export_times,
            games / times.main_lines,
            bytes / 1e6 / times.main_lines,
            times.documented / times.main_lines,
            line_times
        );
        if let Some(target) = sample.export_at_least {
            let figure = format!("{}: export against the documented path", sample.format);
            rows.push((figure, export_times, target));
        }
        let figure = format!("{}: main lines against export", sample.format);
        rows.push((figure, line_times, 2.5));
    }
    rows
}

/// Prints the rows that [`table`] returned.
pub fn targets(rows: &[(String, f64, f64)]) {
    for (figure, measured, target) in rows {
        row(figure, *measured, Some(*target));
    }
}

/// Samples without annotations, except that some of Scid's games have a few.
fn samples(shared: &Path, made: &TempDir) -> Vec<Sample> {
    let data = shared.join("data");
    let plain = open(&data.join("simplecdb/medium/plain"));
    let (cbf, text) = (made.path().join("cbf"), made.path().join("plain"));
    chessbase::write_plain(shared, &cbf);
    fs::write(text.with_extension("pgn"), pgn::text_of(&*plain)).expect("written");
    let sample = |format, base: &Path, export_at_least| Sample {
        format,
        database: open(base),
        export_at_least,
    };
    vec![
        Sample {
            format: "SimpleCDb",
            database: plain,
            export_at_least: Some(11.0),
        },
        sample("ChessBase (CBF)", &cbf, Some(4.0)),
        sample(
            "ChessBase (CBH)",
            &data.join("chessbase-cbh/twic1134/twic1134"),
            Some(4.0),
        ),
        sample(
            "Chess Assistant",
            &data.join("chess-assistant/medium/medium"),
            Some(7.0),
        ),
        sample("jose", &data.join("jose/real2005"), Some(7.0)),
        sample("Brenner", &data.join("brenner/medium.main"), Some(7.0)),
        sample("Scid", &data.join("scid/real-si4/res_database"), Some(3.0)),
        sample("PGN", &text, None),
    ]
}

fn open(base: &Path) -> Box<dyn Database> {
    open_base(base).expect("the samples are a database")
}

/// The fastest run of each, in turns, so that a slow moment of the machine affects all.
fn measure(database: &dyn Database) -> Times {
    let moves: Vec<(Chess, Vec<UciMove>)> = (0..database.len())
        .map(|game| uci_moves(database, game))
        .collect();
    let mut fastest = Times {
        documented: f64::MAX,
        export: f64::MAX,
        main_lines: f64::MAX,
    };
    for _ in 0..RUNS {
        let documented = seconds_of(|| {
            let games = moves.iter();
            games.map(|(start, moves)| documented_path(start, moves)).sum()
        });
        fastest.documented = fastest.documented.min(documented);
        fastest.export = fastest.export.min(seconds_of(|| export(database)));
        fastest.main_lines = fastest.main_lines.min(seconds_of(|| main_lines(database)));
    }
    fastest
}

/// Writes every game as PGN, one after another into one buffer, and returns the number of bytes.
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

/// Plays the main line of every game and returns the number of half-moves.
pub fn main_lines(database: &dyn Database) -> usize {
    let mut plies = 0;
    for game in 0..database.len() {
        database.main_line(game, &mut |_| {
            plies += 1;
            ControlFlow::Continue(())
        });
    }
    plies
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
