//! Figures of PGN.

use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::Database;
use chessdb::pgn::append_game;
use pgn_reader::shakmaty::fen::Fen;
use pgn_reader::shakmaty::{CastlingMode, Chess, Position};
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};

use super::formats::main_lines;
use super::{fastest, row};
use testkit::samples::open_base;

/// The argument for these figures alone.
pub const ALONE: &str = "pgn";

/// Compares the legal main lines of the games of a database, written as PGN, with pgn-reader and shakmaty: as they are,
/// and with a comment after each move.
pub fn figures(shared: &Path) {
    let plain = open_base(&shared.join("data/simplecdb/medium/plain")).expect("the samples are a database");
    let text = text_of(&*plain);
    compare("PGN", &text, 3.0);
    compare("PGN with clocks", &with_clocks(&*plain), 4.0);
}

/// Compares the legal main lines of a text. They should be read `target` times as fast as by pgn-reader and shakmaty.
fn compare(name: &str, text: &[u8], target: f64) {
    let folder = tempfile::tempdir().expect("a place for the file");
    let base = folder.path().join("plain");
    fs::write(base.with_extension("pgn"), text).expect("written");
    let database = open_base(&base).expect("a PGN file is a database");

    let plies = main_lines(&*database);
    assert_eq!(plies, read(text), "both read the same half-moves");
    let ours = fastest(|| main_lines(&*database));
    let theirs = fastest(|| read(text));
    let games = f64::from(database.len());
    let what = format!("{name}: main lines with pgn-reader and shakmaty, games/s");
    row(&what, games / theirs, None);
    let what = format!("{name}: main lines against these, times");
    row(&what, theirs / ours, Some(target));
}

/// The main lines of a database, with an evaluation and a clock after each move, as Lichess writes them: each game in one
/// line, with a move number in front of Black's moves, too.
fn with_clocks(database: &dyn Database) -> Vec<u8> {
    let mut text = Vec::new();
    for game in 0..database.len() {
        let mut written = Vec::new();
        append_game(&mut written, &database.game(game).game);
        let tags = written
            .split_inclusive(|&c| c == b'\n')
            .take_while(|line| line.starts_with(b"["));
        tags.for_each(|line| text.extend_from_slice(line));
        text.push(b'\n');
        database.main_line(game, &mut |ply| {
            let number = ply.number / 2 + 1;
            let points = if ply.number % 2 == 0 { "." } else { "..." };
            let san = ply.san();
            let _ = write!(text, "{number}{points} {san} {{ [%eval 0.17] [%clk 0:29:58] }} ");
            ControlFlow::Continue(())
        });
        text.extend_from_slice(b"*\n\n");
    }
    text
}

/// All games of a database as PGN.
pub fn text_of(database: &dyn Database) -> Vec<u8> {
    let mut text = Vec::new();
    for game in 0..database.len() {
        append_game(&mut text, &database.game(game).game);
    }
    text
}

/// The number of half-moves that pgn-reader reads and shakmaty plays.
fn read(text: &[u8]) -> usize {
    let mut reader = Reader::new(text);
    let mut plies = 0;
    while let Some(played) = reader.read_game(&mut Player).expect("our export is PGN") {
        plies += played;
    }
    plies
}

/// Plays the main line of a game.
struct Player;

impl Visitor for Player {
    type Tags = Chess;
    type Movetext = (Chess, usize);
    type Output = usize;

    fn begin_tags(&mut self) -> ControlFlow<usize, Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: RawTag<'_>) -> ControlFlow<usize> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("FEN");
            let position = fen.into_position(CastlingMode::Standard);
            *start = position.expect("a playable position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<usize, (Chess, usize)> {
        ControlFlow::Continue((start, 0))
    }

    fn san(&mut self, (position, plies): &mut (Chess, usize), san: SanPlus) -> ControlFlow<usize> {
        let mv = san.san.to_move(position).expect("the samples are legal");
        position.play_unchecked(mv);
        *plies += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut (Chess, usize)) -> ControlFlow<usize, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (_, plies): (Chess, usize)) -> usize {
        plies
    }
}
